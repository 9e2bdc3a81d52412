"""Ingestion: one batch of vectors, validated, from S3 into rows."""

from uuid import UUID

from pulsedocs.embedding import parse_model_name, validate_vectors
from pulsedocs.errors import ArtifactInvalid, ProviderRefused
from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import EmbeddedBatch
from pulsedocs.pipeline import Step
from pulsedocs.ports import IngestionStore, ObjectStore, StepResult, StepWriter
from pulsedocs.usecases.artifacts import decode_vectors
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

    def plan() -> tuple[list[UUID], EmbeddedBatch]:
        chunk_ids, embedded = decode_vectors(objects.read(vectors_key))
        _check(run, chunk_ids, embedded, model=model, store=store)
        return chunk_ids, embedded

    def write(writer: StepWriter, planned: tuple[list[UUID], EmbeddedBatch]) -> StepResult:
        chunk_ids, embedded = planned
        refused = set(embedded.refused)
        paired = list(zip(chunk_ids, embedded.vectors, strict=True))
        writer.insert_embeddings(
            model, [pair for index, pair in enumerate(paired) if index not in refused]
        )
        writer.insert_embedding_failures(
            model, [(chunk_ids[index], ProviderRefused.code) for index in sorted(refused)]
        )
        writer.record_usage(model=model, input_tokens=embedded.input_tokens, method="embed")
        return {"embedded": len(paired) - len(refused), "refused": len(refused)}

    return store.perform(run, Step.EMBED, plan=plan, write=write, batch=batch.index)


def _check(
    run: Run,
    chunk_ids: list[UUID],
    embedded: EmbeddedBatch,
    *,
    model: str,
    store: IngestionStore,
) -> None:
    foreign = set(chunk_ids) - store.batch_chunks(run, chunk_ids)
    if foreign:
        message = f"{len(foreign)} vectors belong to no chunk of this version"
        raise ArtifactInvalid(message)
    refused = set(embedded.refused)
    accepted = [vector for i, vector in enumerate(embedded.vectors) if i not in refused]
    validate_vectors(
        accepted, expected_count=len(accepted), dimensions=parse_model_name(model).dimensions
    )
