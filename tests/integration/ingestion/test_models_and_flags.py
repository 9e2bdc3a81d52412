"""Vectors are derived, one set a model; flags mark chunks only where they are wanted."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from tests.integration.digest import version_digest
from tests.integration.ingestion.pipeline import MODEL, PUBLISHED, Pipeline

DOCUMENT = UUID("22222222-2222-4222-8222-222222222222")
OTHER_MODEL = "memory:another@384"


@pytest.fixture
def pipeline(
    ingestion_store: PostgresIngestionStore, catalogue: PostgresDocumentCatalogue
) -> Pipeline:
    return Pipeline(store=ingestion_store, catalogue=catalogue)


def vectors_of(admin: Connection[Any], tenant: UUID, model: str) -> list[tuple[Any, ...]]:
    return admin.execute(
        "SELECT chunk_id, embedding::text FROM chunk_embedding JOIN stage_model USING (model_id)"
        " WHERE tenant_id = %s AND model = %s ORDER BY chunk_id",
        [tenant, model],
    ).fetchall()


def test_a_second_models_vectors_leave_the_first_and_the_chunks_alone(
    pipeline: Pipeline,
    connect_as: Callable[[str], Connection[Any]],
) -> None:
    """S0-13: the role that embeds adds rows of model B; those of A and the chunks stay."""
    tenant, admin, ingest = uuid4(), connect_as("admin"), connect_as("ingest")
    assert (
        pipeline.deliver(pipeline.upload(tenant, DOCUMENT, b"The lamp is lit at dusk."))
        == PUBLISHED
    )
    of_first, chunks = vectors_of(admin, tenant, MODEL), chunk_rows(admin, tenant)
    admin.rollback()

    ingest.execute("SELECT set_config('app.tenant_id', %s, true)", [str(tenant)])
    [model_id] = ingest.execute("SELECT ensure_embedding_model(%s)", [OTHER_MODEL]).fetchone() or [
        0
    ]
    ingest.execute(
        "INSERT INTO chunk_embedding"
        " SELECT tenant_id, document_id, version, chunk_id, %s, embedding FROM chunk_embedding",
        [model_id],
    )
    ingest.commit()

    assert len(of_first) == 1
    assert len(vectors_of(admin, tenant, OTHER_MODEL)) == 1
    assert vectors_of(admin, tenant, MODEL) == of_first
    assert chunk_rows(admin, tenant) == chunks


def chunk_rows(admin: Connection[Any], tenant: UUID) -> list[tuple[Any, ...]]:
    return admin.execute(
        "SELECT * FROM document_chunk WHERE tenant_id = %s ORDER BY chunk_id", [tenant]
    ).fetchall()


@pytest.mark.parametrize(("wanted", "flags"), [(True, ["TOO_SHORT"]), (False, [])])
def test_chunks_are_flagged_only_where_that_was_wanted(
    pipeline: Pipeline,
    connect_as: Callable[[str], Connection[Any]],
    wanted: bool,  # noqa: FBT001 -- a parameter of the test
    flags: list[str],
) -> None:
    """S3-08: a flag marks, never drops; `validate_chunks` turns the marks off."""
    tenant, admin = uuid4(), connect_as("admin")
    event = pipeline.upload(tenant, DOCUMENT, b"Too short.", validate_chunks=wanted)

    assert pipeline.deliver(event) == PUBLISHED

    [(found,)] = admin.execute(
        "SELECT flags FROM document_chunk WHERE tenant_id = %s", [tenant]
    ).fetchall()
    assert found == flags
    warnings = pipeline.catalogue.status(tenant, DOCUMENT).warnings
    assert warnings == tuple(f"CHUNKS_{flag}: 1" for flag in flags)
    assert version_digest(admin, tenant, DOCUMENT)
