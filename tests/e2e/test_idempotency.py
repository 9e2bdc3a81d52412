"""One Idempotency-Key is one request: asked again it costs nothing, and says the same."""

import json
import time
from collections.abc import Callable
from typing import Any, Final
from uuid import uuid4

import httpx
import pytest

from local.stage import Stage
from tests.e2e.tenant import CONTRACT, Tenant

TEXT: Final = b"The orchard of the priory has nineteen old pear trees. Bees fly from April on."
QUESTION: Final = "How many pear trees has the orchard?"
_PATIENCE_SECONDS: Final = 60.0

QUESTIONS: Final[dict[str, dict[str, Any]]] = {
    "/ask": {"question": QUESTION},
    "/chat": {"question": QUESTION},
    "/search": {"query": QUESTION},
}
COMPLETION: Final = {
    "model": "pulsedocs",
    "messages": [{"role": "user", "content": QUESTION}],
}


@pytest.fixture
def reader(tenant: Tenant) -> Tenant:
    assert tenant.ingest(TEXT, filename="orchard.txt")["outcome"] == "PUBLISHED"
    return tenant


def asked(tenant: Tenant, path: str, body: object, key: str) -> Any:
    response = tenant.send("POST", path, body, headers={"Idempotency-Key": key})
    assert response.is_success, response.text
    return response.json()


def turns(tenant: Tenant, conversation: str) -> list[Any]:
    response = tenant.send("GET", f"/conversations/{conversation}")
    return response.json()["turns"] if response.is_success else []


def test_every_post_and_delete_of_the_contract_takes_a_key() -> None:
    """T-35. Failed when /ask, /search, /chat, /ask/stream, /evaluations and five more took none."""
    paths = json.loads(CONTRACT.read_text("utf-8"))["paths"]

    without = [
        f"{method} {path}"
        for path, operations in paths.items()
        for method, operation in operations.items()
        if method in {"post", "delete"}
        and "idempotency-key" not in {one["name"].lower() for one in operation["parameters"]}
    ]

    assert without == []


@pytest.mark.parametrize("path", ["/ask", "/chat"])
def test_a_question_with_a_key_is_one_turn(reader: Tenant, path: str) -> None:
    """T-35. Failed when the key was ignored: two turns, two traces."""
    conversation = str(uuid4())
    body = QUESTIONS[path] | {"conversation_id": conversation}

    first = asked(reader, path, body, "turn-1")
    again = asked(reader, path, body, "turn-1")
    asked(reader, path, body, "turn-2")

    assert first == again
    assert "nineteen" in first["answer"]
    wait_until(lambda: len(turns(reader, conversation)) == 2)
    kept = [turn["trace_id"] for turn in turns(reader, conversation)]
    assert kept.count(first["trace_id"]) == 1


def test_a_streamed_question_with_a_key_says_the_same_lines(reader: Tenant) -> None:
    body = QUESTIONS["/ask"] | {"conversation_id": str(uuid4())}
    key = {"Idempotency-Key": "stream-1"}

    first = reader.send("POST", "/ask/stream", body, headers=key)
    again = reader.send("POST", "/ask/stream", body, headers=key)

    lines = [json.loads(line) for line in first.text.splitlines()]
    assert [json.loads(line) for line in again.text.splitlines()] == lines
    assert lines[-1]["trace_id"]


def chunks_of(response: httpx.Response) -> list[Any]:
    *events, done, _ = response.text.split("\n\n")
    assert done == "data: [DONE]"
    return [json.loads(event.removeprefix("data: ")) for event in events]


def test_a_completion_with_a_key_is_the_same_until_its_document_is_deleted(reader: Tenant) -> None:
    [document] = reader.get("/documents")["documents"]
    path = "/v1/chat/completions"
    streamed = COMPLETION | {"stream": True}
    key = {"Idempotency-Key": "chunks"}

    whole = [asked(reader, path, COMPLETION, "whole") for _ in range(2)]
    chunks = [chunks_of(reader.send("POST", path, streamed, headers=key)) for _ in range(2)]
    other = reader.send("POST", path, COMPLETION, headers=key)
    reader.send("DELETE", f"/documents/{document['document_id']}")

    assert whole[0] == whole[1]
    assert "nineteen" in whole[0]["choices"][0]["message"]["content"]
    assert chunks[0] == chunks[1]
    assert "nineteen" in json.dumps(chunks[0])
    assert (other.status_code, other.json()["error"]["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert "nineteen" not in json.dumps(asked(reader, path, COMPLETION, "whole"))
    assert "nineteen" not in reader.send("POST", path, streamed, headers=key).text


@pytest.mark.parametrize("path", QUESTIONS)
def test_another_question_with_the_key_is_refused(
    reader: Tenant, new_tenant: Callable[..., Tenant], path: str
) -> None:
    body, key = QUESTIONS[path], {"Idempotency-Key": "same"}
    first = asked(reader, path, body, "same")

    other = reader.send("POST", path, body | {"top_k": 3}, headers=key)
    stranger = new_tenant().send("POST", path, body, headers=key)

    assert (other.status_code, other.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert stranger.json()["code"] == "COLLECTION_NOT_FOUND"
    assert asked(reader, path, body, "same") == first


def test_a_key_is_one_persons(stage: Stage, reader: Tenant) -> None:
    """Failed when a key was the tenant's: who sent the same was given another's conversation."""
    body = QUESTIONS["/ask"] | {"conversation_id": str(uuid4())}
    key = {"Idempotency-Key": "same"}
    token = stage.token(reader.tenant_id, subject="somebody-else")

    with Tenant(stage.url, token, tenant_id=reader.tenant_id) as other:
        for path in ("/ask", "/chat", "/ask/stream"):
            assert reader.send("POST", path, body, headers=key).is_success
            refused = other.send("POST", path, body, headers=key)
            assert refused.json()["code"] == "CONVERSATION_TAKEN"


def test_a_question_that_failed_may_be_asked_again_with_its_key(tenant: Tenant) -> None:
    body, key = QUESTIONS["/ask"], {"Idempotency-Key": "early"}
    early = tenant.send("POST", "/ask", body, headers=key)
    tenant.ingest(TEXT)

    late = asked(tenant, "/ask", body, "early")

    assert early.json()["code"] == "COLLECTION_NOT_FOUND"
    assert "nineteen" in late["answer"]


def test_what_is_remembered_ends_with_its_document(reader: Tenant) -> None:
    """T-35, I8. Failed when the answer's own documents were not looked at: its words came again."""
    [document] = reader.get("/documents")["documents"]
    for path, body in QUESTIONS.items():
        assert "nineteen" in json.dumps(asked(reader, path, body, path))

    receipt = reader.send("DELETE", f"/documents/{document['document_id']}").json()["receipt_id"]

    for path, body in QUESTIONS.items():
        assert "nineteen" not in json.dumps(asked(reader, path, body, path))
    wait_until(lambda: reader.get(f"/deletions/{receipt}")["completed_at"] is not None)
    assert reader.get(f"/deletions/{receipt}")["verification"]["left"] == 0


@pytest.mark.parametrize("own", ["A-1, A-2", None, ["A-1"]])
def test_documents_that_metadata_names_are_the_tenants_own(tenant: Tenant, own: object) -> None:
    """Failed when a number of the tenant's was read as an id of a document: 500, each time."""
    metadata = {"document_id": "INV-1", "document_ids": own, "user_id": "al"}
    tenant.ingest(TEXT, filename="orchard.txt", metadata=metadata)

    found = [asked(tenant, "/search", QUESTIONS["/search"], "own") for _ in range(2)]

    assert found[0] == found[1]
    assert found[0]["chunks"][0]["metadata"]["document_id"] == "INV-1"


def test_an_evaluation_with_a_key_is_one_evaluation(reader: Tenant) -> None:
    """Failed when the key was ignored: two evaluations."""
    expected = [{"source": "orchard.txt", "quote": "nineteen old pear trees"}]
    body = {"questions": [{"question": QUESTION, "expected": expected}], "profiles": ["default"]}

    accepted = [asked(reader, "/evaluations", body, "evaluation-1") for _ in range(2)]
    other = asked(reader, "/evaluations", body, "evaluation-2")

    assert accepted[0] == accepted[1] != other


def test_a_backfill_of_one_collection_leaves_the_others_alone(reader: Tenant) -> None:
    """Failed when `?collection=` was ignored: the chunks of every collection were embedded."""
    reader.ingest(b"A kiln dries the malt for two days.", filename="malt.txt", collection="brewery")
    model = "memory:hashing@64"
    reader.post("/models", {"model": model})
    wait_until(lambda: state_of(reader, model) == "READY")

    started = reader.send("POST", f"/models/{model}/backfill", params={"collection": "brewery"})

    assert started.json()["collection"] == "brewery"
    wait_until(
        lambda: reader.get(f"/models/{model}/coverage", collection="brewery")["missing"] == 0
    )
    others = reader.get(f"/models/{model}/coverage", collection="default")
    assert (others["embedded"], others["missing"]) == (0, others["chunks"])
    assert others["chunks"] > 0
    two = reader.send(
        "POST",
        f"/models/{model}/backfill",
        {"collection": "default"},
        params={"collection": "brewery"},
    )
    nowhere = reader.send("POST", f"/models/{model}/backfill", params={"collection": "cellar"})
    assert (two.status_code, nowhere.status_code) == (400, 404)


def state_of(tenant: Tenant, model: str) -> str:
    return next(one["state"] for one in tenant.get("/models")["models"] if one["model"] == model)


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)
