"""Ingestion: cleaned text to chunks, postings and batches of texts to embed."""

from typing import Annotated

from pydantic import Field

from pulsedocs import bootstrap
from pulsedocs.bootstrap import buckets, databases, providers
from pulsedocs.edge.tasks import RunRequest, task
from pulsedocs.ingestion.chunk_document import Chunker, ChunkResult, chunk_document


class ChunkRequest(RunRequest):
    """`failure` names the error after which the sentences were not measured; empty for none."""

    failure: Annotated[str, Field(max_length=1000)] = ""


@task(ChunkRequest)
def handler(request: ChunkRequest) -> ChunkResult:
    return chunk_document(
        request.run,
        objects=buckets.object_store(),
        store=databases.ingestion_store(),
        chunker=Chunker(providers.token_counter(), providers.plugin_chunker),
        batch_size=bootstrap.settings().embedding_batch_size,
        failure=request.failure,
        backfills=databases.backfill_store(),
    )
