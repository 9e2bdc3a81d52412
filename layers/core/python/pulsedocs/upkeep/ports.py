"""What keeps a stage in order: its schema, its sweep, its vector indexes."""

from collections.abc import Mapping, Sequence
from typing import Protocol
from uuid import UUID

from pulsedocs.model.sweeps import (
    IndexBuild,
    Listing,
    Outlived,
    Recovery,
    SpentVersion,
    Tidied,
    UnknownObject,
)


class VectorIndexes(Protocol):
    def build_due(self, *, seconds: float) -> list[IndexBuild]:
        """Index each model whose vectors have outgrown scanning, while others write.

        Return what was begun. What takes longer than `seconds` goes on without its caller.
        """
        ...


class SweepStore(Protocol):
    """What a sweep reads and decides: ids across tenants, rows of one tenant at a time."""

    def listed(
        self, listing: Listing, *, after: tuple[UUID, UUID], limit: int
    ) -> list[tuple[UUID, UUID]]:
        """Return (tenant, subject) pairs in order, beginning behind `after`."""
        ...

    def recover(
        self, tenant_id: UUID, document_id: UUID, *, newest_object: str | None
    ) -> Recovery: ...

    def resume(self, tenant_id: UUID, document_id: UUID, *, probed: set[str]) -> bool:
        """Let a parked document go on unless its reason is among those probed already."""
        ...

    def unknown_objects(
        self, tenant_id: UUID, objects: Sequence[tuple[UUID, str]]
    ) -> list[UnknownObject]: ...

    def delete_again(self, tenant_id: UUID, receipts: Mapping[UUID, UUID]) -> list[UUID]:
        """Delete the documents that a restore has brought back, under the receipts they had.

        `receipts` by document. Return the receipts of those that were there.
        """
        ...

    def tidy(self, tenant_id: UUID) -> Tidied: ...


class HistoryStore(Protocol):
    """What is kept for a time only: ended versions, and records of what was done."""

    def outlived(
        self, kind: Outlived, *, after: tuple[UUID, UUID], limit: int
    ) -> list[tuple[UUID, UUID]]:
        """Return (tenant, subject) pairs in order, beginning behind `after`."""
        ...

    def spent_versions(self, tenant_id: UUID, document_id: UUID) -> list[SpentVersion]: ...

    def remove_content(self, tenant_id: UUID, document_id: UUID, version: int) -> None:
        """Remove pages, chunks, postings and vectors of a version that has ended for good."""
        ...

    def end_version(self, tenant_id: UUID, document_id: UUID, version: int) -> None:
        """Note that nothing is left of a version but how it ended."""
        ...

    def collections_to_merge(
        self, *, after: tuple[UUID, UUID], limit: int
    ) -> list[tuple[UUID, UUID]]:
        """Return (tenant, collection) pairs in order, beginning behind `after`."""
        ...

    def merge_postings(self, tenant_id: UUID, collection_id: UUID) -> int:
        """Let documents of a collection share postings; return of how many chunks, 0: none due."""
        ...

    def forget_records(self, tenant_id: UUID) -> int:
        """Remove a tenant's old usage, audit, budgets, batches and receipts; return how many."""
        ...


class Schema(Protocol):
    """The structure of the database, changed by the role that owns it."""

    def vector_version(self) -> str:
        """Return pgvector's version; raise PgvectorTooOld below 0.8."""
        ...

    def apply_pending(self) -> tuple[str, ...]:
        """Run the migrations that have not run yet and return their names."""
        ...

    def let_roles_sign_in(self) -> tuple[str, ...]:
        """Let the application's roles sign in by token, where there are tokens; return them."""
        ...
