"""Give chunks that are there the vectors of another model, a page of batches at a time.

Texts and vectors lie where those of ingestion do, below their document: a purge finds them, and
`embed` makes no difference between the two.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pulsedocs.embedding import batches
from pulsedocs.embedding_models.ports import BackfillStore
from pulsedocs.embedding_models.register_model import ask_for_backfill
from pulsedocs.embedding_models.vectors import read_vectors, reserve_texts
from pulsedocs.errors import BudgetExceeded, ProviderRefused
from pulsedocs.faults import fault_point
from pulsedocs.model.artifacts import encode_batch
from pulsedocs.model.caught_errors import report_of
from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import (
    BatchItem,
    EmbeddingBatch,
    EmbeddingBatchReference,
    references,
)
from pulsedocs.model.models import BackfillReference, LackingPage
from pulsedocs.model.object_keys import (
    backfill_of,
    embedding_batch_key,
    ingest_control_key,
)
from pulsedocs.ports.objects import ObjectStore

CHUNKS_A_PAGE: Final = 2_000
"""Of 8,000 characters at most: 16 million characters in memory."""
BATCHES_A_PAGE: Final = 200
"""In one state, of 256 KB: 300 bytes each. Only a version of long chunks alone may have more: 2,000
of 8,000 characters are 40 batches by their tokens, on top of those by their number."""
PAGES_AN_EXECUTION: Final = 6
"""An execution has 25,000 events, a batch 12 of them; retries take more."""
DOCUMENTS_RENEWED: Final = 200


@dataclass(frozen=True, slots=True)
class Begun:
    """`work` is false where another execution has the backfill, or it has ended."""

    work: bool
    backfill: BackfillReference
    after: str
    pages: int = 0


@dataclass(frozen=True, slots=True)
class Renewed:
    """`stale` is where the next page of stale documents begins; empty at their end."""

    backfill: BackfillReference
    after: str
    pages: int
    stale: str


@dataclass(frozen=True, slots=True)
class BackfillBatch:
    """A batch as it travels, with the version that its chunks are of."""

    run: Run
    hash: str


@dataclass(frozen=True, slots=True)
class NextBatches:
    """A page of work, and how it goes on behind it: `next` is PAGE, EXECUTION or END."""

    backfill: BackfillReference
    model: str
    batches: list[BackfillBatch]
    after: str
    pages: int
    next: str


@dataclass(frozen=True, slots=True)
class BatchesToEmbed:
    """What lacks a vector of a model; empty where no model is asked for."""

    model: str = ""
    batches: tuple[EmbeddingBatchReference, ...] = ()


@dataclass(frozen=True, slots=True)
class VectorsAdded:
    """Of one batch: rows added, and texts that the provider refused."""

    added: int
    refused: int


def begin_backfill(key: str, *, execution: str, store: BackfillStore) -> Begun:
    backfill = BackfillReference(*backfill_of(key), holder=execution)
    begun = store.begin(backfill)
    if begun is None:
        return Begun(work=False, backfill=backfill, after="")
    return Begun(work=True, backfill=backfill, after=begun.after)


def renew_stale(begun: Begun, *, stale: str, store: BackfillStore, objects: ObjectStore) -> Renewed:
    """Have stale documents made anew: the new version is embedded before it is published.

    A request that is lost after the commit is found by the sweep, like every other.
    """
    renewed, goes_on = store.renew(begun.backfill, after=stale, limit=DOCUMENTS_RENEWED)
    fault_point("backfill.before_control")
    for document_id in renewed:
        objects.write(ingest_control_key(begun.backfill.tenant_id, document_id), b"{}")
    return Renewed(begun.backfill, begun.after, begun.pages, goes_on)


def next_batches(
    backfill: BackfillReference,
    *,
    after: str,
    pages: int,
    store: BackfillStore,
    objects: ObjectStore,
    batch_size: int,
) -> NextBatches:
    """Leave the next texts in S3; those of which an equal one has a vector are copied instead.

    A batch holds chunks of one version: it goes when its document does.
    """
    limit = min(CHUNKS_A_PAGE, BATCHES_A_PAGE * batch_size)
    page = store.next_page(backfill, after=after, limit=limit)
    named: list[BackfillBatch] = []
    for lacking in page.versions:
        items = store.reuse(page.model, lacking)
        planned = batches(items, model=page.model, max_items=batch_size)
        first = not named
        is_full = not first and len(named) + len(planned) > BATCHES_A_PAGE
        if is_full or not _try_to_reserve(
            lacking.run, items, model=page.model, store=store, first=first
        ):
            # The next page begins in front of this version: no chunk sorts before id 0.
            before = f"{lacking.run.document_id}/{lacking.run.version}/{UUID(int=0)}"
            return _page(backfill, page, named, pages, after=before)
        _write(lacking.run, planned, objects=objects)
        named += [BackfillBatch(lacking.run, batch.batch_hash) for batch in planned]
    return _page(backfill, page, named, pages, after=page.after)


def shadow_batches(
    run: Run, *, store: BackfillStore, objects: ObjectStore, batch_size: int
) -> BatchesToEmbed:
    """Leave in S3 what a version in ingestion lacks of its collection's shadow model."""
    for model in store.other_models(run):
        items = store.lacking(run, model)
        if not _try_to_reserve(run, items, model=model, store=store):
            break  # what is searched goes first; a backfill brings the rest another day
        planned = batches(items, model=model, max_items=batch_size)
        _write(run, planned, objects=objects)
        return BatchesToEmbed(model, references(batch.batch_hash for batch in planned))
    return BatchesToEmbed()


def _try_to_reserve(
    run: Run, items: Iterable[BatchItem], *, model: str, store: BackfillStore, first: bool = False
) -> bool:
    """Reserve what the texts may cost; return False where the day has no room for them.

    Raises BudgetExceeded for the `first` of a page: there is nothing to go on with.
    """
    try:
        reserve_texts(run, (item.text for item in items), model=model, store=store)
    except BudgetExceeded:
        if first:
            raise
        return False
    return True


def store_more_vectors(
    run: Run, *, model: str, vectors_key: str, objects: ObjectStore, store: BackfillStore
) -> VectorsAdded:
    """Add vectors to chunks that lack them; refused texts become failures."""
    embedded = read_vectors(vectors_key, model=model, objects=objects)
    refused = embedded.refused_chunks
    added = store.add(
        run,
        model,
        vectors=embedded.accepted,
        refusals=[(chunk_id, ProviderRefused.code) for chunk_id in refused],
        input_tokens=embedded.input_tokens,
    )
    return VectorsAdded(added, len(refused))


def hand_over(backfill: BackfillReference, *, store: BackfillStore, objects: ObjectStore) -> None:
    """Leave the rest to a fresh execution: one cannot have more than 25,000 events."""
    store.hand_over(backfill)
    # Behind the commit: the next execution must find the backfill free.
    fault_point("backfill.handed_over")
    ask_for_backfill(backfill.tenant_id, backfill.backfill_id, objects=objects)


def end_backfill(backfill: BackfillReference, *, store: BackfillStore) -> None:
    store.end(backfill)


def fail_backfill(
    backfill: BackfillReference, *, name: str, cause: str, store: BackfillStore
) -> None:
    """Record why it stopped: `name` and `cause` are what Step Functions caught."""
    store.end(backfill, report_of(name, cause))


def fail_execution(key: str, *, execution: str, status: str, store: BackfillStore) -> None:
    """Record the end of an execution that no Catch saw: it timed out, was aborted, or broke."""
    name = "States.Timeout" if status == "TIMED_OUT" else f"Execution.{status.title()}"
    backfill = BackfillReference(*backfill_of(key), holder=execution)
    fail_backfill(backfill, name=name, cause="", store=store)


def _write(run: Run, planned: Iterable[EmbeddingBatch], *, objects: ObjectStore) -> None:
    for batch in planned:
        fault_point("backfill.before_batch")
        objects.write(embedding_batch_key(run, batch.batch_hash), encode_batch(batch))


def _page(
    backfill: BackfillReference,
    page: LackingPage,
    named: list[BackfillBatch],
    pages: int,
    *,
    after: str,
) -> NextBatches:
    goes_on = "PAGE" if pages + 1 < PAGES_AN_EXECUTION else "EXECUTION"
    return NextBatches(backfill, page.model, named, after, pages + 1, goes_on if after else "END")
