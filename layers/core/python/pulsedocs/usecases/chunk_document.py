"""Ingestion: cleaned text to chunks, and the batches of texts whose vectors are still missing."""

from dataclasses import dataclass

from pulsedocs.chunking import chunk, identify, profile_named
from pulsedocs.embedding import batches
from pulsedocs.errors import ChunkingError, StoreUnavailable
from pulsedocs.faults import fault_point
from pulsedocs.model.chunks import IdentifiedChunk
from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import BatchItem, EmbeddingBatch
from pulsedocs.model.object_keys import embedding_batch_key
from pulsedocs.pipeline import Step
from pulsedocs.ports import IngestionStore, ObjectStore, StepResult, StepWriter, TokenCounter
from pulsedocs.usecases.artifacts import encode_batch


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """`known` are the chunks whose text already has a vector of `model` in the tenant."""

    model: str
    chunks: list[IdentifiedChunk]
    known: list[IdentifiedChunk]
    batches: list[EmbeddingBatch]


def chunk_document(
    run: Run,
    *,
    objects: ObjectStore,
    store: IngestionStore,
    count_tokens: TokenCounter,
    batch_size: int,
) -> StepResult:
    """Write chunks and postings; leave the texts to embed in S3, named by their content.

    The batches are written before the transaction: a commit that is followed by a crash must find
    them there, and a stale run that writes them again writes the same bytes.
    """

    def plan() -> ChunkPlan:
        chunks = _chunks(run, store=store, count_tokens=count_tokens)
        model = store.active_model(run)
        planned = _plan(run, chunks, model=model, store=store, batch_size=batch_size)
        fault_point("chunk.before_batches")
        for batch in planned.batches:
            objects.write(embedding_batch_key(run, batch.batch_hash), encode_batch(batch))
        return planned

    def write(writer: StepWriter, planned: ChunkPlan) -> StepResult:
        writer.insert_chunks(planned.chunks)
        reused = writer.reuse_embeddings(planned.model, [item.chunk_id for item in planned.known])
        if reused != len(planned.known):
            message = f"{len(planned.known) - reused} vectors to copy were deleted meanwhile"
            raise StoreUnavailable(message)
        return {
            "model": planned.model,
            "chunks": len(planned.chunks),
            "reused": reused,
            "batches": [
                {"index": index, "hash": batch.batch_hash}
                for index, batch in enumerate(planned.batches)
            ],
        }

    return store.perform(run, Step.CHUNK, plan=plan, write=write)


def _chunks(
    run: Run, *, store: IngestionStore, count_tokens: TokenCounter
) -> list[IdentifiedChunk]:
    options = dict(store.chunking_of(run))
    is_validated = bool(options.pop("validate_chunks", True))
    profile = profile_named(options.pop("profile"), options)
    sha256 = store.object_sha256(run)
    drafts = chunk(
        store.cleaned_pages(run),
        profile=profile,
        count_tokens=count_tokens,
        validate=is_validated,
    )
    if not drafts:
        message = f"profile {profile.name!r} made no chunk of a document that has text"
        raise ChunkingError(message)
    return [identify(run.document_id, sha256, draft) for draft in drafts]


def _plan(
    run: Run,
    chunks: list[IdentifiedChunk],
    *,
    model: str,
    store: IngestionStore,
    batch_size: int,
) -> ChunkPlan:
    hashes = store.embedded_hashes(run, model, [item.content_hash for item in chunks])
    known = [item for item in chunks if item.content_hash in hashes]
    missing = [
        BatchItem(item.chunk_id, item.content_hash, item.chunk.text)
        for item in chunks
        if item.content_hash not in hashes
    ]
    return ChunkPlan(model, chunks, known, batches(missing, model=model, max_items=batch_size))
