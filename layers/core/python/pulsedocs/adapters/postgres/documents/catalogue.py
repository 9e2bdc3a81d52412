"""What the documents API reads and writes, always within one tenant."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from psycopg import Connection, sql
from psycopg.rows import dict_row

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.places import missing_page
from pulsedocs.adapters.postgres.documents.registrations import Announcement
from pulsedocs.adapters.postgres.documents.statuses import chunk_view, read_statuses
from pulsedocs.adapters.postgres.filters_sql import wanted_documents
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.remembered import RememberedRequests
from pulsedocs.adapters.postgres.rows import no_document, refuse_unknown_collection
from pulsedocs.errors import (
    ObjectNotFound,
    PageNotFound,
)
from pulsedocs.model.changes import StageDefaults
from pulsedocs.model.documents import (
    DocumentStatus,
    DocumentVersion,
    Registered,
    Registration,
    StoredObject,
)
from pulsedocs.model.object_keys import upload_key
from pulsedocs.retrieval.filters import parse_filter


class PostgresDocumentCatalogue(RememberedRequests):
    """Implements `documents.ports.DocumentCatalogue`."""

    def __init__(
        self,
        database: Database,
        *,
        defaults: StageDefaults = StageDefaults(),  # noqa: B008 -- frozen
    ) -> None:
        super().__init__(database)
        self._database = database
        self._defaults = defaults

    def register(
        self,
        tenant_id: UUID,
        registration: Registration,
        *,
        default_model: str,
    ) -> Registered:
        announcement = Announcement(
            tenant_id,
            registration,
            default_model=default_model,
            defaults=self._defaults,
        )
        return self._database.run(tenant_id, announcement.register)

    def status(self, tenant_id: UUID, document_id: UUID) -> DocumentStatus:
        def work(tx: Connection[Any]) -> list[DocumentStatus]:
            return read_statuses(tx, tenant_id, [document_id])

        found = self._database.run(tenant_id, work, read_only=True)
        if not found:
            raise no_document(document_id)
        return found[0]

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
            if not found:
                refuse_unknown_collection(tx, tenant_id, collection)
            return read_statuses(tx, tenant_id, found)

        # One snapshot: a document deleted between the two statements would shorten the page, and a
        # short page is the last.
        return self._database.run(tenant_id, work, read_only=True, snapshot=True)

    def page(
        self, tenant_id: UUID, document_id: UUID, number: int, *, version: int | None = None
    ) -> Mapping[str, Any]:
        rows = self._of(tenant_id, document_id, "page", number=number, version=version)
        if not rows:
            self._refuse_unknown(tenant_id, document_id)
            until = (
                self.versions(tenant_id, document_id, before=version + 1, limit=1)
                if version is not None
                else []
            )
            is_stored = next((each.is_stored for each in until if each.version == version), None)
            raise PageNotFound(missing_page(document_id, number, version, is_stored=is_stored))
        return rows[0]

    def versions(
        self, tenant_id: UUID, document_id: UUID, *, before: int | None, limit: int
    ) -> list[DocumentVersion]:
        rows = self._of(tenant_id, document_id, "document_versions", before=before, limit=limit)
        if not rows:
            self._refuse_unknown(tenant_id, document_id)
        return [DocumentVersion(**row) for row in rows]

    def chunks(
        self,
        tenant_id: UUID,
        document_id: UUID,
        *,
        after: int,
        limit: int,
        version: int | None = None,
    ) -> list[Mapping[str, Any]]:
        place = {"version": version, "after": after, "limit": limit}
        rows = self._of(tenant_id, document_id, "chunks", **place)
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

    def _refuse_unknown(self, tenant_id: UUID, document_id: UUID) -> None:
        if not self._of(tenant_id, document_id, "is_known"):
            raise no_document(document_id)
