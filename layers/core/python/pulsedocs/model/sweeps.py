"""What a sweep looks at, decides and reports; what people ask of documents that have stopped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from pulsedocs.pipeline import Outcome


class Listing(StrEnum):
    """A list of ids across tenants."""

    UNFINISHED = "unfinished"
    PARKED = "parked"
    UNPURGED = "unpurged"
    UNTIDY = "untidy"


class Outlived(StrEnum):
    """A list of ids across tenants, of what is kept for a time."""

    SPENT = "spent"
    RECORDS = "records"


@dataclass(frozen=True, slots=True)
class SpentVersion:
    """A version whose time is up; the object is None where a living version stands for it too."""

    version: int
    object_version: str | None
    size: int


class Verdict(StrEnum):
    """What is to be done about one document."""

    RUN = "run"
    """Nobody works on it: ask for a run."""
    PURGE = "purge"
    """Deleted, and its purge never ended: ask for it again."""
    WAIT = "wait"
    """Somebody works on it, was asked to, or may still upload it."""
    ENDED = "ended"
    """There is nothing left to do."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """A verdict and what was written to reach it; `attempt` is the number of an automatic run."""

    verdict: Verdict
    attempt: int = 0
    failed: int = 0
    expired: int = 0
    receipt_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class UnknownObject:
    """An upload that no version stands for; an orphan has no document either."""

    document_id: UUID
    is_orphan: bool


@dataclass(frozen=True, slots=True)
class Position:
    """Where a full pass goes on: the part, and the last key or ids that it treated."""

    part: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class Untreated:
    """What a sweep could do nothing about: a document, a collection, or all of a tenant."""

    tenant_id: UUID
    subject_id: UUID
    code: str


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What one sweep did; `left` is where a full pass that ran out of time goes on."""

    counts: Mapping[str, int]
    left: Position | None
    untreated: Sequence[Untreated] = ()


@dataclass(frozen=True, slots=True)
class IndexBuild:
    """The build of a model's vector index: what is beyond its memory takes seven times the CPU."""

    model: str
    graph_megabytes: int
    """Estimated from its vectors."""
    memory_megabytes: int
    is_done: bool


@dataclass(frozen=True, slots=True)
class Stopped:
    """A version that somebody stopped, or asked to go on."""

    document_id: UUID
    version: int
    outcome: Outcome | None


@dataclass(frozen=True, slots=True)
class RedriveFilter:
    """Which stopped documents of a tenant are meant."""

    code: str | None = None
    older_than: timedelta = timedelta(0)
    limit: int = 100


@dataclass(frozen=True, slots=True)
class Redrivable:
    """A document that ended FAILED or PARKED, since when and why."""

    document_id: UUID
    version: int
    outcome: Outcome
    code: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Tidied:
    """What of a tenant was past its time."""

    reservations: int
    idempotency_keys: int
    conversations: int
