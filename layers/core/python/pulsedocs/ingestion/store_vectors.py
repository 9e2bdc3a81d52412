"""Ingestion: one batch of vectors, validated, from S3 into rows."""

from pulsedocs.embedding import parse_model_name, validate_vectors
from pulsedocs.errors import ArtifactInvalid, ProviderMalformed, ProviderRefused, RunEnded
from pulsedocs.ingestion.ports import IngestionStore, StepWriter
from pulsedocs.model.artifacts import StoredVectors, decode_vectors
from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import EmbeddingBatchReference
from pulsedocs.model.steps import EmbedResult
from pulsedocs.ports.objects import ObjectStore


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
        embedded = decode_vectors(objects.read(vectors_key))
        _check(embedded, model=model)
        return embedded

    def write(writer: StepWriter, embedded: StoredVectors) -> EmbedResult:
        paired = list(zip(embedded.chunk_ids, embedded.vectors, strict=True))
        accepted = [pair for i, pair in enumerate(paired) if i not in embedded.refused]
        refused = [embedded.chunk_ids[i] for i in sorted(embedded.refused)]
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


def _check(embedded: StoredVectors, *, model: str) -> None:
    accepted = [vector for i, vector in enumerate(embedded.vectors) if i not in embedded.refused]
    dimensions = parse_model_name(model).dimensions
    try:
        validate_vectors(accepted, expected_count=len(accepted), dimensions=dimensions)
    except ProviderMalformed as error:  # `embed` lets none through: to read it again is no help
        raise ArtifactInvalid(error.message) from error
