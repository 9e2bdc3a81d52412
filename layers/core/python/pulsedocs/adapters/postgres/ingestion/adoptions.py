"""Rows for an object that came without them: its request's record says what they hold."""

from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from pulsedocs.adapters.postgres.documents.registrations import Announcement
from pulsedocs.adapters.postgres.ingestion.claims import comparable
from pulsedocs.adapters.postgres.ingestion.endings import end_version
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key, lock_document, value_of
from pulsedocs.errors import (
    Conflict,
    DuplicateDocument,
    DuplicateInProgress,
    InvalidRequest,
)
from pulsedocs.faults import fault_point
from pulsedocs.model.changes import StageDefaults
from pulsedocs.model.documents import (
    DuplicateBy,
    ErrorReport,
    NothingToDo,
    OnDuplicate,
    StoredObject,
)
from pulsedocs.model.requests import IngestRecord
from pulsedocs.pipeline import PIPELINE_REVISION, Outcome

_LONGEST_SOURCE: Final = 1024  # as the column has it


@dataclass(frozen=True, slots=True)
class Adoption:
    """An object version that names a record, and what a collection made for it would be like."""

    tenant_id: UUID
    document_id: UUID
    record: IngestRecord
    stored: StoredObject
    sequencer: str | None
    default_model: str
    defaults: StageDefaults

    @property
    def key(self) -> Key:
        return {
            "tenant_id": self.tenant_id,
            "document_id": self.document_id,
            "object_version": self.stored.object_version,
            "pipeline_revision": PIPELINE_REVISION,
            "size": self.stored.size,
            "sequencer": comparable(self.sequencer),
            "upload_order": self.stored.upload_order,
        }


class _KnownAlready(Exception):
    """Another delivery of the event made the rows meanwhile."""


def adopt(adoption: Adoption, tx: Connection[Any]) -> NothingToDo | None:
    """Do what `ingestion.ports.IngestionStore.adopt` promises, in one transaction."""
    document = lock_document(tx, adoption.key)
    if value_of(tx, "is_object_known", adoption.key):
        return None
    is_gone = document is None and value_of(tx, "receipt_of_document", adoption.key)
    if is_gone or (document is not None and document.deleted_at is not None):
        return NothingToDo("the document was deleted", is_gone=True)
    try:
        with tx.transaction():
            _register(adoption, tx, is_known=document is not None)
    except _KnownAlready:
        return None
    except (DuplicateDocument, InvalidRequest) as refusal:
        _end_refused(adoption, tx, refusal)
    except Conflict as conflict:
        return NothingToDo(conflict.message)
    record = adoption.record
    if record.batch_id is not None:
        # The batch that brought the object shows what became of it.
        named = {"batch_id": record.batch_id, "source": record.registration.source}
        tx.execute(query("attach_item"), adoption.key | named)
    fault_point("adopt.before_commit")
    return None


def _register(adoption: Adoption, tx: Connection[Any], *, is_known: bool) -> None:
    """Register as the API would, under the id that the object has."""
    registration = adoption.record.registration
    if is_known and registration.document_id is None:
        _refuse_known_source(adoption, tx)
    registered = Announcement(
        adoption.tenant_id,
        replace(registration, document_id=adoption.document_id, size=adoption.stored.size),
        default_model=adoption.default_model,
        defaults=adoption.defaults,
    ).register(tx)
    # A rival may have bound the object to a version while this one waited for the lock.
    if value_of(tx, "is_object_known", adoption.key):
        raise _KnownAlready
    tx.execute(query("receive_version"), adoption.key | {"version": registered.version})


def _refuse_known_source(adoption: Adoption, tx: Connection[Any]) -> None:
    """Raise DuplicateDocument where the source alone decides that the bytes are not wanted.

    Raises DuplicateInProgress while that is open: skipped for a run that fails, they would be lost.
    """
    options = adoption.record.registration.options
    is_skipped = (
        options.on_duplicate is OnDuplicate.SKIP and options.duplicate_by is DuplicateBy.SOURCE
    )
    is_refused = options.on_duplicate is OnDuplicate.REJECT
    is_in_use = value_of(tx, "is_in_use", adoption.key)
    if is_skipped and is_in_use and not value_of(tx, "is_served", adoption.key):
        raise DuplicateInProgress("a file of this source is being ingested, and may still fail")
    if (is_skipped or is_refused) and is_in_use:
        raise DuplicateDocument(
            f"the collection has this source already, as {adoption.document_id}",
            document_id=str(adoption.document_id),
        )


def _end_refused(
    adoption: Adoption, tx: Connection[Any], refusal: DuplicateDocument | InvalidRequest
) -> None:
    """Leave a version that says why: the caller was given an id, and asks for its status."""
    row = _find_or_make_document(adoption, tx)
    if row is None or value_of(tx, "is_object_known", adoption.key):
        return
    options = adoption.record.registration.options
    key = adoption.key | {"version": row[2] + 1}
    added = key | {
        "collection_id": row[1],
        "content_type": adoption.record.registration.content_type,
        "on_duplicate": options.on_duplicate.value,
        "duplicate_by": options.duplicate_by.value,
        "hold": options.hold,
        "validate_chunks": options.validate_chunks,
    }
    tx.execute(query("add_refused_version"), added)
    tx.execute(query("count_version"), added)
    is_skipped = (
        isinstance(refusal, DuplicateDocument)
        and refusal.context.get("document_id") == str(adoption.document_id)
        and options.on_duplicate is OnDuplicate.SKIP
    )
    if is_skipped:
        end_version(tx, key, Outcome.DUPLICATE, duplicate_of=adoption.document_id, step="adopt")
        return
    report = ErrorReport(refusal.code, refusal.message, refusal.context, refusal.guidance)
    end_version(tx, key, Outcome.REJECTED, error=report, step="adopt")


def _find_or_make_document(adoption: Adoption, tx: Connection[Any]) -> tuple[Any, ...] | None:
    """Return id, collection and newest version of the document that the object belongs to.

    A document that is made here gets a source of its own: the announced one may be taken.
    """
    registration = adoption.record.registration
    found = tx.execute(query("document_with_id"), adoption.key).fetchone()
    if found is not None:
        return found
    named = {"collection": registration.options.collection}
    collection = tx.execute(query("collection_named"), adoption.key | named).fetchone()
    if collection is None:
        return None
    mark = f" [{adoption.document_id}]"
    added = adoption.key | {
        "collection_id": collection[0],
        "source": registration.source[: _LONGEST_SOURCE - len(mark)] + mark,
        "title": registration.title,
    }
    return tx.execute(query("add_refused_document"), added).fetchone()
