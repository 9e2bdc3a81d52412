"""The rows of a batch: who works on it, what was listed, what is left, what became nothing."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pulsedocs.batches.list_batch import OBJECTS_AT_ONCE
from pulsedocs.batches.ports import BatchStore
from pulsedocs.errors import Stuck
from pulsedocs.model.batches import BatchReference, objects_text, parse_objects
from pulsedocs.model.caught_errors import kind_of, outcome_of, report_of
from pulsedocs.model.documents import ErrorReport
from pulsedocs.model.object_keys import batch_of, batch_page_key
from pulsedocs.ports.objects import ObjectStore

_LOST: Final = "nothing came of this object, twice: its copy or its run is gone; resume the batch"


@dataclass(frozen=True, slots=True)
class Tallied:
    """The state of the batch's machine; `after` is where its next step begins."""

    batch: BatchReference
    work: bool
    after: str
    more: bool
    items: str | None = None
    """The key of a page of what is left to do."""
    count: int = 0
    again: bool = False
    """Whether those objects are looked at once more that became nothing."""


def begin_batch(key: str, *, execution: str, store: BatchStore) -> Tallied:
    """Take the batch that a control key names; a second execution for it has nothing to do."""
    tenant_id, batch_id = batch_of(key)
    # This execution holds the leases of all its children: when it ends badly, one statement frees
    # them.
    batch = BatchReference(tenant_id, batch_id, execution)
    is_listed = store.begin(batch)
    return Tallied(batch, work=is_listed is not None, after="", more=not is_listed)


def enrol_objects(
    batch: BatchReference,
    listing: str,
    *,
    after: str,
    more: bool,
    store: BatchStore,
    objects: ObjectStore,
) -> Tallied:
    """Take a page of the listing into the rows; what is unchanged is done with it."""
    store.enrol(batch, parse_objects(objects.read(listing)), last=not more)
    return Tallied(batch, work=True, after=after if more else "", more=more)


def next_objects(
    batch: BatchReference,
    *,
    after: str,
    is_again: bool | None,
    store: BatchStore,
    objects: ObjectStore,
) -> Tallied:
    """Write what is left to do behind `after`: an object comes once in an execution, or twice.

    Twice comes what no version stands for: of a document that was deleted between its copy and its
    claim, the object is a new one, and what failed may pass. None for `is_again` looks at nothing
    twice: so does a machine of an earlier release ask, which would go on for ever.
    """
    left = store.pending(batch, after=after, limit=OBJECTS_AT_ONCE, only_unbound=bool(is_again))
    if not left and is_again is False:
        after, is_again = "", True
        left = store.pending(batch, after=after, limit=OBJECTS_AT_ONCE, only_unbound=True)
    if not left:
        return Tallied(batch, work=False, after=after, more=False)
    items = batch_page_key(batch.tenant_id, batch.batch_id, "items", after=after)
    objects.write(items, objects_text(left))
    return Tallied(
        batch,
        work=True,
        after=left[-1].source,
        more=True,
        items=items,
        count=len(left),
        again=bool(is_again),
    )


def refuse_object(
    batch: BatchReference, source: str, *, name: str, cause: str, store: BatchStore
) -> None:
    """Keep why an object became no document; the others go on."""
    store.refuse(batch, source, outcome_of(kind_of(name)), report_of(name, cause))


def end_batch(batch: BatchReference, *, store: BatchStore) -> None:
    """End an execution that went through all objects: each has become something, or says why."""
    lost = ErrorReport(Stuck.code, _LOST, {}, Stuck.guidance)
    store.end(batch, lost=lost)


def end_execution(key: str, *, execution: str, store: BatchStore) -> UUID:
    """Free what an execution held that timed out, was aborted, or broke."""
    tenant_id, batch_id = batch_of(key)
    store.end(BatchReference(tenant_id, batch_id, execution))
    return batch_id
