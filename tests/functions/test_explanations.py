"""The routes that explain an answer, as clients see them."""

import json
from typing import Any
from uuid import UUID

import pytest

from pulsedocs.bootstrap import buckets
from pulsedocs.model.object_keys import trace_key
from tests.functions import test_query
from tests.functions.test_query import call
from tests.unit.questions.shelf import TENANT, Shelf
from tests.unit.retrieval.test_explanation import STATUS

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


def test_who_asks_for_german_is_told_why_in_german(trace: str) -> None:
    lost = {"document_id": str(_HANDBOOK), "page": "1"}
    of_nothing = {"document_id": str(UUID(int=99)), "page": 1, "question": _QUESTION}

    _, told = call("GET", f"{trace}/why", parameters=lost, language="de")
    _, ranked = call("POST", f"{trace}/why", of_nothing, language="de")

    assert told["detail"].startswith("Platz ")
    assert ranked["detail"].startswith("das Dokument gibt es nicht")


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


def test_ranks_are_of_the_collections_that_were_asked(shelf: Shelf, trace: str) -> None:
    """Failed when they were of "default": its document was "not in the scope asked"."""
    key = trace_key(TENANT, trace.rpartition("/")[2])
    kept = json.loads(buckets.object_store().read(key)) | {"collections": ["other"]}
    buckets.object_store().write(key, json.dumps(kept).encode())
    shelf.page_statuses[_LEASE, 14] = STATUS
    asked = {"document_id": str(_LEASE), "page": 14, "question": _QUESTION}

    for named in ({}, {"collection": "flats"}, {"collections": ["flats", "houses"]}):
        assert call("POST", f"{trace}/why", {**asked, **named})[0] == 200
    both = call("POST", f"{trace}/why", {**asked, "collection": "a", "collections": ["b"]})

    searched = [page.query.scope.collections for page in shelf.asked_pages if page.query]
    assert searched == [("other",), ("flats",), ("flats", "houses")]
    assert both[0] == 400


@pytest.mark.parametrize("empty", ["document_ids", "collections"])
def test_an_empty_list_is_not_everything(shelf: Shelf, trace: str, empty: str) -> None:
    """Failed when documents that nobody may see were all documents: the allow-list was dropped."""
    assert shelf.chunks
    asked = {"document_id": str(_LEASE), "page": 14, "question": _QUESTION}

    assert call("POST", "/ask", {"question": _QUESTION, empty: []})[0] == 400
    assert call("POST", "/search", {"query": _QUESTION, empty: []})[0] == 400
    assert call("POST", f"{trace}/why", {**asked, empty: []})[0] == 400


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
