"""A batch of texts to vectors, or of sentences to distances; asks a model what it can."""

from typing import Literal

from pydantic import BaseModel, RootModel

from pulsedocs import bootstrap
from pulsedocs.bootstrap import buckets, providers
from pulsedocs.edge.events import S3Event
from pulsedocs.edge.tasks import task
from pulsedocs.embedding_models.probe_model import Probed, probe_model
from pulsedocs.ingestion.embed_batch import VectorsWritten, embed_batch
from pulsedocs.ingestion.sentence_distances import DistancesWritten, measure_sentences
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import EmbeddingBatchReference


class EmbedBatch(BaseModel):
    kind: Literal["chunks", "sentences"] = "chunks"
    run: Run
    model: str
    batch: EmbeddingBatchReference


class Probe(BaseModel):
    kind: Literal["probe"]
    event: S3Event


class EmbedRequest(RootModel[EmbedBatch | Probe]):
    """One of the things that are asked of a provider."""

    @property
    def run(self) -> Run | None:
        return self.root.run if isinstance(self.root, EmbedBatch) else None


@task(EmbedRequest)
def handler(request: EmbedRequest) -> VectorsWritten | DistancesWritten | Probed:
    wanted, deadline = request.root, Deadline.after(bootstrap.settings().embed_seconds)
    if isinstance(wanted, Probe):
        return probe_model(
            wanted.event.key,
            objects=buckets.object_store(),
            embedder=providers.embedder,
            deadline=deadline,
        )
    embed = embed_batch if wanted.kind == "chunks" else measure_sentences
    return embed(
        wanted.run,
        wanted.batch,
        objects=buckets.object_store(),
        embedder=providers.embedder(wanted.model),
        deadline=deadline,
    )
