"""Ingestion, first step: decide whether an object version is new work, and whose it is."""

from dataclasses import dataclass
from uuid import UUID

from pulsedocs.errors import ObjectNotFound
from pulsedocs.faults import fault_point
from pulsedocs.model.documents import ClaimedWork, NothingToDo, Run, StoredObject
from pulsedocs.model.object_keys import open_marker_key, subject_of
from pulsedocs.ports import IngestionStore, ObjectStore


@dataclass(frozen=True, slots=True)
class ObjectReference:
    key: str
    version: str
    content_type: str
    size: int


@dataclass(frozen=True, slots=True)
class Claimed:
    """The state machine's state from here on; `run` and `object` are None without work."""

    work: bool
    reason: str | None
    run: Run | None
    object: ObjectReference | None


def claim_upload(
    key: str,
    *,
    object_version: str | None,
    sequencer: str | None,
    holder: str,
    objects: ObjectStore,
    store: IngestionStore,
) -> Claimed:
    """Claim what an event speaks of.

    The event is a hint: tenant and document come from the key, everything else from the object
    store and the database. An object that is gone is no work.
    """
    subject = subject_of(key)
    stored = None
    if key.startswith("u/"):
        stored = _describe(objects, key, object_version)
        if stored is None:
            return _nothing("the object does not exist any more")
    decision = store.claim(
        subject.tenant_id,
        subject.document_id,
        stored=stored,
        sequencer=sequencer,
        holder=holder,
    )
    if isinstance(decision, NothingToDo):
        return _nothing(decision.reason)
    return _granted(decision, objects=objects, document_id=subject.document_id)


def _granted(decision: ClaimedWork, *, objects: ObjectStore, document_id: UUID) -> Claimed:
    fault_point("claim.before_marker")
    objects.write(open_marker_key(decision.run.tenant_id, document_id), b"{}")
    return Claimed(
        work=True,
        reason=None,
        run=decision.run,
        object=ObjectReference(
            key=decision.object_key,
            version=decision.object_version,
            content_type=decision.content_type,
            size=decision.size,
        ),
    )


def _nothing(reason: str) -> Claimed:
    return Claimed(work=False, reason=reason, run=None, object=None)


def _describe(objects: ObjectStore, key: str, version: str | None) -> StoredObject | None:
    try:
        return objects.describe(key, object_version=version)
    except ObjectNotFound:
        return None
