"""POST /ask/stream and /chat through the whole stage, with a slow model on a real socket."""

import json
from collections.abc import Iterator
from threading import Event
from typing import Any
from uuid import uuid4

import httpx
import pytest

from local.stage import Stage
from tests.contract.fake_openai_server import FakeOpenAIServer, Streaming, changed, failing
from tests.e2e.tenant import Tenant, holding
from tests.patience import PATIENCE

PAGE = "The rent is due on the third day of the month. The monthly rent is 1,200 EUR.\n"
QUESTION = {"question": "When is the monthly rent due?", "profile": "fast"}
DUE = 'Rent is due on the third day [1: "due on the third day of the month"].'
COSTS = ' It is 1,200 EUR [1: "monthly rent is 1,200 EUR"].'
NDJSON = "application/x-ndjson"


@pytest.fixture(scope="module")
def reader(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"lease.txt": PAGE}) as tenant:
        yield tenant


@pytest.fixture
def client(stage: Stage, reader: Tenant) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {stage.token(reader.tenant_id)}"}
    with httpx.Client(base_url=stage.url, headers=headers, timeout=PATIENCE) as opened:
        yield opened


def lines_of(response: httpx.Response) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in response.iter_lines())


def test_the_first_sentence_arrives_before_the_model_has_finished(
    client: httpx.Client, model: FakeOpenAIServer
) -> None:
    """S4-10: the model waits until the first sentence has been read, then says the second."""
    read = Event()
    model.script(Streaming([DUE, " It", COSTS[3:]], before=lambda n: n < 2 or read.wait(PATIENCE)))

    with client.stream("POST", "/ask/stream", json=QUESTION) as response:
        lines = lines_of(response)
        first = next(lines)
        assert not read.is_set()
        read.set()
        rest = list(lines)

    assert response.headers["content-type"] == NDJSON
    assert first == {"type": "text", "text": "Rent is due on the third day [1]."}
    assert [line["type"] for line in rest] == ["text", "sources", "done"]
    assert rest[0]["text"] == " It is 1,200 EUR [1]."
    assert rest[1]["sources"][0]["source"] == "lease.txt"
    assert {citation["n"] for citation in rest[1]["citations"]} == {1}
    assert rest[2]["abstained"] is None
    assert rest[2]["usage"]["output_tokens"] > 0
    trace = client.get(f"/traces/{rest[2]['trace_id']}").json()
    assert trace["method"] == "stream"


def test_a_client_that_leaves_stops_the_model(
    client: httpx.Client, model: FakeOpenAIServer
) -> None:
    """S4-10: locally the provider's connection closes, even while the model is silent."""
    behaviour = Streaming(
        [DUE, " It", *[" goes on"] * 500], before=lambda n: n < 2 or behaviour.hung_up.wait(0.05)
    )
    model.script(behaviour)

    with client.stream("POST", "/ask/stream", json=QUESTION) as response:
        assert next(lines_of(response))["type"] == "text"

    assert behaviour.hung_up.wait(PATIENCE)


def test_a_model_that_fails_midway_ends_in_one_line(
    client: httpx.Client, model: FakeOpenAIServer
) -> None:
    """S4-10: a typed error, and nothing behind it."""

    def before(piece: int) -> None:
        if piece == 2:
            raise BrokenPipeError

    model.script(Streaming([DUE, " It", COSTS[3:]], before=before))

    with client.stream("POST", "/ask/stream", json=QUESTION) as response:
        lines = list(lines_of(response))

    assert [line["type"] for line in lines] == ["text", "error"]
    assert lines[1]["code"] == "PROVIDER_UNAVAILABLE"
    assert lines[1]["request_id"] == response.headers["x-request-id"]
    assert lines[1]["guidance"]


def test_a_model_that_fails_at_once_leaves_the_documents_own_sentence(
    client: httpx.Client, model: FakeOpenAIServer
) -> None:
    model.script(failing(400))

    lines = list(lines_of(client.post("/ask/stream", json=QUESTION)))

    assert [line["type"] for line in lines] == ["text", "sources", "done"]
    assert lines[-1]["degraded"] == ["generation"]


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"collection": "elsewhere"}, 404, "COLLECTION_NOT_FOUND"),
        ({"surprise": 1}, 400, "INVALID_REQUEST"),
        ({"question": 5}, 400, "INVALID_REQUEST"),
    ],
)
def test_what_fails_before_the_first_line_has_a_status(
    client: httpx.Client, changes: dict[str, Any], status: int, code: str
) -> None:
    response = client.post("/ask/stream", json=QUESTION | changes)

    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["request_id"] == response.headers["x-request-id"]


def test_a_stream_needs_a_token_and_takes_the_tenant_from_nowhere_else(
    stage: Stage, client: httpx.Client, reader: Tenant
) -> None:
    """P-02: a header of the client's own that says who calls is replaced."""
    forged = json.dumps({"authorizer": {"tenant_id": str(reader.tenant_id), "scopes": "x"}})
    other = {
        "Authorization": f"Bearer {stage.token(uuid4())}",
        "x-amzn-request-context": forged,
    }

    assert httpx.post(f"{stage.url}/ask/stream", json=QUESTION, timeout=PATIENCE).status_code == 401
    asked = httpx.post(f"{stage.url}/ask/stream", json=QUESTION, headers=other, timeout=PATIENCE)
    assert "third day" not in asked.text
    del client


def test_a_refusal_is_a_text_and_says_why(client: httpx.Client) -> None:
    """S4-10, S2-16."""
    lines = list(lines_of(client.post("/ask/stream", json=QUESTION | {"question": " "})))

    assert [line["type"] for line in lines] == ["text", "sources", "done"]
    assert lines[0]["text"] == "I don't have enough information."
    assert lines[2]["abstained"]["reason"] == "EMPTY_QUERY"
    assert lines[1]["citations"] == lines[1]["sources"] == []


def test_a_question_may_come_in_chunks(client: httpx.Client) -> None:
    """As of clients that write a body whose length they do not know yet."""
    parts = iter([b'{"question": ', b'" "}'])

    response = client.post(
        "/ask/stream", content=parts, headers={"Content-Type": "application/json"}
    )

    assert response.request.headers["transfer-encoding"] == "chunked"
    assert (response.status_code, response.headers["content-type"]) == (200, NDJSON)


def test_a_chat_ends_with_file_and_page(client: httpx.Client, model: FakeOpenAIServer) -> None:
    """S2-01, S2-10, S2-11; S2-12: what the provider was sent."""
    model.script(_saying(f"{DUE}{COSTS}"))

    answer = client.post("/chat", json={"question": QUESTION["question"], "debug": True}).json()

    assert answer["answer"].endswith("\n\nReferences\n[1] lease.txt, p. 1")
    assert [reference["n"] for reference in answer["references"]] == [1]
    assert [item["rank"] for item in answer["retrieved"]] == [1]
    assert [item["rank"] for item in answer["reranked"]] == [1]
    assert answer["moved"] == []
    assert model.requests[-1].body["temperature"] == 0.2
    assert model.requests[-1].body["max_tokens"] == 1024
    assert model.requests[-1].body["model"] == "gpt-4o-mini"  # of CHAT_MODEL


def test_a_chat_without_debug_shows_no_lists(client: httpx.Client) -> None:
    """S2-11, S2-16."""
    answer = client.post("/chat", json={"question": ""}).json()

    assert answer["answer"] == "I don't have enough information."
    assert answer["retrieved"] is answer["reranked"] is None
    assert answer["references"] == []


def _saying(text: str) -> Any:
    return changed(lambda reply: reply["choices"][0]["message"].update(content=text))
