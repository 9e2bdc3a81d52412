"""What the documents API reads and writes, always within one tenant."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, LiteralString
from uuid import UUID

from psycopg import Connection, sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.filters_sql import wanted_documents
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.registrations import Announcement
from pulsedocs.adapters.postgres.statuses import chunk_view, status_of
from pulsedocs.errors import (
    DocumentNotFound,
    IdempotencyKeyReused,
    ObjectNotFound,
    PageNotFound,
    RequestInProgress,
)
from pulsedocs.model.documents import (
    DocumentStatus,
    Registered,
    Registration,
    StoredObject,
)
from pulsedocs.model.object_keys import upload_key
from pulsedocs.retrieval.filters import parse_filter


class PostgresDocumentCatalogue:
    """Implements `ports.documents.DocumentCatalogue`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(
        self,
        tenant_id: UUID,
        registration: Registration,
        *,
        default_model: str,
        default_profile: str = "classic",
    ) -> Registered:
        announcement = Announcement(
            tenant_id,
            registration,
            default_model=default_model,
            default_profile=default_profile,
        )
        return self._database.run(tenant_id, announcement.register)

    def status(self, tenant_id: UUID, document_id: UUID) -> DocumentStatus:
        rows = self._rows(tenant_id, query("document_statuses"), {"document_ids": [document_id]})
        if not rows:
            raise _not_found(document_id)
        return status_of(rows[0])

    def list_documents(
        self,
        tenant_id: UUID,
        *,
        collection: str | None,
        state: str | None,
        filters: Mapping[str, Any] | None,
        after: tuple[datetime, UUID] | None,
        limit: int,
    ) -> list[DocumentStatus]:
        created_at, document_id = after or (None, None)
        wanted, values = wanted_documents(parse_filter(filters), ())
        position = {
            "tenant_id": tenant_id,
            "collection": collection,
            "state": state,
            "created_at": created_at,
            "document_id": document_id,
            "limit": limit,
        }

        def work(tx: Connection[Any]) -> list[DocumentStatus]:
            listing = sql.SQL(query("list_documents")).format(wanted=wanted)
            found = [row[0] for row in tx.execute(listing, position | values)]
            statuses = {"tenant_id": tenant_id, "document_ids": found}
            with tx.cursor(row_factory=dict_row) as cursor:
                rows = cursor.execute(query("document_statuses"), statuses).fetchall()
            return [status_of(row) for row in rows]

        return self._database.run(tenant_id, work, read_only=True, snapshot=True)

    def page(self, tenant_id: UUID, document_id: UUID, number: int) -> Mapping[str, Any]:
        rows = self._of(tenant_id, document_id, "page", number=number)
        if not rows:
            self._refuse_unknown(tenant_id, document_id)
            raise PageNotFound(f"document {document_id} has no page {number}")
        return rows[0]

    def chunks(
        self, tenant_id: UUID, document_id: UUID, *, after: int, limit: int
    ) -> list[Mapping[str, Any]]:
        rows = self._of(tenant_id, document_id, "chunks", after=after, limit=limit)
        if not rows:
            self._refuse_unknown(tenant_id, document_id)
        return [chunk_view(document_id, row) for row in rows]

    def object_of(self, tenant_id: UUID, document_id: UUID) -> StoredObject:
        rows = self._of(tenant_id, document_id, "stored_object")
        if not rows:
            self._refuse_unknown(tenant_id, document_id)
            raise ObjectNotFound(f"no bytes of document {document_id} have arrived")
        [row] = rows
        return StoredObject(
            key=upload_key(tenant_id, document_id),
            object_version=row["object_version"],
            size=row["size"],
            content_type=row["content_type"],
            metadata={},
            last_modified=row["received_at"],
        )

    def remember(
        self, tenant_id: UUID, key: str, *, request_hash: bytes
    ) -> Mapping[str, Any] | None:
        request = {"tenant_id": tenant_id, "key": key, "request_hash": request_hash}
        return self._database.run(tenant_id, partial(_remember, request))

    def record_response(
        self, tenant_id: UUID, key: str, *, status: int, body: Mapping[str, Any]
    ) -> None:
        response = {"status": status, "response": Jsonb(dict(body))}
        self._execute(tenant_id, "record_response", {"key": key} | response)

    def forget(self, tenant_id: UUID, key: str) -> None:
        self._execute(tenant_id, "forget_request", {"key": key})

    def _of(
        self, tenant_id: UUID, document_id: UUID, name: str, **parameters: object
    ) -> Sequence[dict[str, Any]]:
        return self._rows(tenant_id, query(name), {"document_id": document_id} | parameters)

    def _rows(
        self, tenant_id: UUID, statement: LiteralString, parameters: dict[str, Any]
    ) -> list[dict[str, Any]]:
        def work(tx: Connection[Any]) -> list[dict[str, Any]]:
            with tx.cursor(row_factory=dict_row) as cursor:
                bound = {"tenant_id": tenant_id} | parameters
                return cursor.execute(statement, bound).fetchall()

        return self._database.run(tenant_id, work, read_only=True)

    def _execute(self, tenant_id: UUID, name: str, parameters: dict[str, Any]) -> None:
        bound = {"tenant_id": tenant_id} | parameters
        self._database.run(tenant_id, lambda tx: tx.execute(query(name), bound))

    def _refuse_unknown(self, tenant_id: UUID, document_id: UUID) -> None:
        if not self._of(tenant_id, document_id, "is_known"):
            raise _not_found(document_id)


def _remember(request: dict[str, Any], tx: Connection[Any]) -> Mapping[str, Any] | None:
    if tx.execute(query("start_request"), request).fetchone() is not None:
        return None
    known = tx.execute(query("known_request"), request).fetchone()
    if known is None:
        raise RequestInProgress("a request with this key ended just now; send it again")
    is_same, response, is_expired, is_abandoned = known
    if is_expired or (is_same and is_abandoned):
        tx.execute(query("restart_request"), request)
        return None
    if not is_same:
        raise IdempotencyKeyReused("this Idempotency-Key came with another body before")
    if response is None:
        raise RequestInProgress("the first request with this Idempotency-Key still runs")
    return response


def _not_found(document_id: UUID) -> DocumentNotFound:
    return DocumentNotFound(f"no document {document_id}")
