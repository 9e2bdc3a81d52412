"""What a deletion needs: rows and objects removed, counted and searched."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol
from uuid import UUID

from pulsedocs.model.deadline import Deadline
from pulsedocs.model.deletions import Counts, ObjectVersion, Purge, PurgeResult, Receipt, Searched
from pulsedocs.model.shingles import Matcher, Sample
from pulsedocs.ports.objects import ObjectStore


class Deletions(Protocol):
    """Deletions of documents and their receipts."""

    def delete(self, tenant_id: UUID, document_id: UUID, *, actor: str) -> UUID:
        """Make a document unsearchable and its runs powerless; return the receipt's id."""
        ...

    def receipt(self, tenant_id: UUID, receipt_id: UUID) -> Receipt: ...

    def quoted_by(
        self, tenant_id: UUID, shingles: Sequence[str], sample: Sample
    ) -> frozenset[UUID] | None:
        """Look up the documents that have shingles of a sample; None: only reading can tell."""
        ...

    def ask(self, tenant_id: UUID, receipt_id: UUID, sample: Sample) -> None:
        """Leave hashes of a client's own copy, for the purge to look for."""
        ...


class KnownDeletions(Protocol):
    """Which documents were deleted."""

    def deletion_of(self, tenant_id: UUID, document_id: UUID) -> UUID | None:
        """Return the receipt of a document that was deleted, whether or not rows of it are left."""
        ...


class ObjectArchive(ObjectStore, Protocol):
    """The bucket with its past: versions that newer ones hide, and delete markers."""

    def versions(self, prefix: str) -> Iterator[ObjectVersion]:
        """Yield every version and delete marker of every key that starts with `prefix`."""
        ...

    def erase(self, versions: Sequence[ObjectVersion]) -> None:
        """Remove these versions for good; one that is gone already is no error."""
        ...


class PurgeStore(Protocol):
    """What a purge does in the database: many short transactions, each of which may be the last."""

    def begin(self, tenant_id: UUID, receipt_id: UUID, *, most: int) -> list[Purge]:
        """Take the named receipt, and others as far searched that no purge works on."""
        ...

    def texts(self, purge: Purge) -> Iterator[str]:
        """Yield what is still stored of a document's text, page by page."""
        ...

    def quoted_by(
        self, purge: Purge, shingles: Sequence[str], sample: Sample
    ) -> frozenset[UUID] | None:
        """Look up other documents that have shingles of a sample; None: only reading can tell."""
        ...

    def keep_sample(self, purge: Purge, sample: Sample) -> None: ...

    def named_source(self, purge: Purge) -> tuple[str, str] | None:
        """Return collection and source of the deleted document while its row is there."""
        ...

    def remove_rows(self, purge: Purge) -> None:
        """Delete everything of the document, a bounded number of rows at a time."""
        ...

    def forget_said(self, tenant_id: UUID, purges: Sequence[Purge]) -> None:
        """Remove what people said or were told of the documents, or in words of theirs.

        And their names in what they cost.
        Reads all that the tenant's people said, once for all purges.
        """
        ...

    def count_rows(self, purge: Purge) -> Counts:
        """Count what is left by table, in every table that names documents."""
        ...

    def search(
        self,
        tenant_id: UUID,
        matcher: Matcher,
        *,
        documents: frozenset[UUID] | None,
        since: Searched | None,
        deadline: Deadline,
    ) -> Searched:
        """Read every text of every table of the tenant, from where an earlier search stopped.

        With `documents`, what the database keeps only as long as its document is read of these
        alone. Stops between two documents once the time is up, but reads one at least.
        """
        ...

    def keep_search(self, purge: Purge, searched: Searched, *, before: Counts) -> None:
        """Keep what was found and counted so far, for a purge that goes on; give the lease back."""
        ...

    def existing(self, tenant_id: UUID, document_ids: Iterable[UUID]) -> set[UUID]:
        """Return which of these are documents that were not deleted."""
        ...

    def finish(self, purge: Purge, result: PurgeResult) -> None: ...

    def pending(self, tenant_id: UUID) -> dict[UUID, UUID]:
        """Return the receipts that wait for a purge by their documents, oldest first."""
        ...
