"""What keeps a stage in order: its schema, its sweep, its purges."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol
from uuid import UUID

from pulsedocs.model.deletions import Counts, Purge, PurgeResult, Searched
from pulsedocs.model.shingles import Matcher, Sample
from pulsedocs.model.sweeps import Listing, Recovery, Tidied, UnknownObject


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

    def tidy(self, tenant_id: UUID) -> Tidied: ...


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


class PurgeStore(Protocol):
    """What a purge does in the database: many short transactions, each of which may be the last."""

    def begin(self, tenant_id: UUID, receipt_id: UUID, *, most: int) -> list[Purge]:
        """Take the named receipt, and others of the tenant that no purge works on."""
        ...

    def texts(self, purge: Purge) -> Iterator[str]:
        """Yield what is still stored of a document's text, page by page."""
        ...

    def keep_sample(self, purge: Purge, sample: Sample) -> None: ...

    def named_source(self, purge: Purge) -> tuple[str, str] | None:
        """Return collection and source of the deleted document while its row is there."""
        ...

    def remove_rows(self, purge: Purge) -> None:
        """Delete everything of the document, a bounded number of rows at a time."""
        ...

    def count_rows(self, purge: Purge) -> Counts:
        """Count what is left by table, in every table that names documents."""
        ...

    def search(self, tenant_id: UUID, matcher: Matcher) -> Searched:
        """Read every text of every table of the tenant."""
        ...

    def existing(self, tenant_id: UUID, document_ids: Iterable[UUID]) -> set[UUID]:
        """Return which of these are documents that were not deleted."""
        ...

    def finish(self, purge: Purge, result: PurgeResult) -> None: ...

    def pending(self, tenant_id: UUID) -> list[UUID]:
        """Return the receipts that wait for a purge, oldest first."""
        ...
