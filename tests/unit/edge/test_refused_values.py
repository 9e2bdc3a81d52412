"""A refused value is named as the caller wrote it, with what it must be, in plain words."""

import json
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import BaseModel, ConfigDict, Field

from pulsedocs.edge.api import Query, create_api, lambda_handler
from pulsedocs.edge.requests import Day, Name, Title
from pulsedocs.settings import load

_NO_NAME = "has a blank before or behind it, or a character that is not shown"
_SAYS_OF_BODY: dict[str, tuple[dict[str, Any], str]] = {
    "null": ({"query": None}, "query: must be a text"),
    "unknown": ({"top-k": 1}, "top-k: is not known here"),
    "named like a type": ({"str": 1}, "str: is not known here"),
    "low": ({"top_k": 0}, "top_k: must be 1 or more"),
    "high": ({"top_k": 51}, "top_k: must be 50 or less"),
    "no number": ({"top_k": "5"}, "top_k: must be a whole number"),
    "literal": ({"turns": [{"role": "x"}]}, "turns[0].role: must be 'user' or 'assistant'"),
    "no object": ({"turns": ["hi"]}, "turns[0]: must be an object"),
    "no list": ({"turns": {}}, "turns: must be a list"),
    "empty list": ({"turns": []}, "turns: must not be empty"),
    "long list": (
        {"turns": [{"role": "user"}, {"role": "user"}]},
        "turns: must have 1 or fewer items",
    ),
    "either": ({"stop": 7}, "stop: must be a text or must be a list"),
    "uuid": ({"ids": ["7"]}, "ids[0]: must be a UUID"),
    "flag": ({"hold": "yes"}, "hold: must be true or false"),
    "day": ({"day": "1 May"}, "day: write a day as 2026-01-31"),
    "long text": ({"collection": "x" * 129}, "collection: must have 128 or fewer characters"),
    "empty text": ({"collection": ""}, "collection: must not be empty"),
    "dots": ({"collection": ".."}, "collection: neither `.` nor `..` is a name"),
    "tab": ({"collection": "a\tb"}, f"collection: {_NO_NAME}"),
    "blank before": ({"collection": " a"}, f"collection: {_NO_NAME}"),
    "blank behind": ({"collection": "a b "}, f"collection: {_NO_NAME}"),
    "line break": ({"collection": "a\n"}, f"collection: {_NO_NAME}"),
    "blank": ({"title": " "}, "title: is blank, or has a character that is not shown"),
    "two": ({"top_k": 0, "hold": 1}, "top_k: must be 1 or more; hold: must be true or false"),
}


class Colour(StrEnum):
    RED = "RED"
    BLUE = "BLUE"


class Taste(StrEnum):
    SWEET = "SWEET"
    SOUR = "SOUR"


class Turn(BaseModel):
    role: Literal["user", "assistant"]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")

    query: str = ""
    top_k: Annotated[int, Field(ge=1, le=50, strict=True)] = 1
    turns: Annotated[list[Turn], Field(min_length=1, max_length=1)] | None = None
    stop: str | list[str] = ""
    ids: list[UUID] = Field(default_factory=list[UUID])
    hold: Annotated[bool, Field(strict=True)] = False
    day: Day | None = None
    collection: Name = "default"
    title: Title = "-"


def answered(method: str, query: dict[str, str] | None = None, body: str | None = None) -> Any:
    api = create_api()

    @api.on("POST /things", None)
    def make(request: Body) -> dict[str, Any]:
        return {"made": str(request)}

    @api.on("GET /things", None)
    def show(
        kind: Annotated[Colour | Taste | None, Query()] = None,
        limit: Annotated[int, Query(ge=1)] = 1,
    ) -> dict[str, Any]:
        return {"shown": [kind, limit]}

    _ = make, show
    headers = {"Content-Type": "application/json"}
    event = {
        "resource": "/things",
        "path": "/things",
        "httpMethod": method,
        "headers": headers,
        "multiValueHeaders": {name: [text] for name, text in headers.items()},
        "queryStringParameters": query,
        "multiValueQueryStringParameters": {name: [text] for name, text in (query or {}).items()},
        "requestContext": {"requestId": "request-1", "path": "/things"},
        "body": body,
        "isBase64Encoded": False,
    }
    answer = lambda_handler(api)(event, LambdaContext())
    assert answer["statusCode"] == 400, answer
    return json.loads(answer["body"])["detail"]


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] -- autouse
    load.cache_clear()
    monkeypatch.setenv("BUCKET", "b")


@pytest.mark.parametrize("kind", _SAYS_OF_BODY)
def test_a_field_of_a_body_is_named_with_what_it_must_be(kind: str) -> None:
    sent, said = _SAYS_OF_BODY[kind]

    assert answered("POST", body=json.dumps(sent)) == said


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"limit": "x"}, "limit: must be a whole number"),
        ({"limit": "0"}, "limit: must be 1 or more"),
        ({"kind": "nope"}, "kind: must be 'RED' or 'BLUE' or must be 'SWEET' or 'SOUR'"),
    ],
)
def test_a_parameter_is_named_with_what_it_must_be(query: dict[str, str], said: str) -> None:
    assert answered("GET", query) == said


def test_a_request_without_its_body_is_told_so() -> None:
    assert answered("POST") == "body: is missing"
