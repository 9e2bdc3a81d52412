"""What the documents API shows: one document, a page of documents, their pages and chunks."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pulsedocs.documents.ports import AuditTrail, DocumentCatalogue
from pulsedocs.errors import InvalidRequest
from pulsedocs.model.audits import AuditEvent
from pulsedocs.model.documents import DocumentStatus
from pulsedocs.ports.objects import ObjectStore

_MAX_CURSOR = 500


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
    """Return documents oldest first; the cursor holds a position, never a permission."""
    found = catalogue.list_documents(
        tenant_id,
        collection=collection,
        state=state,
        filters=filters,
        after=None if cursor is None else _position(cursor),
        limit=limit + 1,  # the one more tells whether there is another page
    )
    page = found[:limit]
    more = len(found) > limit
    last = (page[-1].created_at.isoformat(), str(page[-1].document_id)) if more else None
    return DocumentListing(page, None if last is None else _encode(last))


def list_audit(
    tenant_id: UUID, *, trail: AuditTrail, cursor: str | None, limit: int
) -> AuditListing:
    """Return who did what, newest first."""
    before = None if cursor is None else _position(cursor)
    found = trail.events(tenant_id, before=before, limit=limit + 1)
    page = found[:limit]
    more = len(found) > limit
    return AuditListing(
        page, _encode((page[-1].at.isoformat(), str(page[-1].event_id))) if more else None
    )


def list_chunks(
    tenant_id: UUID,
    document_id: UUID,
    *,
    catalogue: DocumentCatalogue,
    cursor: str | None,
    limit: int,
) -> ChunkListing:
    """Return chunks in reading order."""
    after = -1
    if cursor is not None:
        after = _decode(cursor)
        if type(after) is not int or not 0 <= after < 2**31:  # `true` is an int to isinstance
            raise _refused()
    found = catalogue.chunks(tenant_id, document_id, after=after, limit=limit + 1)
    page = found[:limit]
    more = len(found) > limit
    return ChunkListing(page, _encode(after + len(page)) if more else None)


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
        content_type=status.content_type,
    )


def _encode(position: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode()


def _decode(cursor: str) -> Any:  # noqa: ANN401 -- checked by the callers
    try:
        return json.loads(base64.urlsafe_b64decode(cursor[:_MAX_CURSOR].encode()))
    except (ValueError, RecursionError):
        raise _refused() from None


def _position(cursor: str) -> tuple[datetime, UUID]:
    try:
        created_at, document_id = _decode(cursor)
        moment = datetime.fromisoformat(created_at)
        if moment.tzinfo is None:  # it would be compared as one of the database's time zone
            raise _refused()
        return moment, UUID(document_id)
    except (TypeError, ValueError, AttributeError):
        raise _refused() from None


def _refused() -> InvalidRequest:
    return InvalidRequest("the cursor is not one that this listing gave out")
