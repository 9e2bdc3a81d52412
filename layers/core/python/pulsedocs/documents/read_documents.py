"""What the documents API shows: one document, a page of documents, their pages and chunks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pulsedocs.documents.cursors import cursor_behind, cursor_of, decoded, no_cursor, place_in_time
from pulsedocs.documents.ports import AuditTrail, DocumentCatalogue
from pulsedocs.model.audits import AuditEvent
from pulsedocs.model.documents import DocumentStatus, DocumentVersion
from pulsedocs.ports.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class DocumentListing:
    documents: list[DocumentStatus]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class AuditListing:
    events: list[AuditEvent]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class ChunkListing:
    chunks: list[Mapping[str, Any]]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class VersionListing:
    versions: list[DocumentVersion]
    cursor: str | None


def list_documents(
    tenant_id: UUID,
    *,
    catalogue: DocumentCatalogue,
    collection: str | None,
    state: str | None,
    filters: Mapping[str, Any] | None,
    cursor: str | None,
    limit: int,
) -> DocumentListing:
    """Return documents newest first; the cursor holds a position, never a permission."""
    found = catalogue.list_documents(
        tenant_id,
        collection=collection,
        state=state,
        filters=filters,
        after=place_in_time(cursor),
        limit=limit + 1,  # the one more tells whether there is another page
    )
    page = found[:limit]
    more = len(found) > limit
    return DocumentListing(
        page, cursor_behind(page[-1].created_at, page[-1].document_id) if more else None
    )


def list_audit(
    tenant_id: UUID, *, trail: AuditTrail, cursor: str | None, limit: int
) -> AuditListing:
    """Return who did what, newest first."""
    found = trail.events(tenant_id, before=place_in_time(cursor), limit=limit + 1)
    page = found[:limit]
    more = len(found) > limit
    return AuditListing(page, cursor_behind(page[-1].at, page[-1].event_id) if more else None)


def list_versions(
    tenant_id: UUID,
    document_id: UUID,
    *,
    catalogue: DocumentCatalogue,
    cursor: str | None,
    limit: int,
) -> VersionListing:
    """Return versions newest first."""
    before = None if cursor is None else _number_in(cursor)
    found = catalogue.versions(tenant_id, document_id, before=before, limit=limit + 1)
    page = found[:limit]
    more = len(found) > limit
    return VersionListing(page, cursor_of(page[-1].version) if more else None)


def list_chunks(
    tenant_id: UUID,
    document_id: UUID,
    *,
    catalogue: DocumentCatalogue,
    cursor: str | None,
    limit: int,
) -> ChunkListing:
    """Return chunks in reading order."""
    after = -1 if cursor is None else _number_in(cursor)
    found = catalogue.chunks(tenant_id, document_id, after=after, limit=limit + 1)
    page = found[:limit]
    more = len(found) > limit
    return ChunkListing(page, cursor_of(after + len(page)) if more else None)


def _number_in(cursor: str) -> int:
    number = decoded(cursor)
    if type(number) is not int or not 0 <= number < 2**31:  # `true` is an int to isinstance
        raise no_cursor()
    return number


def link_to_file(
    tenant_id: UUID, document_id: UUID, *, catalogue: DocumentCatalogue, objects: ObjectStore
) -> str:
    """Return a short-lived link to the uploaded bytes."""
    status = catalogue.status(tenant_id, document_id)
    stored = catalogue.object_of(tenant_id, document_id)
    return objects.presign_download(
        stored.key,
        object_version=stored.object_version,
        filename=status.source,
        content_type=stored.content_type,
    )
