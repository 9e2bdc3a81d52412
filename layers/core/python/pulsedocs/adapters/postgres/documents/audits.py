"""Reads who did what in a tenant."""

from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import Connection
from psycopg.rows import class_row

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.model.audits import AuditEvent


class PostgresAuditTrail:
    """Implements `documents.ports.AuditTrail`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def events(
        self, tenant_id: UUID, *, before: tuple[datetime, UUID] | None, limit: int
    ) -> list[AuditEvent]:
        at, event_id = before or (None, None)
        wanted = {"tenant_id": tenant_id, "at": at, "event_id": event_id, "limit": limit}

        def read(tx: Connection[Any]) -> list[AuditEvent]:
            cursor = tx.cursor(row_factory=class_row(AuditEvent))
            return cursor.execute(query("audit_events"), wanted).fetchall()

        return self._database.run(tenant_id, read, read_only=True)
