"""Remove what has outlived its time, a bounded number of rows at a time.

A version that ended other than published never goes on, nor does one that failed or is parked once
a newer one is published: their rows need no lock. Every statement can be the last before a crash: a
second sweep removes what is still there.
"""

from typing import Final
from uuid import UUID

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.postings import FEWEST_CHUNKS, merge_segments, take_words_out
from pulsedocs.adapters.postgres.rows import Key
from pulsedocs.adapters.postgres.upkeep.listings import page_of
from pulsedocs.faults import fault_point
from pulsedocs.model.sweeps import Outlived, SpentVersion

ROWS_AT_ONCE: Final = 2000  # as many as a purge, for the same reason: locks for under a second
_OF_A_VERSION: Final = (
    "remove_spent_postings",
    "remove_spent_embeddings",
    "remove_spent_chunks",
    "remove_spent_pages",
)
_RECORDS: Final = ("forget_usage", "forget_audit")
_SHORT_RECORDS: Final = (
    "forget_budget_days",
    "forget_batches",
    "forget_backfills",
    "forget_receipts",
    "forget_old_feedback",
)


class PostgresHistoryStore:
    """Implements `upkeep.ports.HistoryStore`."""

    def __init__(
        self,
        database: Database,
        *,
        days: int,
        kept: int,
        fewest_merged: int = FEWEST_CHUNKS,
    ) -> None:
        self._database = database
        self._days = days
        self._kept = kept
        self._fewest = fewest_merged

    def outlived(
        self, kind: Outlived, *, after: tuple[UUID, UUID], limit: int
    ) -> list[tuple[UUID, UUID]]:
        wanted = {"wanted": kind.value, "days": self._days}
        return page_of(self._database, "history_listing", after=after, limit=limit, **wanted)

    def spent_versions(self, tenant_id: UUID, document_id: UUID) -> list[SpentVersion]:
        key: Key = {"tenant_id": tenant_id, "document_id": document_id}
        wanted = key | {"days": self._days, "kept": self._kept}
        rows = self._database.rows(tenant_id, "spent_versions", wanted)
        return [SpentVersion(*row) for row in rows]

    def remove_content(self, tenant_id: UUID, document_id: UUID, version: int) -> None:
        key: Key = {"tenant_id": tenant_id, "document_id": document_id, "version": version}
        while take_words_out(self._database, key, version=version, rows=ROWS_AT_ONCE):
            fault_point("history.removed")
        for name in _OF_A_VERSION:
            self._remove_all(tenant_id, name, key)

    def end_version(self, tenant_id: UUID, document_id: UUID, version: int) -> None:
        key: Key = {"tenant_id": tenant_id, "document_id": document_id, "version": version}
        self._database.execute(tenant_id, "end_spent_version", key)
        fault_point("history.ended")

    def collections_to_merge(
        self, *, after: tuple[UUID, UUID], limit: int
    ) -> list[tuple[UUID, UUID]]:
        return page_of(self._database, "merge_listing", after=after, limit=limit)

    def merge_postings(self, tenant_id: UUID, collection_id: UUID) -> int:
        return merge_segments(self._database, tenant_id, collection_id, fewest=self._fewest)

    def forget_records(self, tenant_id: UUID) -> int:
        key: Key = {"tenant_id": tenant_id}
        forgotten = sum(self._remove_all(tenant_id, name, key) for name in _RECORDS)
        for name in _SHORT_RECORDS:
            forgotten += self._database.execute(tenant_id, name, key)
        return forgotten

    def _remove_all(self, tenant_id: UUID, name: str, key: Key) -> int:
        total, removed = 0, ROWS_AT_ONCE
        while removed == ROWS_AT_ONCE:
            bounded = key | {"rows": ROWS_AT_ONCE}
            removed = self._database.execute(tenant_id, name, bounded)
            total += removed
            fault_point("history.removed")
        return total
