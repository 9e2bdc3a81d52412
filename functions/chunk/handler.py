"""Ingestion: cleaned text to chunks, postings and batches of texts to embed."""

from pydantic import BaseModel

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import RunReference, task
from pulsedocs.ports import StepResult
from pulsedocs.usecases.chunk_document import chunk_document


class ChunkRequest(BaseModel):
    run: RunReference


@task(ChunkRequest)
def handler(request: ChunkRequest) -> StepResult:
    return chunk_document(
        request.run.to_run(),
        objects=bootstrap.object_store(),
        store=bootstrap.ingestion_store(),
        count_tokens=bootstrap.token_counter(),
        batch_size=bootstrap.settings().embedding_batch_size,
    )
