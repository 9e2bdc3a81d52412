"""Legs that travel with the question what the scope is count only while the guess holds."""

from collections.abc import Callable
from typing import Any

import pytest
from psycopg import Connection, sql

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.questions import retrieval
from pulsedocs.adapters.postgres.questions.legs import LegStatement, run_legs
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.errors import CollectionNotFoundError, VectorDBError
from pulsedocs.model.retrieval import Leg
from tests.integration.retrieval.asking import query_of, texts

MODEL = "memory:small@3"
EAST, NORTH = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


@pytest.fixture
def shelf(library: Library, store: PostgresRetrievalStore) -> Shelf:
    """Make a collection with one passage, and search it once."""
    shelf = library.shelf(MODEL)
    library.add(shelf, Paper([Passage("one word", EAST)]))
    assert texts(store.search(query_of(shelf, "word", vector=EAST))) == ["one word"]
    return shelf


def run(library: Library, statement: str) -> None:
    library.connection.execute(statement.encode())
    library.connection.commit()


def test_what_was_added_meanwhile_is_found(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    library.add(shelf, Paper([Passage("another word", NORTH)]))

    found = store.search(query_of(shelf, "word", vector=EAST))

    assert sorted(texts(found)) == ["another word", "one word"]
    assert found.corpus["chunks"] == 2


def test_a_name_that_another_collection_has_now_is_searched_there(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    run(library, "UPDATE collection SET name = 'old'")
    other = library.shelf(MODEL, tenant_id=shelf.tenant_id)
    library.add(other, Paper([Passage("a different word", NORTH)]))

    found = store.search(query_of(shelf, "word", vector=EAST))

    assert texts(found, Leg.KEYWORD) == texts(found, Leg.VECTOR) == ["a different word"]


def test_a_collection_that_is_gone_is_named_though_the_legs_were_sent(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    run(library, "UPDATE collection SET name = 'old'")

    with pytest.raises(CollectionNotFoundError, match="'default'"):
        store.search(query_of(shelf, "word", vector=EAST))


def test_an_index_made_meanwhile_is_used(
    library: Library,
    store: PostgresRetrievalStore,
    shelf: Shelf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retrieval, "_MOST_SCANNED_CHUNKS", 0)
    assert store.search(query_of(shelf, vector=EAST, limit=1)).vector_path == "exact"
    library.build_index(MODEL)

    assert store.search(query_of(shelf, vector=EAST, limit=1)).vector_path == "hnsw"


def test_a_guess_is_of_one_tenant(library: Library, store: PostgresRetrievalStore) -> None:
    """S3-25: the same names of two tenants are two scopes."""
    first, second = library.shelf(MODEL), library.shelf(MODEL)
    library.add(first, Paper([Passage("first word", EAST)]))
    library.add(second, Paper([Passage("second word", EAST)]))

    for _ in range(2):
        assert texts(store.search(query_of(first, "word", vector=EAST))) == ["first word"]
        assert texts(store.search(query_of(second, "word", vector=EAST))) == ["second word"]


def test_a_leg_that_fails_beside_the_guess_leaves_the_other(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """S3-21: also when it travelled with the question what the scope is."""
    asked = query_of(shelf, "word", vector=EAST)
    run(library, "REVOKE SELECT ON posting FROM pulsedocs_query")

    found = store.search(asked)

    assert (texts(found), found.degraded) == (["one word"], ("keyword_leg",))
    run(library, "GRANT SELECT ON posting TO pulsedocs_query")
    assert store.search(asked).degraded == ()


def test_no_leg_left_beside_the_guess_is_a_typed_error(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """S3-21: VectorDBError when neither leg answers."""
    run(library, "REVOKE SELECT ON document_chunk FROM pulsedocs_query")

    with pytest.raises(VectorDBError):
        store.search(query_of(shelf, "word", vector=EAST))


def test_a_vector_of_another_width_leaves_the_words_beside_the_guess(
    store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """S3-21: the first of the legs fails, and the second is sent again."""
    found = store.search(query_of(shelf, "word", vector=(1.0, 0.0)))

    assert (texts(found), found.degraded) == (["one word"], ("vector_leg",))


def test_a_scope_that_cannot_be_read_is_an_error_of_no_leg(
    library: Library, store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    run(library, "REVOKE SELECT ON shelf_size FROM pulsedocs_query")

    with pytest.raises(VectorDBError):
        store.search(query_of(shelf, vector=EAST))


@pytest.mark.parametrize("slow", [0, 1, 2])
def test_a_leg_that_runs_into_the_time_limit_poisons_no_other(
    database_as: Callable[[str], Database], shelf: Shelf, slow: int
) -> None:
    """S3-21: whichever it is, the others answer in the same transaction."""
    legs = [Leg.VECTOR, Leg.HYDE, Leg.KEYWORD]
    quick, endless = sql.SQL("SELECT WHERE false").format(), sql.SQL("SELECT pg_sleep(30)").format()
    statements = [
        LegStatement(leg, endless if number == slow else quick, {}, is_kept=leg is Leg.KEYWORD)
        for number, leg in enumerate(legs)
    ]

    def work(connection: Connection[Any]) -> list[bool]:
        connection.execute("SET LOCAL statement_timeout = '50ms'")
        answers = run_legs(connection, statements)
        assert [answer.leg for answer in answers] == legs
        return [answer.error is None for answer in answers]

    answered = database_as("query").run(shelf.tenant_id, work, pipelined=True)

    assert answered == [number != slow for number in range(3)]
