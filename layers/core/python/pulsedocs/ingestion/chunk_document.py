"""Ingestion: cleaned text to chunks, and the batches of texts whose vectors are still missing."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from pulsedocs.answering.languages import language_of
from pulsedocs.chunking import chunk, identify, plugin_of
from pulsedocs.embedding import batches, declared
from pulsedocs.embedding_models.backfill_model import BatchesToEmbed, shadow_batches
from pulsedocs.embedding_models.ports import BackfillStore
from pulsedocs.embedding_models.vectors import reserve_texts
from pulsedocs.errors import ArtifactInvalid, ChunkingError, StoreUnavailable
from pulsedocs.faults import fault_point
from pulsedocs.ingestion.ports import IngestionStore, StepWriter
from pulsedocs.ingestion.sentence_distances import (
    ReadDistances,
    SentencePlan,
    plan_sentences,
    read_distances,
)
from pulsedocs.model.artifacts import encode_batch
from pulsedocs.model.chunks import IdentifiedChunk
from pulsedocs.model.documents import Run, RunChoices
from pulsedocs.model.embeddings import (
    BatchItem,
    EmbeddingBatch,
    EmbeddingBatchReference,
    references,
)
from pulsedocs.model.languages import script_of
from pulsedocs.model.object_keys import embedding_batch_key
from pulsedocs.model.pages import CleanedPage
from pulsedocs.model.steps import StepResult
from pulsedocs.model.warnings import in_another_language, in_other_letters
from pulsedocs.pipeline import Step
from pulsedocs.plugins import BaseChunker
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.ports.providers import TokenCounter

_TELLING: Final = 20_000  # characters of a document: they tell its language


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
    one. `warnings` are what a person should know of it.
    """

    model: str
    chunks: list[IdentifiedChunk]
    known: list[IdentifiedChunk]
    batches: list[EmbeddingBatch]
    measuring_tokens: int
    embedded_title: str | None
    warnings: list[str]


class ChunkResult(StepResult):
    """`shadow` is what the shadow model lacks. It is never recorded: each call looks again."""

    step = Step.CHUNK

    model: str = ""
    chunks: int = 0
    reused: int = 0
    batches: tuple[EmbeddingBatchReference, ...] = ()
    shadow: BatchesToEmbed | None = None


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
    adds batches for the collection's shadow model. Batches are written before the transaction: a
    commit that is followed by a crash must find them there, and a stale run that writes them again
    writes the same bytes.
    """
    plans: list[ChunkPlan] = []

    def plan() -> ChunkPlan:
        plans.append(
            _plan_chunks(
                run,
                objects=objects,
                store=store,
                chunker=chunker,
                batch_size=batch_size,
                failure=failure,
            )
        )
        return plans[-1]

    result = store.perform(run, ChunkResult, plan=plan, write=_write)
    if not plans:  # an earlier call has written the chunks
        result = _take_up(run, result, objects=objects, store=store, batch_size=batch_size)
    if backfills is None:
        return result
    shadow = shadow_batches(run, store=backfills, objects=objects, batch_size=batch_size)
    return result.model_copy(update={"shadow": shadow})


def _plan_chunks(
    run: Run,
    *,
    objects: ObjectStore,
    store: IngestionStore,
    chunker: Chunker,
    batch_size: int,
    failure: str,
) -> ChunkPlan:
    """Cut the text, reserve what embedding it will cost, and leave the batches in S3."""
    pages, choices = store.cleaned_pages(run), store.choices_of(run)
    model, title = choices.model, choices.title
    sentences = plan_sentences(
        choices, pages, count_tokens=chunker.count_tokens, batch_size=batch_size
    )
    read = read_distances(run, sentences, failure=failure, objects=objects)
    chunks = _cut(run, pages, choices, sentences, read, chunker=chunker)
    # A vector is there for the same text, or for the same chunk of a copy of the document.
    hashes = store.embedded_hashes(run, model, [each.content_hash for each in chunks])
    copied = store.copied_hashes(run, model)
    known: list[IdentifiedChunk] = []
    missing: list[BatchItem] = []
    for each in chunks:
        if each.content_hash in hashes or each.chunk_hash in copied:
            known.append(each)
        else:
            missing.append(BatchItem(each.chunk_id, each.content_hash, each.chunk.indexed_text))
    texts = (item.text for item in missing)
    reserve_texts(run, texts, model=model, store=store, measured_tokens=read.input_tokens)
    planned = batches(missing, model=model, max_items=batch_size)
    # After the reservation: what lies in S3 is about to be bought.
    fault_point("chunk.before_batches")
    _write_batches(run, planned, objects=objects)
    embedded_title: str | None = None
    if sentences.profile.is_titled:
        embedded_title = title.text if title.is_given else ""
    warnings = _warnings_of(pages, model=model)
    return ChunkPlan(model, chunks, known, planned, read.input_tokens, embedded_title, warnings)


def _warnings_of(pages: list[CleanedPage], *, model: str) -> list[str]:
    text = "\n".join(page.text for page in pages)[:_TELLING]
    if (written := script_of(text)) is not None:
        script, language = written
        return [] if declared(model).knows(language) else [in_other_letters(script, model=model)]
    told = language_of(text)
    is_known = declared(model).knows(told)
    return [] if told is None or is_known else [in_another_language(told, model=model)]


def _cut(
    run: Run,
    pages: list[CleanedPage],
    choices: RunChoices,
    planned: SentencePlan,
    read: ReadDistances,
    *,
    chunker: Chunker,
) -> list[IdentifiedChunk]:
    profile, name = planned.profile, plugin_of(planned.profile.name)
    plugin = None if name is None else chunker.plugin(name)

    def cut_by(text: str, plugin: BaseChunker) -> list[tuple[int, int]]:
        pieces = plugin.chunk(text, profile.parameters)
        return [(piece.start, piece.end) for piece in pieces]

    if choices.sha256 is None:
        raise ArtifactInvalid("the bytes of this version have not been read")
    drafts = chunk(
        pages,
        profile=profile,
        count_tokens=chunker.count_tokens,
        title=choices.title.indexed,
        validate=planned.is_validated,
        measured=read.measured,
        cut_by=None if plugin is None else partial(cut_by, plugin=plugin),
    )
    if not drafts:
        message = f"profile {profile.name!r} made no chunk of a document that has text"
        raise ChunkingError(message, profile=profile.name)
    return [identify(run.document_id, choices.sha256, draft) for draft in drafts]


def _write_batches(run: Run, planned: list[EmbeddingBatch], *, objects: ObjectStore) -> None:
    for batch in planned:
        objects.write(embedding_batch_key(run, batch.batch_hash), encode_batch(batch))


def _write(writer: StepWriter, planned: ChunkPlan) -> ChunkResult:
    writer.insert_chunks(planned.chunks, embedded_title=planned.embedded_title)
    reused = writer.reuse_embeddings(planned.model, [item.chunk_id for item in planned.known])
    if reused != len(planned.known):
        message = f"{len(planned.known) - reused} vectors to copy were deleted meanwhile"
        raise StoreUnavailable(message)
    writer.warn(planned.warnings)
    if planned.measuring_tokens:
        writer.record_usage(
            model=planned.model, input_tokens=planned.measuring_tokens, method="sentences"
        )
    return ChunkResult(
        model=planned.model,
        chunks=len(planned.chunks),
        reused=reused,
        batches=references(batch.batch_hash for batch in planned.batches),
    )


def _take_up(
    run: Run, result: ChunkResult, *, objects: ObjectStore, store: IngestionStore, batch_size: int
) -> ChunkResult:
    """Return what is left to embed of chunks that an earlier call has written.

    Its batches, as long as they lie in S3. Else what lacks a vector is cut into batches anew, and
    numbered after all that there were: the collection was promoted to another model meanwhile, or
    the version is taken up after the 14 days that `staging/` is kept.
    """
    model = store.choices_of(run).model
    missing = store.unembedded(run, model)
    # Again: the run before this one may have ended and given its reservation back.
    reserve_texts(run, (item.text for item in missing.items), model=model, store=store)
    keys = (embedding_batch_key(run, batch.hash) for batch in result.batches)
    if model == result.model and all(objects.exists(key) for key in keys):
        return result
    planned = batches(missing.items, model=model, max_items=batch_size)
    _write_batches(run, planned, objects=objects)
    first = max(len(result.batches), missing.next_batch)
    named = references((batch.batch_hash for batch in planned), first=first)
    return result.model_copy(update={"model": model, "batches": named})
