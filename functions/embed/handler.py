"""Ingestion: one batch of texts to vectors, without database."""

from pydantic import BaseModel

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import RunReference, task
from pulsedocs.model.deadline import Deadline
from pulsedocs.usecases.embed_batch import BatchReference, VectorsWritten, embed_batch


class Batch(BaseModel):
    index: int
    hash: str


class EmbedRequest(BaseModel):
    run: RunReference
    model: str
    batch: Batch


@task(EmbedRequest)
def handler(request: EmbedRequest) -> VectorsWritten:
    return embed_batch(
        request.run.to_run(),
        BatchReference(request.batch.index, request.batch.hash),
        objects=bootstrap.object_store(),
        embedder=bootstrap.embedder(request.model),
        deadline=Deadline.after(bootstrap.settings().embed_seconds),
    )
