"""Evaluations as clients see them: accepted, run apart, and nobody else's."""

import json
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from functions.evaluate import handler as evaluate
from pulsedocs.bootstrap import buckets
from pulsedocs.errors import DatabaseWarming
from pulsedocs.questions import evaluations
from pulsedocs.questions.evaluate_profiles import evaluate_profile
from tests.functions.test_query import call, shelf  # noqa: F401 # pyright: ignore[reportUnusedImport] -- a fixture
from tests.sample_events import sample
from tests.unit.questions.shelf import TENANT, Shelf

_BODY = {
    "collection": "default",
    "questions": [
        {
            "question": "When is the rent due?",
            "expected": [{"source": "file-1.pdf", "quote": "The rent is due"}],
        },
        {"question": "Which dragon guards the vault of Atlantis?", "answerable": False},
    ],
    "profiles": ["default", "fast"],
}


def run(evaluation_id: str, *, tenant: UUID = TENANT) -> Any:
    event = sample("evaluate")
    event["detail"]["object"]["key"] = f"control/evaluate/{tenant}/{evaluation_id}"
    context: Any = SimpleNamespace(function_name="evaluate", aws_request_id="request-1")
    return evaluate.handler(event, context)


def objects() -> Any:
    return buckets.object_store()


def start() -> str:
    status, body = call("POST", "/evaluations", _BODY)
    assert status == 202, body
    return body["evaluation_id"]


@pytest.mark.usefixtures("shelf")
def test_an_evaluation_is_accepted_run_and_read() -> None:
    """S0-38: recall@k, MRR, nDCG and abstention, by profile and stage."""
    evaluation_id = start()
    _, before = call("GET", f"/evaluations/{evaluation_id}")

    assert before["state"] == "QUEUED"
    assert run(evaluation_id) == {"state": "DONE", "was_run": True}

    _, after = call("GET", f"/evaluations/{evaluation_id}")
    assert (after["state"], after["complete"], after["error"]) == ("DONE", True, None)
    assert len(after["corpus"]) == 64
    found = after["profiles"]["default"]
    assert {"recall@5", "mrr@10", "ndcg@10"} <= set(found["stages"]["reranked"])
    assert found["stages"]["fused"]["recall@10"]["mean"] == 1
    assert found["abstention"]["recall"] == 1
    assert after["profiles"]["fast"]["abstention"]["recall"] == 0


@pytest.mark.usefixtures("shelf")
def test_what_was_asked_is_removed_and_a_second_event_changes_nothing() -> None:
    evaluation_id = start()
    run(evaluation_id)
    _, first = call("GET", f"/evaluations/{evaluation_id}")

    assert run(evaluation_id) == {"state": "DONE", "was_run": False}
    assert call("GET", f"/evaluations/{evaluation_id}")[1] == first
    assert not objects().exists(f"staging/{TENANT}/evaluation-{evaluation_id}.json")
    assert "rent" not in json.dumps(first)


@pytest.mark.usefixtures("shelf")
def test_an_evaluation_whose_questions_went_with_a_document_has_failed() -> None:
    """It was QUEUED for as long as it was kept."""
    evaluation_id = start()
    objects().remove(f"staging/{TENANT}/evaluation-{evaluation_id}.json")

    assert run(evaluation_id) == {"state": "FAILED", "was_run": False}

    found = call("GET", f"/evaluations/{evaluation_id}")[1]
    assert (found["state"], found["error"]["code"]) == ("FAILED", "DOCUMENT_NOT_FOUND")


@pytest.mark.usefixtures("shelf")
def test_another_tenants_evaluation_does_not_exist() -> None:
    evaluation_id = start()
    path, other = f"/evaluations/{evaluation_id}", str(UUID(int=5))

    foreign, unknown = call("GET", path, tenant=other), call("GET", f"/evaluations/{other}")

    assert foreign[0] == unknown[0] == 404
    assert foreign[1]["code"] == unknown[1]["code"] == "EVALUATION_NOT_FOUND"


def test_a_passing_failure_leaves_the_questions_for_the_next_try(shelf: Shelf) -> None:  # noqa: F811 -- the fixture
    evaluation_id = start()
    shelf.failing["search"] = DatabaseWarming("waking up")

    with pytest.raises(DatabaseWarming):
        run(evaluation_id)
    kept = call("GET", f"/evaluations/{evaluation_id}")[1]
    # Failed when it was FAILED, which a client takes for the end.
    assert (kept["state"], kept["error"]["code"]) == ("RUNNING", "WARMING")

    shelf.failing.clear()
    assert run(evaluation_id)["state"] == "DONE"
    assert call("GET", f"/evaluations/{evaluation_id}")[1]["error"] is None


@pytest.mark.usefixtures("shelf")
def test_a_profile_without_time_leaves_what_is_known_of_the_corpus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Failed when the last profile, of which nothing was asked, overwrote it with null."""

    def in_time(profile: str, *asked: Any, **means: Any) -> Any:
        return [] if profile == "fast" else evaluate_profile(profile, *asked, **means)

    monkeypatch.setattr(evaluations, "evaluate_profile", in_time)
    evaluation_id = start()

    run(evaluation_id)

    found = call("GET", f"/evaluations/{evaluation_id}")[1]
    assert (found["complete"], found["profiles"]["fast"]) == (False, None)
    assert found["corpus"]


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"questions": []}, 400),
        ({"profiles": ["no-such"]}, 404),
        ({"collection": "no-such"}, 404),
        ({"questions": [{"question": "a", "answerable": True}]}, 400),
        ({"questions": [{"question": "a", "expected": [{"page": 1}]}]}, 400),
        ({"tenant_id": str(TENANT)}, 400),
    ],
)
def test_what_cannot_be_evaluated_is_refused_at_once(changes: dict[str, Any], status: int) -> None:
    assert call("POST", "/evaluations", _BODY | changes)[0] == status
