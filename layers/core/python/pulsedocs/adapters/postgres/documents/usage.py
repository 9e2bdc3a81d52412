"""What a tenant has used and keeps, added up in the database."""

from typing import Any
from uuid import UUID

from psycopg import Connection
from psycopg.rows import class_row

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.model.spending import MOST_KEYS, Spent, Stored, UsageQuery, UsageReport


class PostgresUsageLedger:
    """Implements `documents.ports.UsageLedger`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def report(self, tenant_id: UUID, asked: UsageQuery) -> UsageReport:
        wanted = {
            "tenant_id": tenant_id,
            "by": asked.by.value,
            "first": asked.first,
            "last": asked.last,
            "most_keys": MOST_KEYS,
        }

        def read(tx: Connection[Any]) -> UsageReport:
            spent = tx.cursor(row_factory=class_row(Spent)).execute(query("usage_spent"), wanted)
            stored = tx.cursor(row_factory=class_row(Stored)).execute(query("usage_stored"), wanted)
            return UsageReport(tuple(spent.fetchall()), tuple(stored.fetchall()))

        return self._database.run(tenant_id, read, read_only=True, snapshot=True)
