"""POST /ingest/batch: all objects below a prefix, and how far they have come."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from pulsedocs.batches.read_batch import read_batch
from pulsedocs.batches.start_batch import BatchAccepted, resume_batch, start_batch
from pulsedocs.bootstrap import buckets, databases, providers
from pulsedocs.documents.cursors import CURSOR
from pulsedocs.edge.api import (
    READ,
    WRITE,
    Path,
    Query,
    caller,
    create_api,
    lambda_handler,
)
from pulsedocs.edge.requests import DocumentChoices, has, matching, never
from pulsedocs.edge.tasks import to_json
from pulsedocs.ingestion.check_chunking import check_chunking
from pulsedocs.model.batches import BatchFailure
from pulsedocs.model.requests import S3_ADDRESS

api = create_api(remembers=databases.document_catalogue)

BatchId = Annotated[UUID, Path()]


class BatchIngestRequest(DocumentChoices):
    """A prefix, and the same options as an upload, for each object below it."""

    model_config = ConfigDict(json_schema_extra=never(has("document_id")))

    s3_prefix: Annotated[
        str, Field(min_length=1, max_length=1024, json_schema_extra=matching(S3_ADDRESS))
    ]


class BatchView(BaseModel):
    """`cursor` asks for further failures; the counts are of all objects."""

    batch_id: UUID
    state: str
    prefix: str
    total: int
    counts: dict[str, int]
    failures: list[BatchFailure]
    cursor: str | None
    created_at: datetime
    finished_at: datetime | None


@api.on("POST /ingest/batch", WRITE, status=HTTPStatus.ACCEPTED)
def ingest_batch(request: BatchIngestRequest) -> BatchAccepted:
    """Start the ingestion of every object below a prefix; the id's status follows it."""
    who = caller(api)
    check_chunking(request.chunking, plugin_chunker=providers.plugin_chunker)
    return start_batch(
        who.tenant_id,
        request.s3_prefix,
        request.choices(who.subject),
        prefixes=buckets.ingest_prefixes(),
        store=databases.batch_store(),
        objects=buckets.object_store(),
    )


@api.on("GET /batches/{batch_id}", READ)
def batch(
    batch_id: BatchId,
    cursor: Annotated[
        str | None, Query(max_length=2000, json_schema_extra=matching(CURSOR))
    ] = None,
) -> BatchView:
    """Count the objects of a batch by what became of them, and name those that failed."""
    tenant_id = caller(api).tenant_id
    page = read_batch(tenant_id, batch_id, cursor=cursor, store=databases.batch_store())
    return BatchView.model_validate(to_json(page.status) | {"cursor": page.cursor})


@api.on("POST /batches/{batch_id}/resume", WRITE, status=HTTPStatus.ACCEPTED)
def resume(batch_id: BatchId) -> BatchAccepted:
    """Go on with what is left of a batch that has ended, its failures included."""
    who = caller(api)
    return resume_batch(
        who.tenant_id,
        batch_id,
        actor=who.subject,
        store=databases.batch_store(),
        objects=buckets.object_store(),
    )


handler = lambda_handler(api)
