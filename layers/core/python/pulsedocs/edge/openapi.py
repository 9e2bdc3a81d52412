"""The contract as a document: generated from all handlers, served by one of them.

`make docs` writes `openapi.json` beside this file; a test fails when it is not what the handlers
say.
"""

import json
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver
from aws_lambda_powertools.event_handler.openapi import swagger_ui
from aws_lambda_powertools.event_handler.openapi.merge import OpenAPIMerge
from aws_lambda_powertools.event_handler.openapi.swagger_ui import generate_swagger_html

from pulsedocs import edge

TITLE = "PulseDocs"
VERSION = "1"
_FILE = "openapi.json"


def merged(apis: Iterable[APIGatewayRestResolver]) -> dict[str, Any]:
    """Return one OpenAPI document for several routers; raise where two claim one route."""
    merge = OpenAPIMerge(
        title=TITLE,
        version=VERSION,
        description="Documents in, answers out that cite the page and the exact words.",
        security=[{"token": []}],
        on_conflict="error",
    )
    for api in apis:
        schema = api.get_openapi_schema(title=TITLE, version=VERSION)
        merge.add_schema(schema.model_dump(by_alias=True, exclude_none=True, mode="json"))
    document: dict[str, Any] = json.loads(merge.get_openapi_json_schema())
    document.setdefault("components", {})["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
    }
    return document


@cache
def document() -> str:
    """Return the stored document as JSON."""
    return resources.files(edge).joinpath(_FILE).read_text(encoding="utf-8")


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
