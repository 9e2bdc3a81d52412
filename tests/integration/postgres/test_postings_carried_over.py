"""Postings that the version before wrote are found, and weighed, as those written today."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, LiteralString
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import Connection

from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.postings import merge_segments
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.adapters.postgres.upkeep.migrations import migrate, migrations
from pulsedocs.model.retrieval import CandidateQuery, Leg, Scope
from tests.integration.invariants import violations
from tests.plugins.migrated_database import set_passwords, url_of

FIRST_OF_OURS: Final = "0030"
MODEL: Final = "memory:small@3"
WRITTEN_BY_THE_VERSION_BEFORE: Final[LiteralString] = """
    WITH lexeme AS (
        SELECT chunk_index, word.lexeme AS term, cardinality(word.positions) AS tf,
               sum(cardinality(word.positions)) OVER (PARTITION BY chunk_index) AS dl
        FROM document_chunk, unnest(to_tsvector('english', text)) AS word
        WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    ), indexed AS (
        INSERT INTO posting (tenant_id, collection_id, term, document_id, version, block, least_dl,
                             ordinals, tfs, dls)
        SELECT %(tenant_id)s, %(collection_id)s, term, %(document_id)s, %(version)s,
               chunk_index / 128, min(dl), array_agg(chunk_index ORDER BY tf, chunk_index),
               array_agg(tf::smallint ORDER BY tf, chunk_index),
               array_agg(dl::integer ORDER BY tf, chunk_index)
        FROM lexeme GROUP BY term, chunk_index / 128
    )
    INSERT INTO doc_stats (tenant_id, collection_id, document_id, version, n, total_length)
    SELECT %(tenant_id)s, %(collection_id)s, %(document_id)s, %(version)s, %(chunks)s,
           coalesce(sum(tf), 0)
    FROM lexeme
"""
POSTED: Final[LiteralString] = """
    SELECT document_id, version, chunk_index, term, tf, dl::bigint
    FROM posted_word ORDER BY 1, 2, 3, 4
"""
COUNTED: Final[LiteralString] = """
    SELECT document_id, version, chunk_index, lexeme, cardinality(positions),
           sum(cardinality(positions)) OVER (PARTITION BY document_id, version, chunk_index)
    FROM document_chunk, unnest(to_tsvector('english', text)) ORDER BY 1, 2, 3, 4
"""


@pytest.fixture
def database_before(postgres_server: PostgresServer, tmp_path: Path) -> Iterator[str]:
    """Give a database as the version before left it, without rows."""
    for migration in migrations():
        if migration.name < FIRST_OF_OURS:
            (tmp_path / migration.name).write_text(migration.text)
    url = postgres_server.create_database("before")
    migrate(url, folder=tmp_path)
    yield url
    postgres_server.drop_database("before")


def write(
    connection: Connection[Any], tenant_id: UUID, collection_id: UUID, texts: list[str]
) -> None:
    """Write a document with two versions, the second of them published, as it was done then."""
    document_id = uuid4()
    key = {"tenant_id": tenant_id, "collection_id": collection_id, "document_id": document_id}
    connection.execute(
        "INSERT INTO document (tenant_id, document_id, collection_id, source, latest_version)"
        " VALUES (%(tenant_id)s, %(document_id)s, %(collection_id)s, %(document_id)s::text, 2)",
        key,
    )
    for version, written in ((1, [*texts, "an older word"]), (2, texts)):
        connection.execute(
            "INSERT INTO document_version (tenant_id, document_id, version, collection_id, state,"
            " pipeline_revision, content_type, size) VALUES (%(tenant_id)s, %(document_id)s,"
            " %(version)s, %(collection_id)s, 'EMBEDDED', '1', 'text/plain', 1)",
            key | {"version": version},
        )
        for index, text in enumerate(written):
            connection.execute(
                "INSERT INTO document_chunk (tenant_id, document_id, version, chunk_id,"
                " chunk_index, text, page_start, page_end, spans, tokens, characters, profile,"
                " method, chunk_hash, content_hash) VALUES (%s, %s, %s, %s, %s, %s, 1, 1, '[]', 1,"
                " %s, 'words', 'words', sha256(%s), sha256(%s))",
                (
                    *(tenant_id, document_id, version, uuid4(), index, text, len(text)),
                    *(f"{version}/{index}".encode(), text.encode()),
                ),
            )
        counted = key | {"version": version, "chunks": len(written)}
        connection.execute(WRITTEN_BY_THE_VERSION_BEFORE, counted)
    connection.execute(
        "UPDATE document SET published_version = 2, published_at = now()"
        " WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s",
        key,
    )
    connection.commit()


def test_what_was_indexed_before_is_searched_after(database_before: str) -> None:
    """P-03: several tenants, more than 128 chunks, a chunk without words, versions gone by."""
    rng = random.Random(4)
    texts = [f"own{n} {'tide ' * rng.randrange(4)}" for n in range(300)] + ["the of and"]
    options = "-c search_path=pulsedocs,public -c session_replication_role=replica"
    with psycopg.connect(database_before, options=options) as connection:
        tenants = [(uuid4(), uuid4()) for _ in range(2)]
        for tenant_id, collection_id in tenants:
            connection.execute("SELECT ensure_embedding_model(%s)", [MODEL])
            connection.execute(
                "INSERT INTO embedding_model (tenant_id, model) VALUES (%s, %s)", [tenant_id, MODEL]
            )
            connection.execute(
                "INSERT INTO collection (tenant_id, collection_id, name, active_model)"
                " VALUES (%s, %s, 'default', %s)",
                [tenant_id, collection_id, MODEL],
            )
            write(connection, tenant_id, collection_id, texts)
            write(connection, tenant_id, collection_id, ["zirconium once"])

    ran = migrate(database_before)

    set_passwords(database_before)
    with psycopg.connect(database_before, options=options) as connection:
        assert ran[0].startswith(FIRST_OF_OURS)
        assert connection.execute(POSTED).fetchall() == connection.execute(COUNTED).fetchall()
        for tenant_id, _ in tenants:
            broken = violations(connection, tenant_id)
            assert not [name for name in broken if "sizes" in name or "words" in name]
    sweep = Database(url_of(database_before, "sweep"))
    for tenant_id, collection_id in tenants:
        assert merge_segments(sweep, tenant_id, collection_id, fewest=2) == len(texts) + 1
    sweep.close()
    with psycopg.connect(database_before, options=options) as connection:
        assert connection.execute(POSTED).fetchall() == connection.execute(COUNTED).fetchall()
    database = Database(url_of(database_before, "query"))
    (tenant_id, _), _ = tenants
    asked = CandidateQuery(
        Scope(tenant_id, ("default",), (), None), MODEL, 3, {}, "own7 zirconium older", 0, 9
    )
    found = PostgresRetrievalStore(database).search(asked)
    database.close()
    best = sorted(found.candidates, key=lambda each: each.legs[Leg.KEYWORD].rank)
    assert {each.text.split()[0] for each in best} == {"own7", "zirconium"}
    assert found.corpus["chunks"] == len(texts) + 1
