"""Where a page stands in the index, and the exact place it would take, whoever asks."""

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.model.page_status import PageQuery, PageStatus
from pulsedocs.model.retrieval import CandidateQuery, Leg
from pulsedocs.questions.ports import RetrievalStore
from tests.contract.lambda_endpoint import lambda_store
from tests.integration.retrieval.asking import query_of

MODEL = "memory:small@3"
EAST, NORTH = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


@pytest.fixture
def shelf(library: Library) -> Shelf:
    return library.shelf(MODEL)


@pytest.fixture(params=["postgres", "lambda"])
def asked(
    request: pytest.FixtureRequest,
    database_as: Callable[[str], Database],
    monkeypatch: pytest.MonkeyPatch,
) -> Generator[RetrievalStore]:
    at_hand = PostgresRetrievalStore(database_as("query"))
    if request.param == "postgres":
        yield at_hand
        return
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of-a-test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-a-test")
    with lambda_store(at_hand) as (client, _endpoint):
        yield client


def read_page(library: Library, shelf: Shelf, document_id: UUID, page: int, **row: Any) -> None:
    values: dict[str, Any] = {"outcome": "TEXT", "code": None, "text": "words"} | row
    library.connection.execute(
        "INSERT INTO document_page (tenant_id, document_id, version, page_number, outcome,"
        " failure_code, parser, raw_text) VALUES (%s, %s, 1, %s, %s, %s, 'p', %s)",
        (
            *(shelf.tenant_id, document_id, page),
            *(values["outcome"], values["code"], values["text"]),
        ),
    )
    library.connection.commit()


def status(
    store: RetrievalStore,
    shelf: Shelf,
    document_id: UUID,
    page: int,
    query: CandidateQuery | None = None,
) -> PageStatus | None:
    return store.page_status(PageQuery(shelf.tenant_id, document_id, page, MODEL, query))


def test_a_page_is_counted_with_its_chunks_and_vectors(
    asked: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    """S0-22: never indexed, indexed, and indexed without a vector are told apart."""
    paper = Paper([Passage("a", EAST, page=1), Passage("b", EAST, page=2), Passage("c", page=2)])
    library.add(shelf, paper)
    read_page(library, shelf, paper.document_id, 2)
    read_page(library, shelf, paper.document_id, 3, outcome="FAILED", code="TIMED_OUT", text="")

    found = status(asked, shelf, paper.document_id, 2)
    unread = status(asked, shelf, paper.document_id, 3)

    assert found is not None
    assert (found.collection, found.pages_total, found.page_outcome) == ("default", 2, "TEXT")
    assert (found.chunks, found.embedded) == (2, 1)
    assert (found.in_scope, found.ranks) == (None, {})
    assert unread is not None
    assert (unread.page_outcome, unread.page_failure, unread.chunks) == ("FAILED", "TIMED_OUT", 0)


def test_a_document_that_is_not_published_says_so(
    asked: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    paper = Paper([Passage("a", EAST)], is_published=False, state="CHUNKED")
    library.add(shelf, paper)

    found = status(asked, shelf, paper.document_id, 1, query_of(shelf, "a", vector=EAST))

    assert found is not None
    assert (found.published_at, found.state, found.ranks) == (None, "CHUNKED", {})


def test_anothers_document_is_one_that_is_not_there(
    asked: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    """I10: byte-equal to an unknown id."""
    theirs = Paper([Passage("a", EAST)])
    library.add(library.shelf(MODEL), theirs)

    assert status(asked, shelf, theirs.document_id, 1) is None
    assert status(asked, shelf, uuid4(), 1) is None


def test_the_rank_is_exact_in_each_leg_and_beyond_what_was_read(
    asked: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    """S0-22: not recalled, with the place it would have taken."""
    nearer = [(1.0, n / 1000, 0.0) for n in range(30)]
    library.add(shelf, Paper([Passage("rent rent", vector) for vector in nearer]))
    paper = Paper([Passage("rent and many other words that dilute it", NORTH, page=4)])
    library.add(shelf, paper)
    query = query_of(shelf, "rent", vector=EAST, limit=5)

    found = status(asked, shelf, paper.document_id, 4, query)

    assert found is not None
    assert found.in_scope is True
    assert {leg: hit.rank for leg, hit in found.ranks.items()} == {
        Leg.VECTOR: 31,
        Leg.KEYWORD: 31,
    }
    assert found.ranks[Leg.VECTOR].score == pytest.approx(0.0, abs=1e-3)


def test_a_rank_equals_the_legs_own_where_the_legs_reach(
    asked: RetrievalStore, library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    paper = Paper([Passage(f"word {n}", (1.0, n / 10, 0.0), page=n) for n in range(1, 8)])
    library.add(shelf, paper)
    query = query_of(shelf, "word 5", vector=(1.0, 0.45, 0.0))
    in_legs = {candidate.pages[0]: candidate.legs for candidate in store.search(query).candidates}

    for page in range(1, 8):
        found = status(asked, shelf, paper.document_id, page, query)
        assert found is not None
        assert {leg: hit.rank for leg, hit in found.ranks.items()} == {
            leg: hit.rank for leg, hit in in_legs[page].items()
        }


def test_a_leg_that_cannot_find_the_page_and_one_that_is_off_have_no_rank(
    asked: RetrievalStore, library: Library, shelf: Shelf
) -> None:
    paper = Paper([Passage("a", EAST)])
    library.add(shelf, paper)
    query = replace(query_of(shelf, "absent", vector=EAST), vector_candidates=0)

    found = status(asked, shelf, paper.document_id, 1, query)

    assert found is not None
    assert found.ranks == {}


@pytest.mark.parametrize("scope", [{"filters": {"kind": "report"}}, {"collections": ("other",)}])
def test_a_document_outside_the_scope_is_said_so(
    asked: RetrievalStore, library: Library, shelf: Shelf, scope: dict[str, Any]
) -> None:
    library.shelf(MODEL, tenant_id=shelf.tenant_id, collection="other")
    paper = Paper([Passage("a", EAST)], metadata={"kind": "letter"})
    library.add(shelf, paper)

    found = status(asked, shelf, paper.document_id, 1, query_of(shelf, "a", **scope))

    assert found is not None
    assert (found.in_scope, found.ranks) == (False, {})
