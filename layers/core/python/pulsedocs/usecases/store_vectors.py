"""Ingestion: one batch of vectors, validated, from S3 into rows."""

from pulsedocs.embedding import parse_model_name, validate_vectors
from pulsedocs.errors import ProviderRefused
from pulsedocs.model.documents import Run
from pulsedocs.pipeline import Step
from pulsedocs.ports.ingestion import IngestionStore, StepResult, StepWriter
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.usecases.artifacts import StoredVectors, decode_vectors
from pulsedocs.usecases.embed_batch import BatchReference


def store_vectors(
    run: Run,
    *,
    model: str,
    batch: BatchReference,
    vectors_key: str,
    objects: ObjectStore,
    store: IngestionStore,
) -> StepResult:
    """Write one embedding or one failure row per text of the batch."""

    def plan() -> StoredVectors:
        embedded = decode_vectors(objects.read(vectors_key))
        _check(embedded, model=model)
        return embedded

    def write(writer: StepWriter, embedded: StoredVectors) -> StepResult:
        paired = list(zip(embedded.chunk_ids, embedded.vectors, strict=True))
        accepted = [pair for i, pair in enumerate(paired) if i not in embedded.refused]
        refused = [embedded.chunk_ids[i] for i in sorted(embedded.refused)]
        writer.insert_embeddings(model, accepted)
        writer.insert_embedding_failures(
            model, [(chunk_id, ProviderRefused.code) for chunk_id in refused]
        )
        writer.record_usage(model=model, input_tokens=embedded.input_tokens, method="embed")
        return {
            "embedded": len(accepted),
            "refused": len(refused),
            "embed_ms": embedded.elapsed_ms,
        }

    return store.perform(run, Step.EMBED, plan=plan, write=write, batch=batch.index)


def _check(embedded: StoredVectors, *, model: str) -> None:
    accepted = [vector for i, vector in enumerate(embedded.vectors) if i not in embedded.refused]
    validate_vectors(
        accepted, expected_count=len(accepted), dimensions=parse_model_name(model).dimensions
    )
