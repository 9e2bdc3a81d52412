"""Ingestion: one batch of vectors, validated, from S3 into rows."""

from pulsedocs.embedding_models.vectors import read_vectors
from pulsedocs.errors import ProviderRefused, RunEnded
from pulsedocs.ingestion.ports import IngestionStore, StepWriter
from pulsedocs.model.artifacts import StoredVectors
from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import EmbeddingBatchReference
from pulsedocs.model.steps import StepResult
from pulsedocs.pipeline import Step
from pulsedocs.ports.objects import ObjectStore


class EmbedResult(StepResult):
    step = Step.EMBED

    embedded: int = 0
    refused: int = 0
    embed_ms: int = 0


def store_vectors(
    run: Run,
    *,
    model: str,
    batch: EmbeddingBatchReference,
    vectors_key: str,
    paid_tokens: int = 0,
    objects: ObjectStore,
    store: IngestionStore,
) -> EmbedResult:
    """Write one embedding or one failure row per text of the batch.

    `paid_tokens` are what this execution bought: booked also where its run was ended meanwhile.
    """

    def plan() -> StoredVectors:
        return read_vectors(vectors_key, model=model, objects=objects)

    def write(writer: StepWriter, embedded: StoredVectors) -> EmbedResult:
        accepted, refused = embedded.accepted, embedded.refused_chunks
        writer.insert_embeddings(model, accepted)
        writer.insert_embedding_failures(
            model, [(chunk_id, ProviderRefused.code) for chunk_id in refused]
        )
        writer.record_usage(
            model=model, input_tokens=embedded.input_tokens, method="embed", batch=batch.hash
        )
        return EmbedResult(
            embedded=len(accepted), refused=len(refused), embed_ms=embedded.elapsed_ms
        )

    try:
        return store.perform(run, EmbedResult, plan=plan, write=write, batch=batch.index)
    except RunEnded:
        if paid_tokens:
            store.book(run, model=model, input_tokens=paid_tokens, batch=batch.hash)
        raise
