"""Ingestion, first step: decide whether an object version is new work, and whose it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from pulsedocs.deletion.delete_document import purge_again
from pulsedocs.deletion.ports import ObjectArchive
from pulsedocs.errors import (
    DocumentRejected,
    DuplicateInProgress,
    FileEmpty,
    FileTooLarge,
    ObjectNotFound,
)
from pulsedocs.faults import fault_point
from pulsedocs.ingestion.adopt_request import adopt_request
from pulsedocs.ingestion.ports import IngestionStore
from pulsedocs.model.deletions import ObjectVersion
from pulsedocs.model.documents import ClaimedWork, ErrorReport, NothingToDo, Run, StoredObject
from pulsedocs.model.object_keys import (
    Subject,
    open_marker_key,
    subject_of,
    upload_key,
)
from pulsedocs.model.plurals import megabytes
from pulsedocs.pipeline import Outcome
from pulsedocs.ports.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class ObjectReference:
    key: str
    version: str
    content_type: str
    size: int
    ocr_languages: Sequence[str] | None = None
    """In which words on its pictures are recognised; None for those of the stage."""
    language: str | None = None
    """Of its collection."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """The state machine's state from here on; `run` and `object` are None without work."""

    work: bool
    reason: str | None
    run: Run | None
    object: ObjectReference | None
    outcome: Outcome | None = None
    """Of a version that ended here: a duplicate, or bytes that nobody has to read."""


def claim_upload(
    key: str,
    *,
    object_version: str | None,
    sequencer: str | None,
    holder: str,
    objects: ObjectArchive,
    store: IngestionStore,
    max_bytes: int,
) -> Claimed:
    """Claim what an event speaks of; known bytes end here, before anything is extracted.

    The event is a hint: tenant and document come from the key, everything else from the object
    store and the database. An object that is gone is no work, and the second one of a
    form is removed. Raises DuplicateInProgress.
    """
    subject = subject_of(key)
    stored = content = None
    # An execution that waits for the same bytes elsewhere asks again, and has a version already: to
    # newer bytes it would leave that open, with nobody to go on with it.
    is_new_run = not key.startswith("u/") and not store.leased_run(
        subject.tenant_id, subject.document_id, holder=holder
    )
    if is_new_run and _has_unseen_bytes(subject, objects=objects, store=store):
        # Their event was lost: what it would have said of them, but its sequencer, is in S3.
        key = upload_key(subject.tenant_id, subject.document_id)
        object_version = sequencer = None
    if key.startswith("u/"):
        try:
            stored = objects.describe(key, object_version=object_version)
            content = _digest_or_refusal(objects, stored, max_bytes=max_bytes)
            stored = replace(stored, upload_orders=objects.upload_orders(stored))
        except ObjectNotFound:
            return _nothing(NothingToDo("the object does not exist any more"))
        refusal = adopt_request(stored, sequencer, subject=subject, objects=objects, store=store)
        if refusal is not None:
            return _turn_away(refusal, subject, objects=objects, store=store)
    decision = store.claim(
        subject.tenant_id,
        subject.document_id,
        stored=stored,
        sequencer=sequencer,
        holder=holder,
        content=content,
    )
    if isinstance(decision, NothingToDo):
        if decision.is_surplus and stored is not None:
            version, size = stored.object_version, stored.size
            objects.erase([ObjectVersion(key, version, is_delete_marker=False, size=size)])
        if decision.ended is not None:
            objects.remove(open_marker_key(subject.tenant_id, subject.document_id))
        return _turn_away(decision, subject, objects=objects, store=store)
    return _begin(decision, objects=objects, document_id=subject.document_id)


def check_size(size: int, *, max_bytes: int) -> None:
    if size == 0:
        raise FileEmpty("the file has no bytes")
    if size > max_bytes:
        raise FileTooLarge(f"the file has {megabytes(size)}; {megabytes(max_bytes)} are allowed")


def _has_unseen_bytes(subject: Subject, *, objects: ObjectStore, store: IngestionStore) -> bool:
    """Say whether the newest upload is one that no version stands for."""
    try:
        newest = objects.describe(upload_key(subject.tenant_id, subject.document_id))
    except ObjectNotFound:
        return False
    return not store.is_object_known(
        subject.tenant_id, subject.document_id, object_version=newest.object_version
    )


def _digest_or_refusal(
    objects: ObjectStore, stored: StoredObject, *, max_bytes: int
) -> bytes | ErrorReport:
    """Return the digest of the bytes, or why nobody has to read them."""
    try:
        check_size(stored.size, max_bytes=max_bytes)
    except DocumentRejected as error:
        return ErrorReport(error.code, error.message, error.context, error.guidance)
    # Read once more rather than asked for: of S3's own checksum a client chooses the kind, and that
    # of a multipart upload is of its parts.
    return objects.sha256(stored.key, object_version=stored.object_version)


def _begin(decision: ClaimedWork, *, objects: ObjectStore, document_id: UUID) -> Claimed:
    fault_point("claim.before_marker")
    # What came by reference has none yet, and the end of another version may have removed it.
    objects.write(open_marker_key(decision.run.tenant_id, document_id), b"{}")
    if decision.must_wait:
        raise DuplicateInProgress("the same bytes are being ingested in another run")
    return Claimed(
        work=True,
        reason=None,
        run=decision.run,
        object=ObjectReference(
            key=decision.object_key,
            version=decision.object_version,
            content_type=decision.content_type,
            size=decision.size,
            ocr_languages=decision.ocr_languages,
            language=decision.language,
        ),
    )


def _turn_away(
    decision: NothingToDo, subject: Subject, *, objects: ObjectStore, store: IngestionStore
) -> Claimed:
    if decision.is_gone:
        purge_again(subject.tenant_id, subject.document_id, objects=objects, store=store)
    return _nothing(decision)


def _nothing(decision: NothingToDo) -> Claimed:
    return Claimed(
        work=False, reason=decision.reason, run=None, object=None, outcome=decision.ended
    )
