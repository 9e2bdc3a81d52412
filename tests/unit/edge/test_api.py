"""Every refusal is a problem document that says what to do; nothing a client sends is a 500."""

import json
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import BaseModel, ConfigDict, Field

from pulsedocs.edge.api import READ, WRITE, caller, create_api, lambda_handler, parse_json
from pulsedocs.errors import (
    BudgetExceeded,
    DocumentNotFound,
    InvalidRequest,
    ProviderThrottled,
    PulseDocsError,
    StoreUnavailable,
    branch,
)
from pulsedocs.settings import load

TENANT = "11111111-1111-4111-8111-111111111111"
PROBLEM_FIELDS = {
    "type",
    "title",
    "status",
    "code",
    "detail",
    "context",
    "guidance",
    "request_id",
}


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")

    count: Annotated[int, Field(ge=1, strict=True)]


def api_raising(error: Exception) -> Any:
    api = create_api()

    @api.post("/things")
    def things(body: Body) -> dict[str, Any]:
        del body
        raise error

    _ = things
    return lambda_handler(api)


def send(handler: Any, body: str | None = '{"count": 1}', path: str = "/things") -> dict[str, Any]:
    event = {
        "resource": path,
        "path": path,
        "httpMethod": "POST",
        "headers": {"Content-Type": "application/json"},
        "multiValueHeaders": {"Content-Type": ["application/json"]},
        "requestContext": {
            "requestId": "request-1",
            "path": path,
            "authorizer": {"tenant_id": TENANT, "subject": "u", "scopes": READ},
        },
        "body": body,
        "isBase64Encoded": False,
    }
    return handler(event, LambdaContext())


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] -- autouse
    load.cache_clear()
    monkeypatch.setenv("BUCKET", "b")


def test_an_error_becomes_a_problem_document_with_the_request_id() -> None:
    """S3-23: type, message, context and guidance."""
    response = send(api_raising(DocumentNotFound("no document 'x'", document_id="x")))

    problem = json.loads(response["body"])
    assert response["statusCode"] == 404
    assert set(problem) == PROBLEM_FIELDS
    assert problem["code"] == "DOCUMENT_NOT_FOUND"
    assert problem["context"] == {"document_id": "x"}
    assert problem["request_id"] == "request-1"
    assert response["multiValueHeaders"]["Content-Type"] == ["application/problem+json"]
    assert response["multiValueHeaders"]["x-request-id"] == ["request-1"]


def test_an_unexpected_error_says_nothing_of_itself() -> None:
    response = send(api_raising(ValueError("secret connection string")))

    assert response["statusCode"] == 500
    assert "secret" not in response["body"]


@pytest.mark.parametrize(
    ("error", "status"),
    [(StoreUnavailable("x"), 503), (BudgetExceeded("x"), 429), (InvalidRequest("x"), 400)],
)
def test_the_status_comes_from_the_place_in_the_tree(error: PulseDocsError, status: int) -> None:
    assert send(api_raising(error))["statusCode"] == status


def test_what_can_be_tried_again_says_when() -> None:
    response = send(api_raising(ProviderThrottled("slow down", retry_after_seconds=17)))

    assert response["multiValueHeaders"]["Retry-After"] == ["17"]


def test_a_spent_budget_says_when_the_day_ends_and_what_was_left_of_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    end = datetime.now(UTC) + timedelta(hours=2)
    numbers = {"limit": 100.0, "used": 90.0, "resets_at": end.isoformat()}

    response = send(api_raising(BudgetExceeded("spent", **numbers)))
    [seconds] = response["multiValueHeaders"]["Retry-After"]
    [without] = send(api_raising(BudgetExceeded("spent")))["multiValueHeaders"]["Retry-After"]

    problem = json.loads(response["body"])
    assert (response["statusCode"], problem["code"]) == (429, "BUDGET_EXCEEDED")
    assert problem["context"] == numbers
    assert 7100 < int(seconds) <= 7200
    assert 1 <= int(without) <= 86_400
    assert "BudgetRefused" in capsys.readouterr().out


@pytest.mark.parametrize(
    "body",
    [
        '{"count": 0}',
        '{"count": "1"}',
        '{"count": 1.5}',
        '{"count": NaN}',
        '{"count": Infinity}',
        '{"count": 1, "count": 2}',
        '{"count": 1, "other": 2}',
        "{}",
        "[]",
        "null",
        "",
        "{",
        '{"count": ' + "[" * 10_000,
        '{"count": ' + "[" * 100 + "]" * 100 + "}",
        '{"count": 1e400}',
        '{"count": "\\ud800"}',
    ],
)
def test_a_body_outside_the_contract_is_a_400(body: str) -> None:
    """S2-15: bad input is typed, whatever it is."""
    response = send(api_raising(AssertionError("never reached")), body=body)

    assert response["statusCode"] == 400, response["body"]
    assert json.loads(response["body"])["code"] == "INVALID_REQUEST"


def test_a_missing_body_is_a_400() -> None:
    assert send(api_raising(AssertionError("never reached")), body=None)["statusCode"] == 400


def test_an_unknown_route_is_a_404_problem() -> None:
    response = send(api_raising(AssertionError("never reached")), path="/nowhere")

    assert response["statusCode"] == 404
    assert set(json.loads(response["body"])) == PROBLEM_FIELDS


def test_a_token_without_the_scope_is_forbidden() -> None:
    api = create_api()

    @api.post("/things")
    def things(body: Body) -> dict[str, Any]:
        del body
        return {"subject": caller(api, scope=WRITE).subject}

    _ = things
    response = send(lambda_handler(api))

    assert response["statusCode"] == 403
    assert json.loads(response["body"])["code"] == "FORBIDDEN"


@pytest.mark.parametrize("text", ["NaN", "-Infinity", '{"a":1,"a":1}', "\ufeff{}", "{'a': 1}"])
def test_json_that_parsers_disagree_on_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_json(text)


def test_every_error_has_a_code_of_its_own_and_tells_what_to_do() -> None:
    """S3-23: the catalogue has no two errors of one code."""
    leaves = [error for error in branch(PulseDocsError) if not error.__subclasses__()]

    codes = [error.code for error in leaves]
    assert len(set(codes)) == len(codes)
    assert all(error.guidance.endswith(".") for error in leaves)


@pytest.mark.parametrize("text", ['{"name": "a\\u0000"}', '["\\ud800"]', '{"\\udfff": 1}'])
def test_text_that_the_database_cannot_hold_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest, match="NUL"):
        parse_json(text)


def answer_to(origin: str | None, *, allowed: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("CORS_ORIGINS", allowed)
    load.cache_clear()
    event = {
        "resource": "/things",
        "path": "/things",
        "httpMethod": "POST",
        "headers": {} if origin is None else {"origin": origin},
        "requestContext": {"requestId": "r"},
        "body": '{"count": 1}',
    }
    try:
        return lambda_handler(create_api())(event, LambdaContext())["multiValueHeaders"]
    finally:
        load.cache_clear()


APP = "https://app.example"


def test_only_a_page_of_an_allowed_origin_may_read_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An error, too: a page that cannot read it shows a network failure instead."""
    allowed = f'["https://other.example", "{APP}"]'

    heard = answer_to(APP, allowed=allowed, monkeypatch=monkeypatch)
    assert (heard["Access-Control-Allow-Origin"], heard["Vary"]) == ([APP], ["Origin"])
    for origin in (None, "null", "https://app.example.evil.example", f"{APP}:8443", "*"):
        refused = answer_to(origin, allowed=allowed, monkeypatch=monkeypatch)
        assert "Access-Control-Allow-Origin" not in refused
        assert refused["Vary"] == ["Origin"]


def test_no_page_may_read_an_answer_unless_somebody_said_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    headers = answer_to(APP, allowed="[]", monkeypatch=monkeypatch)

    assert not {"Access-Control-Allow-Origin", "Vary"} & set(headers)
