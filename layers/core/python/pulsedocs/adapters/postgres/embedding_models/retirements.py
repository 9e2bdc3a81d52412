"""Remove the vectors of a retired model, a bounded number of rows at a time."""

from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key, value_of
from pulsedocs.errors import StoreUnavailable
from pulsedocs.faults import fault_point

ROWS_AT_ONCE: Final = 2000  # as many as a purge, for the same reason: locks for under a second


class PostgresRetirementStore:
    """Implements `embedding_models.ports.RetirementStore`."""

    def __init__(self, database: Database, *, rows_at_once: int = ROWS_AT_ONCE) -> None:
        self._database = database
        self._rows_at_once = rows_at_once

    def remove_some(self, tenant_id: UUID, model: str) -> int:
        key = {"tenant_id": tenant_id, "model": model, "rows": self._rows_at_once}
        removed = self._database.execute(tenant_id, "retired_vectors", key)
        fault_point("retire.removed")
        return removed

    def forget(self, tenant_id: UUID, model: str) -> bool:
        key: Key = {"tenant_id": tenant_id, "model": model}

        def work(tx: Connection[Any]) -> int:
            tx.execute(query("retired_failures"), key)
            return tx.execute(query("forget_model"), key).rowcount

        forgotten = self._database.run(tenant_id, work) > 0
        fault_point("retire.forgotten")
        try:
            self._database.run(tenant_id, lambda tx: value_of(tx, "drop_model", key))
        except StoreUnavailable:
            return forgotten  # an empty partition costs nothing; the next retirement drops it
        return forgotten
