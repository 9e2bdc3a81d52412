"""A stage with rows of before copies had any: what waited for an original is read or asked for."""

import shutil
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import psycopg
from psycopg import Connection

from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.upkeep.migrations import migrate, migrations

BEFORE: Final = "0025_copies.sql"


def test_copies_of_before_are_read_or_asked_for(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """T-01: and two collections that held the same bytes do not keep the migration from ending."""
    for migration in migrations():
        if migration.name < BEFORE:
            (tmp_path / migration.name).write_text(migration.text)
    url = postgres_server.create_database("copies_of_before")
    migrate(url, folder=tmp_path)
    tenant, ids = uuid4(), [UUID(int=number) for number in range(1, 5)]
    with psycopg.connect(url, options="-c search_path=pulsedocs,public") as admin:
        _fill(admin, tenant, ids)
    shutil.rmtree(tmp_path)

    migrate(url)

    with psycopg.connect(url, options="-c search_path=pulsedocs,public") as admin:
        rows = admin.execute(
            "SELECT document_id, outcome, error ->> 'code', is_original FROM document_version"
            " ORDER BY document_id"
        ).fetchall()
    assert rows == [
        (ids[0], "PUBLISHED", None, False),
        (ids[1], None, None, False),
        (ids[2], "CANCELLED", "UPLOAD_EXPIRED", False),
        (ids[3], "PUBLISHED", None, False),
    ]


def _fill(admin: Connection[Any], tenant: UUID, ids: list[UUID]) -> None:
    """Two originals in two collections, a copy whose bytes came, and one whose never did."""
    admin.execute("SET session_replication_role = replica")
    admin.execute("INSERT INTO stage_model (model, dimensions) VALUES ('memory:hashing@8', 8)")
    admin.execute(
        "INSERT INTO embedding_model (tenant_id, model) VALUES (%s, 'memory:hashing@8')", [tenant]
    )
    for number, document in enumerate(ids):
        collection, is_copy = UUID(int=100 + number // 3), number in {1, 2}
        admin.execute(
            "INSERT INTO collection (tenant_id, collection_id, name, active_model)"
            " VALUES (%s, %s, %s, 'memory:hashing@8') ON CONFLICT DO NOTHING",
            [tenant, collection, str(collection)],
        )
        admin.execute(
            "INSERT INTO document (tenant_id, document_id, collection_id, source, latest_version,"
            " published_version, published_at) VALUES (%s, %s, %s, %s, 1, %s, %s)",
            [
                tenant,
                document,
                collection,
                str(document),
                *((None, None) if is_copy else (1, "now")),
            ],
        )
        admin.execute(
            "INSERT INTO document_version (tenant_id, document_id, version, collection_id,"
            " pipeline_revision, content_type, size, sha256, state, outcome, is_original,"
            " duplicate_of, object_version, received_at)"
            " VALUES (%s, %s, 1, %s, '3', 'text/plain', 9, %s, %s, %s, %s, %s, %s, %s)",
            [
                tenant,
                document,
                collection,
                None if number == 2 else b"\1" * 32,
                "UPLOADED" if is_copy else "EMBEDDED",
                "DUPLICATE" if is_copy else "PUBLISHED",
                not is_copy,
                ids[0] if is_copy else None,
                None if number == 2 else f"object-{number}",
                None if number == 2 else "now",
            ],
        )
