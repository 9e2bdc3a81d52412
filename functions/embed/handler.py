"""Ingestion: a batch of texts to vectors, or of sentences to their distances, without database."""

from typing import Literal

from pydantic import BaseModel

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import RunReference, task
from pulsedocs.model.deadline import Deadline
from pulsedocs.usecases.embed_batch import BatchReference, VectorsWritten, embed_batch
from pulsedocs.usecases.sentence_distances import DistancesWritten, measure_sentences


class Batch(BaseModel):
    index: int
    hash: str


class EmbedRequest(BaseModel):
    kind: Literal["chunks", "sentences"] = "chunks"
    run: RunReference
    model: str
    batch: Batch


@task(EmbedRequest)
def handler(request: EmbedRequest) -> VectorsWritten | DistancesWritten:
    embed = embed_batch if request.kind == "chunks" else measure_sentences
    return embed(
        request.run.to_run(),
        BatchReference(request.batch.index, request.batch.hash),
        objects=bootstrap.object_store(),
        embedder=bootstrap.embedder(request.model),
        deadline=Deadline.after(bootstrap.settings().embed_seconds),
    )
