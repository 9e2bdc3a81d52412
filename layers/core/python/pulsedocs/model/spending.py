"""What a tenant has used and what it keeps, added up by one key."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class UsageKey(StrEnum):
    USER_ID = "user_id"
    METHOD = "method"
    SOURCE = "source"
    MODEL = "model"
    DAY = "day"


@dataclass(frozen=True, slots=True)
class UsageQuery:
    """Days in UTC, both included; None leaves that side open."""

    by: UsageKey
    first: date | None = None
    last: date | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """Calls of one key; `cost_usd` leaves out the `unpriced`, whose price is not known."""

    key: str | None
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    unpriced: int


@dataclass(frozen=True, slots=True)
class Stored:
    """Published content of one key; sizes are of its chunks."""

    key: str | None
    documents: int
    pages: int
    chunks: int
    tokens: int
    mean_tokens: float
    least_tokens: int
    most_tokens: int
    mean_characters: float


@dataclass(frozen=True, slots=True)
class UsageReport:
    spent: tuple[Spent, ...]
    stored: tuple[Stored, ...]
