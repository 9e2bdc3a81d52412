"""A model's vectors get their index when there are many, once, and nobody waits meanwhile."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.embedding_models.models import PostgresModelStore
from pulsedocs.adapters.postgres.upkeep.vector_indexes import PostgresVectorIndexes
from pulsedocs.errors import Conflict
from pulsedocs.model.sweeps import IndexBuild
from tests.integration.postgres.author import MODEL, Author
from tests.patience import eventually

BUILD_SECONDS = 120.0
Builder = Callable[..., PostgresVectorIndexes]


@pytest.fixture
def builder(role_url: Callable[[str], str]) -> Builder:
    """Give what the sweep builds with; one vector is enough."""

    def build(vectors: int = 1) -> PostgresVectorIndexes:
        return PostgresVectorIndexes(role_url("sweep"), scanned_vectors=vectors)

    return build


def indexes(admin: Connection[Any]) -> list[bool]:
    """Say of each HNSW index whether it is valid."""
    rows = admin.execute(
        "SELECT indisvalid FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relname ~ 'hnsw'"
    )
    return [row[0] for row in rows]


def test_a_stage_has_a_hundred_models_whatever_its_tenants_register(
    author: Author, admin: Connection[Any], database_as: Callable[[str], Database]
) -> None:
    """Each is a partition that statements over all vectors plan and lock."""
    author.ingest()
    admin.execute(
        "INSERT INTO pulsedocs.stage_model (model, dimensions)"
        " SELECT 'memory:another' || number || '@8', 8 FROM generate_series(1, 99) AS number"
    )
    store = PostgresModelStore(database_as("api"))

    with pytest.raises(Conflict, match="100 models"):
        store.register(uuid4(), "memory:onemore@8", actor="somebody")

    registered, _ = store.register(uuid4(), MODEL, actor="somebody")
    assert registered.model == MODEL


def done(builds: Iterable[IndexBuild]) -> list[str]:
    return [build.model for build in builds if build.is_done]


def test_few_vectors_have_no_index(
    author: Author, admin: Connection[Any], role_url: Callable[[str], str]
) -> None:
    author.ingest()

    assert PostgresVectorIndexes(role_url("sweep")).build_due(seconds=BUILD_SECONDS) == []
    assert indexes(admin) == []


def test_many_vectors_are_indexed_once(
    author: Author, admin: Connection[Any], builder: Builder
) -> None:
    """Eight dimensions are 126 bytes: one page of 8 kB counts as 65 vectors."""
    author.ingest()
    due = builder(60)

    assert done(due.build_due(seconds=BUILD_SECONDS)) == [MODEL]
    assert due.build_due(seconds=BUILD_SECONDS) == []
    assert indexes(admin) == [True]


def test_a_graph_beyond_its_memory_is_told_before_it_is_built(
    author: Author, admin: Connection[Any], builder: Builder
) -> None:
    """An operator gives the database more for that time, or knows why it takes long."""
    author.ingest()
    admin.execute("SET session_replication_role = replica")
    # 400,000 rows of 108 bytes, which leave their blocks behind: the build itself takes no time.
    admin.execute(
        "INSERT INTO chunk_embedding"
        " SELECT tenant_id, document_id, version, gen_random_uuid(), model_id, embedding"
        " FROM (SELECT * FROM chunk_embedding LIMIT 1) AS first, generate_series(1, 400000)"
    )
    admin.execute("DELETE FROM chunk_embedding WHERE ctid > '(1,0)'")
    admin.commit()

    [build] = builder().build_due(seconds=BUILD_SECONDS)

    # A quarter of 128 MB of buffers is less than the least that a build gets.
    assert (build.memory_megabytes, build.is_done) == (64, True)
    assert build.graph_megabytes > build.memory_megabytes


def test_of_four_that_build_at_once_one_does(
    author: Author, admin: Connection[Any], builder: Builder
) -> None:
    author.ingest()

    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(builder().build_due, seconds=BUILD_SECONDS) for _ in range(4)]
        built = [done(each.result()) for each in waiting]

    assert sorted(built) == [[], [], [], [MODEL]]
    assert indexes(admin) == [True]


def test_vectors_written_after_the_build_are_found_through_the_index(
    author: Author, admin: Connection[Any], builder: Builder
) -> None:
    author.ingest("first.txt")
    builder().build_due(seconds=BUILD_SECONDS)
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


def test_a_build_keeps_nobody_from_writing_and_outlasts_its_caller(
    author: Author, connect_as: Callable[[str], Connection[Any]], builder: Builder
) -> None:
    """T-07: it waits for who wrote before it; others write at once, and it ends by itself."""
    author.ingest("first.txt")
    earlier, admin = connect_as("admin"), connect_as("admin")
    admin.autocommit = True
    earlier.execute("DELETE FROM chunk_embedding")  # open: the build has to wait for it

    left = builder().build_due(seconds=0.0)
    admin.execute("SET lock_timeout = '1s'")
    assert eventually(lambda: indexes(admin))
    run = author.ingest("second.txt", ["Another text altogether."])
    under_way = indexes(admin)
    earlier.rollback()

    assert (done(left), under_way) == ([], [False])
    assert [build.model for build in left] == [MODEL]
    assert author.catalogue.status(author.tenant, run.document_id).outcome == "PUBLISHED"
    assert eventually(lambda: indexes(admin) == [True])


def test_a_build_that_was_cut_short_is_made_anew(
    author: Author, connect_as: Callable[[str], Connection[Any]], builder: Builder
) -> None:
    """T-07: what it leaves is taken by no search, and gone with the next build."""
    author.ingest()
    earlier, admin = connect_as("admin"), connect_as("admin")
    admin.autocommit = True
    earlier.execute("DELETE FROM chunk_embedding")  # open: the build has to wait for it
    builder().build_due(seconds=0.0)
    assert eventually(lambda: indexes(admin))

    assert builder().build_due(seconds=BUILD_SECONDS) == []  # while one is under way, no other
    admin.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^-- An in'"
    )
    assert eventually(
        lambda: not admin.execute("SELECT FROM pg_stat_progress_create_index").fetchall()
    )
    earlier.rollback()

    assert indexes(admin) == [False]
    assert eventually(lambda: done(builder().build_due(seconds=BUILD_SECONDS)) == [MODEL])
    assert indexes(admin) == [True]


@pytest.mark.parametrize("role", ["api", "ingest", "query"])
def test_only_the_sweep_may_build(connect_as: Callable[[str], Connection[Any]], role: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connect_as(role).execute("SET ROLE pulsedocs_indexer")
