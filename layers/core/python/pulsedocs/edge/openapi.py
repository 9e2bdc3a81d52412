"""The contract as a document: generated from all handlers, served by one of them.

`make docs` writes `openapi.json` beside this file; a test fails when it is not what the handlers
say.
"""

import base64
import hashlib
import json
import re
from collections.abc import Collection, Iterable
from functools import cache
from http import HTTPStatus
from importlib import resources
from inspect import getdoc
from typing import Any, Final, cast

from aws_lambda_powertools.event_handler import APIGatewayRestResolver
from aws_lambda_powertools.event_handler.openapi import swagger_ui
from aws_lambda_powertools.event_handler.openapi.merge import OpenAPIMerge
from aws_lambda_powertools.event_handler.openapi.swagger_ui import generate_swagger_html
from pydantic import BaseModel

from pulsedocs import edge

TITLE = "PulseDocs"
VERSION = "1"
_FILE = "openapi.json"
_DESCRIPTION: Final = (
    "Documents in, answers out that cite the page and the exact words."
    " As a file: [openapi.json](openapi.json)."
)
_AREAS: Final = {
    "documents": "Documents",
    "document": "Documents",
    "ingest": "Ingest by reference",
    "batches": "Ingest by reference",
    "search": "Questions",
    "ask": "Questions",
    "chat": "Questions",
    "v1": "Questions",
    "conversations": "Questions",
    "traces": "Traces",
    "proofs": "Traces",
    "evaluations": "Evaluations",
    "feedback": "Evaluations",
    "collections": "Collections",
    "models": "Models",
    "deletions": "Deletions",
    "operations": "Operations",
    "usage": "Operations",
    "audit": "Operations",
    "budget": "Operations",
    "health": "Operations",
}
"""What a path's first part is about, in the order in which a reader meets it."""

_ERRORS: Final = {
    HTTPStatus.BAD_REQUEST: "The request does not fit the contract, or what it brings is unusable.",
    HTTPStatus.UNAUTHORIZED: "The access token is missing, expired or not for this stage.",
    HTTPStatus.FORBIDDEN: "The access token lacks the scope.",
    HTTPStatus.NOT_FOUND: "The tenant has no such thing.",
    HTTPStatus.CONFLICT: "It contradicts what is there, or the same request is under way.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The file is larger than the stage takes, or the request"
    " or its answer than 6 MB.",
    HTTPStatus.TOO_MANY_REQUESTS: "The stage's limit is reached; `Retry-After` says when again.",
    HTTPStatus.SERVICE_UNAVAILABLE: "It will pass; `Retry-After` says when to try again.",
    HTTPStatus.GATEWAY_TIMEOUT: "It took longer than a request may.",
}
_FOR_TOKENS: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_MORE: Final = {
    HTTPStatus.UNPROCESSABLE_ENTITY: "The `Idempotency-Key` was used for another request, or no"
    " provider has the model.",
    HTTPStatus.FAILED_DEPENDENCY: "The site does not give the page.",
}
"""Refusals of some operations only."""

_OF_SOME: Final = {
    "/ingest": {("post", HTTPStatus.FAILED_DEPENDENCY)},
    "/collections/{name}": {("patch", HTTPStatus.UNPROCESSABLE_ENTITY)},
}
_END_OF_CLAUSE: Final = re.compile(r"[.;:](?: |$)")
_IDEMPOTENCY_KEY: Final = "idempotency-key"
_NEVER_SENT: Final = ("HTTPValidationError", "ValidationError", "ResponseValidationError")
"""Powertools' own answers, in place of which we send problem documents."""

_PROBLEM: Final = "Problem"


class Problem(BaseModel):
    """What went wrong, by which rule, and what to do next (RFC 9457)."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    context: dict[str, Any]
    guidance: str
    request_id: str


def merged(apis: Iterable[APIGatewayRestResolver]) -> dict[str, Any]:
    """Return one OpenAPI document for several routers.

    Raises where two claim one route, or mean different things by one name of a schema.
    """
    merge = OpenAPIMerge(
        title=TITLE,
        version=VERSION,
        description=_DESCRIPTION,
        tags=list(dict.fromkeys(_AREAS.values())),
        security=[{"token": []}],
        on_conflict="error",
    )
    named: dict[str, Any] = {}
    without_token: set[tuple[str, str]] = set()
    for api in apis:
        without_token |= _describe(api)
        model = api.get_openapi_schema(title=TITLE, version=VERSION)
        schema = model.model_dump(by_alias=True, exclude_none=True, mode="json")
        for name, meaning in schema["components"]["schemas"].items():
            if named.setdefault(name, meaning) != meaning:
                raise ValueError(f"two different schemas are named {name}")
        merge.add_schema(schema)
    document: dict[str, Any] = json.loads(merge.get_openapi_json_schema())
    document.setdefault("components", {})["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
    }
    _refuse_alike(document, without_token)
    return document


def _describe(api: APIGatewayRestResolver) -> set[tuple[str, str]]:
    """Give each route its area, and its function's docstring: the first clause, and all of it.

    Return the routes that need no token, which say so by `security=[]`.
    """
    without_token: set[tuple[str, str]] = set()
    for route in (
        *api._static_routes,  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] -- no public list of routes
        *api._dynamic_routes,  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] -- as above
    ):
        function = cast("object", route.func)
        told = " ".join((getdoc(function) or "").split())
        route.summary = _END_OF_CLAUSE.split(told)[0]
        route.description = None if told.rstrip(".") == route.summary else told
        route.tags = [_AREAS.get(route.path.split("/")[1], TITLE)]
        if route.security == []:
            without_token.add((route.method.lower(), route.openapi_path))
    return without_token


def _refuse_alike(document: dict[str, Any], without_token: Collection[tuple[str, str]]) -> None:
    """Name the refusals of every operation: problem documents, whichever function answers."""
    components = document["components"]
    for name in _NEVER_SENT:
        components["schemas"].pop(name, None)
    components["schemas"][_PROBLEM] = Problem.model_json_schema()
    problem = {"schema": {"$ref": f"#/components/schemas/{_PROBLEM}"}}
    components["responses"] = {
        str(status.value): {"description": told, "content": {"application/problem+json": problem}}
        for status, told in (_ERRORS | _MORE).items()
    }
    operations = (
        (path, method, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    )
    for path, method, operation in operations:
        refusals = set(_ERRORS) | {more for of, more in _OF_SOME.get(path, ()) if of == method}
        if (method, path) in without_token:
            operation["security"] = []
            refusals -= _FOR_TOKENS
        parameters: list[dict[str, Any]] = operation.get("parameters", [])
        if any(each["name"].lower() == _IDEMPOTENCY_KEY for each in parameters):
            refusals.add(HTTPStatus.UNPROCESSABLE_ENTITY)
        del operation["responses"]["422"]  # Powertools' own
        for status in sorted(refusals):
            name = str(status.value)
            operation["responses"][name] = {"$ref": f"#/components/responses/{name}"}


@cache
def document() -> str:
    """Return the stored document as JSON."""
    return resources.files(edge).joinpath(_FILE).read_text(encoding="utf-8")


@cache
def page_policy() -> str:
    """Return what the page may do: run and wear what it came with, and ask the stage it is of."""
    return (
        f"default-src 'none'; script-src {_hashes('script')}; style-src {_hashes('style')};"
        " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    )


def _hashes(element: str) -> str:
    inside = re.findall(rf"<{element}>(.*?)</{element}>", page(), flags=re.DOTALL)
    digests = (hashlib.sha256(text.encode()).digest() for text in inside)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


@cache
def page() -> str:
    """Return a page that shows the document, with everything it needs inside: it loads nothing."""
    parts = resources.files(swagger_ui)
    return generate_swagger_html(
        document(),
        parts.joinpath("swagger-ui-bundle.min.js").read_text(encoding="utf-8"),
        parts.joinpath("swagger-ui.min.css").read_text(encoding="utf-8"),
        swagger_base_url="",
        oauth2_config=None,
    )
