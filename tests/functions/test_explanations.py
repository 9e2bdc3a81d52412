"""The routes that explain an answer, as clients see them."""

from typing import Any
from uuid import UUID

import pytest

from tests.functions import test_query
from tests.functions.test_query import call
from tests.unit.questions.shelf import Shelf

shelf = test_query.shelf
_QUESTION = "When is the rent due?"
_LEASE, _HANDBOOK = UUID(int=1), UUID(int=2)


@pytest.fixture
def trace(shelf: Shelf) -> str:
    assert shelf.chunks
    _, found = call("POST", "/search", {"query": _QUESTION})
    return f"/traces/{found['trace_id']}"


def why(trace: str, **parameters: str) -> tuple[int, dict[str, Any]]:
    return call("GET", f"{trace}/why", parameters=parameters)


def test_a_lost_page_has_its_stage_and_numbers(trace: str) -> None:
    """S0-22."""
    status, body = why(trace, document_id=str(_HANDBOOK), page="1")

    assert status == 200
    assert (body["stage"], body["from_trace"]) == ("gated", True)
    assert body["detail"].startswith("ranked ")
    assert body["numbers"]["gate"] == 0.3


def test_an_unknown_document_was_never_indexed(trace: str) -> None:
    status, body = why(trace, document_id=str(UUID(int=99)), page="1")

    assert (status, body["stage"], body["from_trace"]) == (200, "never_indexed", False)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"document_id": "x", "page": "1"}, {"document_id": str(_LEASE), "page": "0"}],
)
def test_a_wrong_page_is_a_bad_request(trace: str, parameters: dict[str, str]) -> None:
    assert why(trace, **parameters)[0] == 400


def test_ranks_are_for_whoever_knows_the_question(trace: str) -> None:
    asked = {"document_id": str(UUID(int=99)), "page": 1}

    assert call("POST", f"{trace}/why", {**asked, "question": _QUESTION})[0] == 200
    status, body = call("POST", f"{trace}/why", {**asked, "question": "Another?"})
    assert (status, body["code"]) == (400, "INVALID_REQUEST")


def test_another_policy_shows_what_it_would_have_done(trace: str) -> None:
    """S0-22."""
    status, body = call("POST", f"{trace}/what-if", {"values": {"gate": 0.0}})

    assert status == 200
    assert len(body["added"]) == len(body["changes"]) > 0
    assert body["profile"]["gate"] == 0.0
    assert body["cannot_say"] == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"values": {"gate": 7}}, 400),
        ({"values": {"nonsense": 1}}, 400),
        ({"profile": "nobodys"}, 404),
        ({"top_k": 0}, 400),
        ({"unknown": 1}, 400),
    ],
)
def test_a_policy_that_is_none_is_refused(trace: str, body: dict[str, Any], status: int) -> None:
    assert call("POST", f"{trace}/what-if", body)[0] == status


def test_another_tenant_gets_the_answer_for_an_unknown_trace(trace: str) -> None:
    other = str(UUID(int=5))
    status, body = call("POST", f"{trace}/what-if", {}, tenant=other)

    assert (status, body["code"]) == (404, "TRACE_NOT_FOUND")
