"""What the documents API shows: one document, a page of documents, their pages and chunks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pulsedocs.documents.cursors import cursor_behind, cursor_of, decoded, no_cursor, place_in_time
from pulsedocs.documents.ports import AuditTrail, DocumentCatalogue
from pulsedocs.errors import InvalidRequest
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
    before = None if cursor is None else _number(decoded(cursor))
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
    """Return chunks in reading order.

    A listing ends with the version that it began with, whatever is published meanwhile. Raises
    InvalidRequest where that version is no longer kept.
    """
    version, after = (None, -1) if cursor is None else _place_in_version(cursor)
    found = catalogue.chunks(tenant_id, document_id, version=version, after=after, limit=limit + 1)
    if version is not None and not found:  # a cursor is given out where there are more chunks
        raise InvalidRequest(f"version {version} has no chunks behind the cursor any more")
    page = found[:limit]
    more = len(found) > limit
    return ChunkListing(page, cursor_of((page[-1]["version"], after + len(page))) if more else None)


def _place_in_version(cursor: str) -> tuple[int, int]:
    match decoded(cursor):
        case [version, after]:
            return _number(version), _number(after)
        case _:
            raise no_cursor()


def _number(number: object) -> int:
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
