"""Announce a document version, so that no collection has a source or bytes twice."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.audits import record_audit
from pulsedocs.adapters.postgres.ingestion.publications import describe_document
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key, value_of
from pulsedocs.errors import Conflict, DuplicateDocument, InvalidRequest
from pulsedocs.model.changes import StageDefaults
from pulsedocs.model.documents import (
    DuplicateBy,
    IngestOptions,
    OnDuplicate,
    Registered,
    Registration,
)
from pulsedocs.pipeline import PIPELINE_REVISION

_DEFAULT_COLLECTION = IngestOptions().collection


@dataclass(frozen=True, slots=True)
class _Document:
    document_id: UUID
    collection_id: UUID
    latest_version: int
    published_version: int | None
    deleted_at: datetime | None


class Announcement:
    """One registration, with the id its document gets should it turn out to be new.

    The id is drawn before the first attempt: a second one, after a commit whose answer was lost,
    finds the document under it and knows it for its own.
    """

    def __init__(
        self,
        tenant_id: UUID,
        registration: Registration,
        *,
        default_model: str,
        defaults: StageDefaults,
    ) -> None:
        kind = registration.source_type
        self._origin = {"source_type": kind} if kind else {}
        self._registration = registration
        self._options = registration.options
        self._fresh_id = uuid4()
        self._model = default_model
        self._defaults = defaults
        self._key: Key = {
            "tenant_id": tenant_id,
            "source": registration.source,
            "title": registration.title,
            "metadata": Jsonb(dict(registration.metadata)),
            "origin": Jsonb(self._origin),
            "content_date": registration.content_date,
            "content_type": registration.content_type,
            "size": registration.size,
            "declared_size": registration.size,
            "sha256": registration.sha256,
            "pipeline_revision": PIPELINE_REVISION,
            "on_duplicate": self._options.on_duplicate.value,
            "duplicate_by": self._options.duplicate_by.value,
            "hold": self._options.hold,
            "validate_chunks": self._options.validate_chunks,
            "inherits_profile": "profile" not in self._options.chunking,
        }

    def register(self, tx: Connection[Any]) -> Registered:
        """Do what `documents.ports.DocumentCatalogue.register` promises, in one transaction."""
        collection_id, chunk_profile = self._find_or_make_collection(tx)
        document, is_new = self._find_or_make_document(tx, collection_id)
        if not is_new:
            if document.document_id == self._fresh_id:
                return Registered(self._fresh_id, document.latest_version, None)
            existing = self._refuse_or_repeat(tx, document)
            if existing is not None:
                return existing
        chunking = self._defaults.chunking_of(chunk_profile, self._options.chunking)
        version = document.latest_version + 1
        key = self._key | {
            "document_id": document.document_id,
            "collection_id": document.collection_id,
            "version": version,
            "chunking": Jsonb(chunking),
            "announced": None if is_new else Jsonb(self._announced()),
        }
        action, by = self._options.on_duplicate, self._options.duplicate_by
        if action is OnDuplicate.REJECT and by is DuplicateBy.CONTENT:
            known = value_of(tx, "document_of_bytes", key)
            if known is not None:
                raise _duplicate(known)
        is_repetition = value_of(tx, "announced_repetition", key) is not None
        duplicate_of = document.document_id if is_repetition else None
        tx.execute(query("add_version"), key | {"duplicate_of": duplicate_of})
        tx.execute(query("count_version"), key)
        if is_repetition and not self._options.hold:
            describe_document(tx, key)
        record_audit(
            tx,
            self._key["tenant_id"],
            self._registration.actor,
            "register_document",
            str(document.document_id),
            version=version,
        )
        return Registered(document.document_id, version, duplicate_of)

    def _announced(self) -> dict[str, Any]:
        """Return what the document will be described by once it shows the version."""
        said = self._registration
        return {
            "source": said.source,
            "title": said.title,
            "content_date": said.content_date and said.content_date.isoformat(),
            "metadata": dict(said.metadata),
            "origin": self._origin,
        }

    def _find_or_make_collection(self, tx: Connection[Any]) -> tuple[UUID, str]:
        parameters = self._key | {
            "collection": self._options.collection,
            "model": self._model,
            "chunk_profile": self._defaults.chunk_profile,
            "retrieval_profile": self._defaults.retrieval_profile,
        }
        found = tx.execute(query("collection_named"), parameters).fetchone()
        if found is None:
            for name in ("ensure_model", "add_model", "add_collection", "revive_model"):
                tx.execute(query(name), parameters)
            found = tx.execute(query("collection_named"), parameters).fetchone()
        assert found is not None  # noqa: S101 -- made above, by us or by whoever came first
        return found[0], found[1]

    def _find_or_make_document(
        self, tx: Connection[Any], collection_id: UUID
    ) -> tuple[_Document, bool]:
        """Return the locked document and whether it was made just now."""
        key = self._key | {"collection_id": collection_id}
        named = self._registration.document_id
        found = None if named is None else self._lock_named(tx, key | {"document_id": named})
        if found is None and named is None:
            found = _one(tx, "document_with_source", key)
        if found is not None:
            return found, False
        made = _one(tx, "add_document", key | {"document_id": named or self._fresh_id})
        if made is not None:
            return made, True
        # Another request made it between our look and our insert.
        found = _one(tx, "document_with_source", key)
        if found is None:
            raise Conflict("another request took this document id; try again")
        if named is not None and found.document_id != named:
            raise _duplicate(found.document_id)
        return found, False

    def _lock_named(self, tx: Connection[Any], key: Key) -> _Document | None:
        """Return the document of an id that the request chose, None for an id nobody has had."""
        found = _one(tx, "document_with_id", key)
        if found is None and value_of(tx, "receipt_of_document", key) is not None:
            raise Conflict("this document was deleted; register without its id")
        if found is None:
            return None
        if found.deleted_at is not None:
            raise Conflict("this document is being deleted; register without its id")
        # A request that names no collection means the document wherever it is.
        is_default = self._options.collection == _DEFAULT_COLLECTION
        if found.collection_id != key["collection_id"] and not is_default:
            raise InvalidRequest("this document is in another collection")
        namesake = _one(tx, "document_with_source", key | {"collection_id": found.collection_id})
        if namesake is not None and namesake.document_id != found.document_id:
            raise _duplicate(namesake.document_id)
        return found

    def _refuse_or_repeat(self, tx: Connection[Any], document: _Document) -> Registered | None:
        """Decide by the source; None when new bytes may become the document's next version.

        A document whose uploads all failed or never arrived leaves its source free.
        """
        if self._registration.document_id is not None:
            return None
        is_by_source = self._options.duplicate_by is DuplicateBy.SOURCE
        action = self._options.on_duplicate
        if action is OnDuplicate.REPLACE or (action is OnDuplicate.SKIP and not is_by_source):
            return None
        if not value_of(tx, "is_in_use", self._key | {"document_id": document.document_id}):
            return None
        if action is OnDuplicate.REJECT:
            raise _duplicate(document.document_id)
        version = document.published_version or document.latest_version
        return Registered(document.document_id, version, document.document_id)


def _one(tx: Connection[Any], name: str, key: Key) -> _Document | None:
    with tx.cursor(row_factory=class_row(_Document)) as cursor:
        return cursor.execute(query(name), key).fetchone()


def _duplicate(document_id: UUID) -> DuplicateDocument:
    return DuplicateDocument(
        f"the collection has this document already, as {document_id}",
        document_id=str(document_id),
    )
