"""What is deleted, what a purge finds, and the receipt that says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pulsedocs.model.shingles import Sample

Counts = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Receipt:
    """`is_verifying` while a search for a client's shingles is still to come."""

    receipt_id: UUID
    document_id: UUID
    requested_at: datetime
    requested_by: str
    completed_at: datetime | None
    before: Counts
    after: Counts | None
    verification: Mapping[str, Any] | None
    is_verifying: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A stored text that has shingles of a sample. `document_id` None: it is no document's."""

    place: str
    document_id: UUID | None
    hashes: frozenset[bytes]


@dataclass(frozen=True, slots=True)
class Reached:
    """Where a search of rows stopped: at a table, after a document; None: after the whole table."""

    table: str
    after: UUID | None


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search of a tenant's rows found, and the tables it was not let into.

    `reached` is None once everything was read.
    """

    texts: int
    hits: tuple[Hit, ...]
    unreadable: tuple[str, ...] = ()
    reached: Reached | None = None


@dataclass(frozen=True, slots=True)
class Purge:
    """One receipt that a purge works on.

    `sample` is None until the document's text has been sampled, and again once the receipt is
    complete; `asked` is what a client wants looked for. `searched` is what an earlier purge found
    that ran out of time: the same of all that are worked on together.
    """

    tenant_id: UUID
    receipt_id: UUID
    document_id: UUID
    is_completed: bool
    before: Counts
    verification: Mapping[str, Any] | None
    sample: Sample | None
    asked: Sample | None
    searched: Searched | None = None

    @property
    def samples(self) -> tuple[Sample, ...]:
        """What is looked for: the purge's own and a client's."""
        return tuple(each for each in (self.sample, self.asked) if each is not None)


@dataclass(frozen=True, slots=True)
class PurgeResult:
    """What is written to a receipt; `is_complete` when nothing of the document is left."""

    before: Counts
    after: Counts
    verification: Mapping[str, Any]
    is_complete: bool


@dataclass(frozen=True, slots=True)
class ObjectVersion:
    """One version of an object, or one delete marker."""

    key: str
    object_version: str
    is_delete_marker: bool
    size: int
