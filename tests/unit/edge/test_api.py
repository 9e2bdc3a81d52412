"""Every refusal is a problem document that says what to do; nothing a client sends is a 500."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Annotated, Any
from uuid import UUID, uuid4

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import BaseModel, ConfigDict, Field

from pulsedocs.documents.idempotent_request import KeyedRequest, idempotent_lines
from pulsedocs.edge.api import MOST_BYTES, READ, WRITE, caller, create_api, lambda_handler
from pulsedocs.edge.json_text import parse_json
from pulsedocs.errors import (
    BudgetExceeded,
    DocumentNotFound,
    IdempotencyKeyReused,
    InvalidRequest,
    ProviderThrottled,
    PulseDocsError,
    RequestInProgress,
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


def send(
    handler: Any,
    body: str | None = '{"count": 1}',
    path: str = "/things",
    *,
    key: str | None = None,
    method: str = "POST",
) -> dict[str, Any]:
    headers = {"Content-Type": "application/json"}
    if key is not None:
        headers["Idempotency-Key"] = key
    event = {
        "resource": path,
        "path": path,
        "httpMethod": method,
        "headers": headers,
        "multiValueHeaders": {name: [text] for name, text in headers.items()},
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


def test_a_request_that_is_running_still_says_when_to_send_it_again() -> None:
    response = send(api_raising(RequestInProgress("the first one still runs")))

    assert response["statusCode"] == 409
    assert response["multiValueHeaders"]["Retry-After"] == ["1"]


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


@pytest.mark.parametrize(
    "body",
    ['{"count": 1}', '{"count": 0}', '{"other": 1}', "no JSON", "[]", "x" * (MOST_BYTES + 1)],
    ids=["right", "too small", "unknown", "no JSON", "a list", "too large"],
)
def test_a_token_without_the_scope_is_forbidden_whatever_is_sent(body: str) -> None:
    """Fails when: a request is judged before its sender; 400 then tells what a field may be."""
    api = create_api()

    @api.on("POST /things", WRITE)
    def things(body: Body) -> dict[str, Any]:
        del body
        return {"subject": caller(api).subject}

    _ = things
    response = send(lambda_handler(api), body)

    assert response["statusCode"] == 403
    assert json.loads(response["body"])["code"] == "FORBIDDEN"


class Log:
    """Remembers in memory what a key was sent with, and what was answered."""

    def __init__(self) -> None:
        self.sent: dict[str, bytes] = {}
        self.answers: dict[str, Mapping[str, Any]] = {}

    def remember(
        self, tenant_id: UUID, key: str, *, request_hash: bytes, seconds: float = 60.0
    ) -> Mapping[str, Any] | None:
        del tenant_id, seconds
        if self.sent.setdefault(key, request_hash) != request_hash:
            raise IdempotencyKeyReused("another body")
        return self.answers.get(key)

    def record_response(
        self, tenant_id: UUID, key: str, *, status: int, body: Mapping[str, Any]
    ) -> None:
        del tenant_id, status
        self.answers[key] = body

    def forget(self, tenant_id: UUID, key: str) -> None:
        del tenant_id
        self.sent.pop(key)


class Counted(BaseModel):
    thing: str
    count: int
    number: int


def counting(log: Log) -> Any:
    """Return a handler whose answer says how often it ran."""
    api, runs = create_api(remembers=lambda: log), count(1)

    @api.on("POST /things/{thing}/count", READ)
    def things(thing: str, body: Body) -> Counted:
        return Counted(thing=thing, count=body.count, number=next(runs))

    _ = things
    return lambda_handler(api)


def test_a_post_with_a_key_runs_once_and_is_known_by_its_route_path_and_body() -> None:
    log = Log()
    handler = counting(log)

    def post(thing: str, body: str, key: str | None) -> dict[str, Any]:
        return send(handler, body, path=f"/things/{thing}/count", key=key)

    first, again = (post("a", '{"count": 1}', "k") for _ in range(2))
    keyless = post("a", '{"count": 1}', None)
    other_body, other_path = post("a", '{"count": 2}', "k"), post("b", '{"count": 1}', "k")

    assert first["body"] == again["body"]
    assert json.loads(keyless["body"]) == {"thing": "a", "count": 1, "number": 2}
    assert [each["statusCode"] for each in (other_body, other_path)] == [422, 422]
    assert [*log.answers.values()] == [{"thing": "a", "count": 1, "number": 1}]


@dataclass(frozen=True, slots=True)
class Removed:
    receipt_id: UUID
    at: datetime


def test_a_record_that_is_answered_to_a_key_is_kept_as_json() -> None:
    log = Log()
    api = create_api(remembers=lambda: log)

    @api.on("DELETE /things", READ)
    def things() -> Removed:
        return Removed(uuid4(), datetime.now(UTC))

    _ = things
    first, again = (send(lambda_handler(api), None, key="k", method="DELETE") for _ in range(2))

    assert first["statusCode"] == 200
    assert first["body"] == again["body"]
    assert [*log.answers.values()] == [json.loads(first["body"])]


def test_what_failed_may_be_sent_again_with_its_key() -> None:
    log = Log()
    api, replies = create_api(remembers=lambda: log), iter([False, True])

    @api.on("DELETE /things", READ)
    def things() -> dict[str, Any]:
        if not next(replies):
            raise StoreUnavailable("gone for a moment")
        return {"gone": True}

    _ = things
    statuses = [
        send(lambda_handler(api), None, key="k", method="DELETE")["statusCode"] for _ in range(3)
    ]

    assert statuses == [503, 200, 200]


def lines_with_a_key(log: Any) -> Any:
    request = KeyedRequest(UUID(int=1), "somebody", "k", "POST /things", {}, 200)
    told = iter([{"type": "text"}, {"type": "done"}])
    return idempotent_lines(request, log=log, respond=lambda: (line for line in told))


def test_an_answer_in_lines_is_kept_before_its_last_line_leaves() -> None:
    """Failed when it was kept behind it: who left at `done` paid for the repeat."""
    log = Log()
    lines = lines_with_a_key(log)

    while next(lines) != {"type": "done"}:
        assert log.answers == {}
    lines.close()

    assert [*log.answers.values()] == [{"lines": [{"type": "text"}, {"type": "done"}]}]


def test_an_answer_in_lines_that_cannot_be_kept_is_not_done() -> None:
    """Failed when `done` had left: an error followed it."""

    class Full(Log):
        def record_response(self, *_: Any, **__: Any) -> None:
            raise StoreUnavailable("gone for a moment")

    said: list[Any] = []
    with pytest.raises(StoreUnavailable):
        said.extend(iter(lines_with_a_key(Full())))

    assert {"type": "done"} not in said


def test_a_key_is_no_way_around_a_scope() -> None:
    api, log = create_api(remembers=Log), Log()

    @api.on("POST /things", WRITE)
    def things(body: Body) -> dict[str, Any]:
        return {"count": body.count}

    _ = things

    assert send(lambda_handler(api), key="k")["statusCode"] == 403
    assert log.sent == {}


@pytest.mark.parametrize("text", ["NaN", "-Infinity", '{"a":1,"a":1}', "\ufeff{}", "{'a': 1}"])
def test_json_that_parsers_disagree_on_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_json(text)


def test_every_error_has_a_code_of_its_own_and_tells_what_to_do() -> None:
    """S3-23: the catalogue has no two errors of one code."""
    leaves = [error for error in branch(PulseDocsError) if [*branch(error)] == [error]]

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


def api_answering(text: str) -> Any:
    api = create_api()

    @api.post("/things")
    def things(body: Body) -> dict[str, Any]:
        del body
        return {"text": text}

    _ = things
    return lambda_handler(api)


@pytest.mark.parametrize("character", ["a", "\u00e4", "\U0001f600", '"'])
def test_an_answer_that_lambda_would_not_give_is_a_problem_that_says_to_ask_for_less(
    character: str,
) -> None:
    """Beyond 6 MB of JSON it would be a 502 without a word."""
    short, longer = (len(json.dumps(send(api_answering(character * n)))) for n in (100, 200))
    written = (longer - short) // 100  # an answer's body is JSON in JSON

    fits = send(api_answering(character * ((MOST_BYTES - 8192) // written)))
    large = send(api_answering(character * (MOST_BYTES // written)))

    assert fits["statusCode"] == 200
    assert len(json.dumps(fits)) <= MOST_BYTES
    assert large["statusCode"] == 413
    assert json.loads(large["body"])["code"] == "ANSWER_TOO_LARGE"
    assert len(json.dumps(large)) < 4096


def test_a_request_that_no_function_is_given_is_a_problem_too() -> None:
    response = send(api_answering("x"), body=json.dumps({"count": "a" * MOST_BYTES}))

    assert response["statusCode"] == 413
    assert json.loads(response["body"])["code"] == "REQUEST_TOO_LARGE"
