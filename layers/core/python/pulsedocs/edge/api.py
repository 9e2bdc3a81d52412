"""The edge of the HTTP functions: routes, validation and errors.

Powertools routes and validates; this module decides what a request may look like, who sends it,
and what its function logs. What an error looks like to a client is in `edge.problems`.
"""

import base64
import json
import re
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final, TypeVar, cast
from urllib.parse import unquote
from uuid import uuid4

from aws_lambda_powertools.event_handler import (
    APIGatewayRestResolver,
    Response,
)
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from aws_lambda_powertools.event_handler.middlewares.openapi_validation import (
    OpenAPIRequestValidationMiddleware,
)
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestUnsupportedContentType,
    RequestValidationError,
)
from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query
from aws_lambda_powertools.event_handler.openapi.types import OpenAPIResponse
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic_core import ErrorDetails

from pulsedocs import bootstrap
from pulsedocs.documents.ports import RequestLog
from pulsedocs.edge.authorisation import Caller, canonical_tenant
from pulsedocs.edge.idempotency import runs_once
from pulsedocs.edge.identifiers import begin_notes, ids_of_path, note, noted
from pulsedocs.edge.json_text import parse_json, refuse_unstorable
from pulsedocs.edge.observability import count_refusal, logger
from pulsedocs.edge.problems import problem_document, retry_after, unexpected
from pulsedocs.errors import (
    AnswerTooLarge,
    BodyTooLarge,
    ConfigurationError,
    Forbidden,
    InvalidRequest,
    NotFound,
    PulseDocsError,
    what_is_wrong,
)
from pulsedocs.headers import SECURITY_HEADERS
from pulsedocs.model.deadline import Deadline
from pulsedocs.scopes import ADMIN, READ, WRITE

__all__ = [
    "ADMIN",
    "READ",
    "WRITE",
    "Api",
    "Header",
    "Path",
    "Query",
    "Response",
    "caller",
    "create_api",
    "deadline",
    "lambda_handler",
    "path_text",
]

_JSON: Final = "application/json"
_CONTENT_TYPE: Final = "content-type"
_UNREAD: Final = "unread"  # of the context of a request: why its body is refused
_NOWHERE: Final = "not_found_handler"  # what Powertools runs where no route fits
_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
_WITH_KEY: Final = frozenset({"POST", "DELETE"})  # PUT and PATCH say the same twice anyway
MOST_BYTES: Final = 6 * 1024 * 1024
"""Of an event of Lambda's, and of its answer, where it is waited for."""
_MOST_ANSWER: Final = MOST_BYTES - 4096  # the headers that are added to every answer
_EMPTY: Final = frozenset({"", "{}", "null"})
_EXPOSED: Final = "Retry-After, x-request-id"
_IN_PATH: Final = re.compile(r"/\{(\w+)\}")

_Header = TypeVar("_Header", str, list[str])
_Answers = TypeVar("_Answers", bound=Callable[..., Any])

ApiHandler = Callable[[dict[str, Any], LambdaContext], dict[str, Any]]


class Api(APIGatewayRestResolver):
    """A router whose routes are declared once, by `on`, for all who need to know of them."""

    def __init__(self, *, remembers: Callable[[], RequestLog] | None = None) -> None:
        super().__init__(enable_validation=True, json_body_deserializer=_parse_object)
        self._remembers = remembers
        self._declared: dict[Callable[..., Any], str] = {}
        self._scopes: dict[Callable[..., Any], str] = {}
        # Powertools runs it before all other middleware. It is read first: should a later version
        # call it otherwise no function starts, where each would answer whoever has a token.
        _ = self._request_validation_middleware
        self._request_validation_middleware = _AuthorisedValidation(self._scopes)

    def on(
        self,
        route: str,
        scope: str | None,
        *,
        status: HTTPStatus = HTTPStatus.OK,
        same_as: str = "",
        responses: dict[int, OpenAPIResponse] | None = None,
        is_documented: bool = True,
        renew: Callable[..., Any] | None = None,
    ) -> Callable[[_Answers], _Answers]:
        """Answer `POST /documents/{document_id}/retry`, and nobody without the scope.

        A POST or DELETE takes an `Idempotency-Key`, if this router remembers requests; `same_as` is
        the route that this one is another name of, and `renew` makes anew what of a remembered
        answer does not last. `infra.routes` reads route and scope from the
        text, so they are written out. A route whose scope is None needs no token.
        """
        method, path = route.split()

        def add(function: _Answers) -> _Answers:
            self._declared[function] = route
            answer: Callable[..., Any] = function
            if method in _WITH_KEY and self._remembers is not None:
                # Ids of the path are part of the request, not of the key's name.
                named = _IN_PATH.sub("", same_as or route)
                answer = runs_once(
                    function,
                    route=named,
                    status=status,
                    log=self._remembers,
                    caller=lambda: caller(self),
                    renew=renew,
                )
            self.route(
                _IN_PATH.sub(r"/<\1>", path),
                method,
                status_code=status,
                responses=responses,
                include_in_schema=is_documented,
                security=[] if scope is None else None,
            )(answer)
            if scope is not None:
                self._scopes[answer] = scope
            return function

        return add

    def route_of(self, function: Callable[..., Any]) -> str:
        """Return the route that a function answers, as `on` has it."""
        return self._declared[function]


class _AuthorisedValidation(OpenAPIRequestValidationMiddleware):
    """Asks for the scope of a route before anything of the request is judged."""

    def __init__(self, scopes: Mapping[Callable[..., Any], str]) -> None:
        super().__init__()
        self._scopes = scopes

    def handler(self, app: Any, next_middleware: NextMiddleware) -> Response[Any]:  # noqa: ANN401 -- a type variable of Powertools, which it exports to nobody
        context: dict[str, Any] = app.context
        scope = self._scopes.get(context["_route"].func)
        if scope is not None and scope not in caller(app).scopes:
            message = f"this operation needs the scope {scope!r}"
            raise Forbidden(message)
        if unread := context.get(_UNREAD):
            raise unread
        return super().handler(app, next_middleware)  # pyright: ignore[reportUnknownVariableType] -- typed so by Powertools


def create_api(*, remembers: Callable[[], RequestLog] | None = None) -> Api:
    """Return a router that answers every error as problem+json.

    `remembers` builds what keeps the answers to requests that have an `Idempotency-Key`.
    """
    api = Api(remembers=remembers)
    api.use(middlewares=[_check_parameters])

    @api.exception_handler(RequestValidationError)
    def on_invalid(error: RequestValidationError) -> Response[str]:
        found = error.errors()
        if any(tuple(item["loc"])[:1] == ("response",) for item in found):
            # Our answer breaks the contract, not the request.
            return _problem(api, unexpected(error))
        try:
            _refuse_ignored(api)  # one that is given twice is told so, not that a list is no number
        except InvalidRequest as first:
            return _problem(api, first)
        said = what_is_wrong(map(_without_origin, found))
        return _problem(api, InvalidRequest(said))

    @api.exception_handler(RequestUnsupportedContentType)
    def on_foreign_body(_error: RequestUnsupportedContentType) -> Response[str]:
        return _problem(api, _not_json())

    @api.exception_handler(PulseDocsError)
    def on_known(error: PulseDocsError) -> Response[str]:
        return _problem(api, error)

    @api.exception_handler(NotFoundError)
    def on_unknown_route(_error: NotFoundError) -> Response[str]:
        message = f"there is no {api.current_event.http_method} {api.current_event.path}"
        return _problem(api, NotFound(message))

    @api.exception_handler(Exception)
    def on_unexpected(error: Exception) -> Response[str]:
        return _problem(api, unexpected(error))

    # registered by their decorators
    del on_invalid, on_foreign_body, on_known, on_unknown_route, on_unexpected
    return api


def _without_origin(item: ErrorDetails) -> ErrorDetails:
    """Name a field alone: whether Powertools found it in body, query or path its name says."""
    return {**item, "loc": item["loc"][1:] or item["loc"]}


def _check_parameters(
    api: APIGatewayRestResolver, next_middleware: NextMiddleware
) -> Response[Any]:
    """Refuse what would be ignored, and what could not be stored."""
    _refuse_ignored(api)
    event: dict[str, Any] = api.current_event.raw_event
    named: dict[str, str] = event.get("pathParameters") or {}
    queried = _queried(api)
    refuse_unstorable(*named.values(), *(value for values in queried.values() for value in values))
    return next_middleware(api)  # pyright: ignore[reportUnknownVariableType] -- typed so by Powertools


def _queried(api: APIGatewayRestResolver) -> dict[str, list[str]]:
    return api.current_event.raw_event.get("multiValueQueryStringParameters") or {}


def _refuse_ignored(api: APIGatewayRestResolver) -> None:
    """Refuse a parameter misspelt, one said twice, a body for nobody."""
    route = cast("Any", api.context.get("_route"))
    if route is not None and route.func.__name__ != _NOWHERE:
        known: set[str] = {parameter.alias for parameter in route.dependant.query_params}
        for name, values in _queried(api).items():
            if name not in known:
                listed = ", ".join(sorted(known)) or "none"
                raise InvalidRequest(f"unknown query parameter {name[:64]!r}; known: {listed}")
            if len(values) > 1:
                raise InvalidRequest(f"the query parameter {name!r} is given {len(values)} times")
        if not route.dependant.body_params and (api.current_event.body or "").strip() not in _EMPTY:
            raise InvalidRequest("this operation takes no body")


def _not_json() -> InvalidRequest:
    form = "a file goes by the form in the answer of POST /documents"
    return InvalidRequest(f"the body is not declared as {_JSON}; {form}")


def lambda_handler(api: APIGatewayRestResolver) -> ApiHandler:
    """Return the function's entry point: resolve, add the request id, log one line."""

    def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        started = time.perf_counter()
        request_id = _request_id(event)
        begin_notes(**ids_of_path(event.get("pathParameters")), request_id=request_id)
        legible = _legible(event)
        api.append_context(**{_UNREAD: _unread(event, legible)})
        response = api.resolve(legible, context)
        if _is_too_large(response):
            message = f"the answer is larger than {MOST_BYTES:,} bytes"
            response = _refusal(AnswerTooLarge(message), event, request_id)
        headers = response.setdefault("multiValueHeaders", {})
        headers["x-request-id"] = [request_id]
        for name, text in SECURITY_HEADERS.items():
            headers.setdefault(name, [text])
        headers.update({name: [text] for name, text in cors_headers(event).items()})
        logger().info(
            "request",
            route=f"{event.get('httpMethod')} {event.get('resource')}",
            status=response["statusCode"],
            ms=round((time.perf_counter() - started) * 1000, 1),
            **noted(),
        )
        return response

    return handler


def _unread(event: Mapping[str, Any], legible: Mapping[str, Any]) -> PulseDocsError | None:
    """Return why a body is refused without being read, if it is."""
    if len(legible.get("body") or "") > MOST_BYTES:
        return BodyTooLarge(f"the request is larger than {MOST_BYTES:,} bytes")
    if _is_declared_otherwise(event):
        return _not_json()
    if event.get("body") and (coding := _coding(event)):
        message = f"the body is declared as encoded by {coding[:64]!r}; send it as it is"
        return InvalidRequest(message)
    return None


def _refusal(error: PulseDocsError, event: Mapping[str, Any], request_id: str) -> dict[str, Any]:
    """Return what a function answers where no route has, or may."""
    count_refusal(error)
    document = problem_document(error, request_id=request_id, event=event)
    return {
        "statusCode": document["status"],
        "body": json.dumps(document),
        "isBase64Encoded": False,
        "multiValueHeaders": {"Content-Type": ["application/problem+json"]},
    }


def _is_too_large(response: dict[str, Any]) -> bool:
    """Say whether Lambda may refuse an answer; it is written out only where it could be."""
    longest = MOST_BYTES // 12  # a character of it is twelve bytes of JSON at most
    return len(response.get("body") or "") > longest and len(json.dumps(response)) > _MOST_ANSWER


def _is_declared_otherwise(event: Mapping[str, Any]) -> bool:
    """Say whether a body is announced as anything but JSON, whether or not one came.

    Powertools reads forms as fields, which `parse_json` never sees, and fails on one that names no
    boundary before any code of ours could refuse it.
    """
    if not event.get("body") and event.get("httpMethod") not in _WITH_BODY:
        return False
    # A request may say twice what its body is; Powertools believes one of them.
    declared = _said(event, _CONTENT_TYPE)
    return any(text.partition(";")[0].strip().lower() not in {_JSON, ""} for text in declared)


def _coding(event: Mapping[str, Any]) -> str:
    """Return how a body is compressed, which nothing here reads; "" for one that is not."""
    codings = (text.strip() for text in _said(event, "content-encoding"))
    return next((text for text in codings if text.lower() not in {"", "identity"}), "")


def _said(event: Mapping[str, Any], header: str) -> list[str]:
    """Return what a request says in a header, as often as it says it."""
    single: dict[str, str] = event.get("headers") or {}
    several: dict[str, list[str]] = event.get("multiValueHeaders") or {}
    headers = {name.lower(): [text] for name, text in single.items()}
    headers |= {name.lower(): texts for name, texts in several.items()}
    return headers.get(header, [])


def _legible(event: dict[str, Any]) -> dict[str, Any]:
    """Return the event as Powertools can read it: with its type in small letters, and as text."""
    several: dict[str, list[str]] = event.get("multiValueHeaders") or {}
    single: dict[str, str] = event.get("headers") or {}
    legible = event | {
        "headers": _without_type(single) | {_CONTENT_TYPE: _JSON},
        "multiValueHeaders": _without_type(several) | {_CONTENT_TYPE: [_JSON]},
    }
    if event.get("isBase64Encoded"):
        # Bytes that are no UTF-8 become halves of surrogate pairs, which `parse_json` refuses:
        # Powertools would fail on them before a route is found.
        body = base64.b64decode(event.get("body") or "")
        legible |= {"body": body.decode(errors="surrogateescape"), "isBase64Encoded": False}
    return legible


def _without_type(headers: Mapping[str, _Header]) -> dict[str, _Header]:
    return {name: said for name, said in headers.items() if name.lower() != _CONTENT_TYPE}


def cors_headers(event: Mapping[str, Any]) -> dict[str, str]:
    """Return what lets a page of an allowed origin read the answer; nothing where none is."""
    try:
        allowed = bootstrap.settings().cors_origins
    except ConfigurationError:  # said by whatever of the request needs a setting
        return {}
    if not allowed:
        return {}
    sent: dict[str, str] = event.get("headers") or {}
    origin = next((text for name, text in sent.items() if name.lower() == "origin"), None)
    named = (
        {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": _EXPOSED}
        if origin in allowed
        else {}
    )
    return {**named, "Vary": "Origin"}  # a cache must not hand one origin's answer to another


def caller(api: APIGatewayRestResolver) -> Caller:
    """Return who calls, from the authoriser's context only."""
    event: dict[str, Any] = api.current_event.raw_event
    context: dict[str, Any] = event.get("requestContext", {}).get("authorizer") or {}
    found = Caller(
        tenant_id=canonical_tenant(context.get("tenant_id")),
        subject=str(context.get("subject", "")),
        scopes=frozenset(str(context.get("scopes", "")).split()),
    )
    note(tenant_id=found.tenant_id)
    return found


def deadline() -> Deadline:
    """Return the time budget of the request that starts now."""
    return Deadline.after(bootstrap.settings().request_seconds)


def path_text(segment: str) -> str:
    """Return what a client wrote into a segment of the path: the router hands it over encoded."""
    text = unquote(segment)
    refuse_unstorable(text)
    return text


def stream_deadline() -> Deadline:
    """Return the time budget of an answer that leaves in parts."""
    return Deadline.after(bootstrap.settings().stream_seconds)


def _parse_object(body: str) -> Any:  # noqa: ANN401 -- JSON
    """Parse a request's body: Powertools would take a list with one object in it for the object."""
    parsed = parse_json(body)
    if not isinstance(parsed, dict | None):
        raise InvalidRequest("the body is not a JSON object")
    return cast("Any", parsed)


def _problem(api: APIGatewayRestResolver, error: PulseDocsError) -> Response[str]:
    count_refusal(error)
    event: dict[str, Any] = api.current_event.raw_event
    document = problem_document(error, request_id=_request_id(event), event=event)
    return Response(
        status_code=document["status"],
        content_type="application/problem+json",
        body=json.dumps(document),
        headers={**retry_after(error)},
    )


def _request_id(event: dict[str, Any]) -> str:
    return str(event.get("requestContext", {}).get("requestId") or uuid4())
