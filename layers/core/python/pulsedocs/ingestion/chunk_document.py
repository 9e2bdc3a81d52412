"""Ingestion: cleaned text to chunks, and the batches of texts whose vectors are still missing."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from pulsedocs.chunking import CutBy, chunk, identify, plugin_of
from pulsedocs.embedding import batches, tokens_at_most
from pulsedocs.embedding_models.backfill_model import shadow_batches
from pulsedocs.embedding_models.ports import BackfillStore
from pulsedocs.errors import ChunkingError, StoreUnavailable
from pulsedocs.faults import fault_point
from pulsedocs.ingestion.ports import IngestionStore, StepWriter
from pulsedocs.ingestion.sentence_distances import (
    ChunkingChoice,
    ReadDistances,
    chunking_choice,
    planned_batches,
    read_distances,
)
from pulsedocs.model.artifacts import encode_batch
from pulsedocs.model.budgets import bought
from pulsedocs.model.chunks import IdentifiedChunk
from pulsedocs.model.documents import Run, Title
from pulsedocs.model.embeddings import BatchItem, EmbeddingBatch, Unembedded, references
from pulsedocs.model.object_keys import embedding_batch_key
from pulsedocs.model.pages import CleanedPage
from pulsedocs.model.steps import ChunkResult
from pulsedocs.plugins import BaseChunker
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.ports.providers import TokenCounter


@dataclass(frozen=True, slots=True)
class Chunker:
    """What chunks are made with: a tokenizer, and the plug-in chunkers by name."""

    count_tokens: TokenCounter
    plugin: Callable[[str], BaseChunker]


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """`known` are the chunks that have a vector of `model` in the tenant.

    It is of the text as embedded, or of the same chunk of a document with the same bytes.
    `embedded_title` is the title that people or the file gave, None where no chunk is embedded with
    one.
    """

    model: str
    chunks: list[IdentifiedChunk]
    known: list[IdentifiedChunk]
    batches: list[EmbeddingBatch]
    measuring_tokens: int
    embedded_title: str | None


def chunk_document(
    run: Run,
    *,
    objects: ObjectStore,
    store: IngestionStore,
    chunker: Chunker,
    batch_size: int,
    failure: str = "",
    backfills: BackfillStore | None = None,
) -> ChunkResult:
    """Write chunks and postings; leave the texts to embed in S3, named by their content.

    `failure` is the error after which the sentences of the document were not measured; `backfills`
    adds what the model that the collection tries beside its own is to embed. The batches
    are written before the transaction: a commit that is followed by a crash must find them there,
    and a stale run that writes them again writes the same bytes.
    """
    is_planned = False

    def plan() -> ChunkPlan:
        nonlocal is_planned
        is_planned = True
        choice = chunking_choice(run, store)
        model = store.active_model(run)
        pages = store.cleaned_pages(run)
        planned_sentences = planned_batches(
            pages,
            choice.profile,
            model=model,
            count_tokens=chunker.count_tokens,
            batch_size=batch_size,
        )
        read = read_distances(run, planned_sentences, model=model, failure=failure, objects=objects)
        title = store.title_of(run)
        chunks = _chunks(run, pages, choice, read, title=title, store=store, chunker=chunker)
        planned = _plan(run, chunks, read, model=model, store=store, batch_size=batch_size)
        if choice.profile.is_titled:
            planned = replace(planned, embedded_title=title.text if title.is_given else "")
        items = [item for batch in planned.batches for item in batch.items]
        _reserve(run, items, model=model, measured=planned.measuring_tokens, store=store)
        fault_point("chunk.before_batches")
        _write_batches(run, planned.batches, objects=objects)
        return planned

    result = store.perform(run, ChunkResult, plan=plan, write=_write)
    if not is_planned:
        result = _taken_up(run, result, objects=objects, store=store, batch_size=batch_size)
    if backfills is None:
        return result
    shadow = shadow_batches(run, store=backfills, objects=objects, batch_size=batch_size)
    return result.model_copy(update={"shadow": shadow})


def _reserve(
    run: Run, items: Iterable[BatchItem], *, model: str, store: IngestionStore, measured: int = 0
) -> None:
    """Hold what these texts may cost, and what was measured and is settled with the chunks."""
    tokens = measured + sum(tokens_at_most(item.text) for item in items)
    if tokens:
        store.reserve(run, model, bought(model, input_tokens=tokens))


def _write_batches(run: Run, planned: list[EmbeddingBatch], *, objects: ObjectStore) -> None:
    for batch in planned:
        objects.write(embedding_batch_key(run, batch.batch_hash), encode_batch(batch))


def _are_staged(run: Run, result: ChunkResult, *, objects: ObjectStore) -> bool:
    keys = (embedding_batch_key(run, batch.hash) for batch in result.batches)
    return all(objects.exists(key) for key in keys)


def _taken_up(
    run: Run, result: ChunkResult, *, objects: ObjectStore, store: IngestionStore, batch_size: int
) -> ChunkResult:
    """Return what is left to embed of chunks that an earlier call has written."""
    model = store.active_model(run)
    missing = store.unembedded(run, model)
    _reserve(run, missing.items, model=model, store=store)  # its first run may have given it back
    if model == result.model and _are_staged(run, result, objects=objects):
        return result
    again = result.model_copy(update={"model": model})  # the collection was promoted meanwhile
    return _planned_again(run, again, missing, objects=objects, batch_size=batch_size)


def _planned_again(
    run: Run, result: ChunkResult, missing: Unembedded, *, objects: ObjectStore, batch_size: int
) -> ChunkResult:
    """Cut what still lacks a vector into batches, numbered after all that there were.

    A version that is taken up after the lifetime of `staging/` finds none of its texts there; its
    chunks are the same rows.
    """
    first = max(len(result.batches), missing.next_batch)
    planned = batches(missing.items, model=result.model, max_items=batch_size)
    _write_batches(run, planned, objects=objects)
    return result.model_copy(update={"batches": references(_hashes(planned), first=first)})


def _hashes(planned: list[EmbeddingBatch]) -> list[str]:
    return [batch.batch_hash for batch in planned]


def _write(writer: StepWriter, planned: ChunkPlan) -> ChunkResult:
    writer.insert_chunks(planned.chunks, embedded_title=planned.embedded_title)
    reused = writer.reuse_embeddings(planned.model, [item.chunk_id for item in planned.known])
    if reused != len(planned.known):
        message = f"{len(planned.known) - reused} vectors to copy were deleted meanwhile"
        raise StoreUnavailable(message)
    if planned.measuring_tokens:
        writer.record_usage(
            model=planned.model, input_tokens=planned.measuring_tokens, method="sentences"
        )
    return ChunkResult(
        model=planned.model,
        chunks=len(planned.chunks),
        reused=reused,
        batches=references(_hashes(planned.batches)),
    )


def _chunks(
    run: Run,
    pages: list[CleanedPage],
    choice: ChunkingChoice,
    read: ReadDistances,
    *,
    title: Title,
    store: IngestionStore,
    chunker: Chunker,
) -> list[IdentifiedChunk]:
    sha256 = store.object_sha256(run)
    drafts = chunk(
        pages,
        profile=choice.profile,
        count_tokens=chunker.count_tokens,
        title=title.indexed,
        validate=choice.is_validated,
        measured=read.measured,
        cut_by=_cut_by(choice, chunker),
    )
    if not drafts:
        message = f"profile {choice.profile.name!r} made no chunk of a document that has text"
        raise ChunkingError(message)
    return [identify(run.document_id, sha256, draft) for draft in drafts]


def _cut_by(choice: ChunkingChoice, chunker: Chunker) -> CutBy | None:
    """Return a plug-in's way to cut, or None for a profile of our own."""
    name = plugin_of(choice.profile.name)
    if name is None:
        return None
    return partial(_places, chunker.plugin(name), choice)


def _places(plugin: BaseChunker, choice: ChunkingChoice, text: str) -> list[tuple[int, int]]:
    pieces = plugin.chunk(text, choice.profile.parameters)
    return [(piece.start, piece.end) for piece in pieces]


def _plan(
    run: Run,
    chunks: list[IdentifiedChunk],
    read: ReadDistances,
    *,
    model: str,
    store: IngestionStore,
    batch_size: int,
) -> ChunkPlan:
    hashes = store.embedded_hashes(run, model, [item.content_hash for item in chunks])
    copied = store.copied_hashes(run, model)
    known = [each for each in chunks if each.content_hash in hashes or each.chunk_hash in copied]
    missing = [
        BatchItem(item.chunk_id, item.content_hash, item.chunk.indexed_text)
        for item in chunks
        if item.content_hash not in hashes and item.chunk_hash not in copied
    ]
    planned = batches(missing, model=model, max_items=batch_size)
    return ChunkPlan(model, chunks, known, planned, read.input_tokens, None)
