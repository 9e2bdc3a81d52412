"""What a tenant has used and what it keeps, added up by one key."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

MOST_KEYS: Final = 1000
"""That have an entry of their own; the last entry is that of all others, and has no key."""


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
    """Calls of one key; `cost_usd` leaves out the `unpriced`, whose price is not known.

    An entry of several `keys` is the last one, of all behind the 1,000th.
    """

    key: str | None
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    unpriced: int
    keys: int = 1


@dataclass(frozen=True, slots=True)
class Stored:
    """Published content of one key; sizes are of its chunks.

    An entry of several `keys` is the last one, of all behind the 1,000th.
    """

    key: str | None
    documents: int
    pages: int
    chunks: int
    tokens: int
    mean_tokens: float
    least_tokens: int
    most_tokens: int
    mean_characters: float
    keys: int = 1


@dataclass(frozen=True, slots=True)
class UsageReport:
    spent: tuple[Spent, ...]
    stored: tuple[Stored, ...]
