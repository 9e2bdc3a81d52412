"""A model's vectors get their index when there are many, once, and nobody fails meanwhile."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.vector_indexes import PostgresVectorIndexes
from tests.integration.postgres.author import MODEL, Author


def indexes(admin: Connection[Any]) -> list[str]:
    rows = admin.execute("SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%USING hnsw%'")
    return [row[0] for row in rows]


def test_few_vectors_have_no_index(
    author: Author, admin: Connection[Any], database_as: Callable[[str], Database]
) -> None:
    author.ingest()

    assert PostgresVectorIndexes(database_as("sweep")).build_due() == []
    assert indexes(admin) == []


def test_many_vectors_are_indexed_once(
    author: Author, admin: Connection[Any], database_as: Callable[[str], Database]
) -> None:
    """Eight dimensions are 126 bytes: one page of 8 kB counts as 65 vectors."""
    author.ingest()
    due = PostgresVectorIndexes(database_as("sweep"), scanned_vectors=60)

    assert [due.build_due(), due.build_due()] == [[MODEL], []]
    assert len(indexes(admin)) == 1


def test_of_four_that_build_at_once_one_does(
    author: Author, admin: Connection[Any], database_as: Callable[[str], Database]
) -> None:
    author.ingest()
    builders = [PostgresVectorIndexes(database_as("sweep"), scanned_vectors=1) for _ in range(4)]

    with ThreadPoolExecutor(4) as pool:
        built = list(pool.map(PostgresVectorIndexes.build_due, builders))

    assert sorted(built) == [[], [], [], [MODEL]]
    assert len(indexes(admin)) == 1


def test_vectors_written_after_the_build_are_found_through_the_index(
    author: Author, admin: Connection[Any], database_as: Callable[[str], Database]
) -> None:
    author.ingest("first.txt")
    PostgresVectorIndexes(database_as("sweep"), scanned_vectors=1).build_due()
    run = author.ingest("second.txt", ["Another text altogether."])

    admin.execute("SET enable_seqscan = off")
    admin.execute("SET enable_sort = off")
    found = admin.execute(
        "SELECT document_id FROM chunk_embedding"
        " ORDER BY embedding::halfvec(8) <=> (SELECT embedding::halfvec(8) FROM chunk_embedding"
        " WHERE document_id = %s) LIMIT 1",
        [run.document_id],
    ).fetchone()

    assert found == (run.document_id,)


def test_a_writer_that_is_in_the_way_puts_the_build_off(
    author: Author, connect_as: Callable[[str], Connection[Any]], admin: Connection[Any]
) -> None:
    """The build waits two seconds for the lock; a later sweep tries again."""
    run = author.ingest()
    writer, builder = connect_as("admin"), connect_as("sweep")
    writer.execute("DELETE FROM chunk_embedding WHERE document_id = %s", [run.document_id])

    with pytest.raises(psycopg.errors.LockNotAvailable):
        builder.execute("SELECT build_vector_index(%s)", [MODEL])

    assert indexes(admin) == []


@pytest.mark.parametrize("role", ["api", "ingest", "query"])
def test_only_the_sweep_may_build(connect_as: Callable[[str], Connection[Any]], role: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connect_as(role).execute("SELECT build_vector_index(%s)", [MODEL])
