"""What a tenant may take in a day: pages, tokens and dollars, reserved before and settled after."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID, uuid5

from pulsedocs.errors import BudgetExceeded
from pulsedocs.model.documents import Run
from pulsedocs.prices import cost_of

MICRO: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Amounts:
    """Dollars are whole millionths: what is added up a million times has no rounding in it."""

    pages: int = 0
    tokens: int = 0
    microdollars: int = 0

    def __bool__(self) -> bool:
        return bool(self.pages or self.tokens or self.microdollars)

    def __add__(self, other: "Amounts") -> "Amounts":
        return Amounts(
            self.pages + other.pages,
            self.tokens + other.tokens,
            self.microdollars + other.microdollars,
        )

    def __sub__(self, other: "Amounts") -> "Amounts":
        return Amounts(
            self.pages - other.pages,
            self.tokens - other.tokens,
            self.microdollars - other.microdollars,
        )

    def at_most(self, other: "Amounts") -> "Amounts":
        return Amounts(
            min(self.pages, other.pages),
            min(self.tokens, other.tokens),
            min(self.microdollars, other.microdollars),
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one day; None is no limit."""

    pages: int | None = None
    tokens: int | None = None
    microdollars: int | None = None


NO_LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class Share:
    """Of one measure, today."""

    limit: int | None
    used: int
    reserved: int

    def has_room_for(self, asked: int) -> bool:
        return asked <= 0 or self.limit is None or self.used + self.reserved + asked <= self.limit


@dataclass(frozen=True, slots=True)
class Budget:
    """A tenant's day so far. `is_own` says whether the limits are its own or the stage's."""

    pages: Share
    tokens: Share
    microdollars: Share
    is_own: bool
    resets_at: datetime

    @property
    def is_limited(self) -> bool:
        shares = (self.pages, self.tokens, self.microdollars)
        return any(share.limit is not None for share in shares)


def microdollars(cost_usd: float | None) -> int:
    """Return whole millionths, rounded up; an unknown price counts nothing."""
    return math.ceil(round((cost_usd or 0.0) * MICRO, 6))


def bought(model: str, *, input_tokens: int, output_tokens: int = 0) -> Amounts:
    """Return what a call takes of a budget."""
    cost = cost_of(model, input_tokens=input_tokens, output_tokens=output_tokens)
    return Amounts(tokens=input_tokens + output_tokens, microdollars=microdollars(cost))


def holder_of(run: Run) -> UUID:
    """Return who holds what a version reserves: the same in every run, so none reserves twice."""
    return holder_of_version(run.document_id, run.version)


def holder_of_version(document_id: UUID, version: int) -> UUID:
    return uuid5(document_id, f"budget/{version}")


def refusal(budget: Budget, asked: Amounts) -> BudgetExceeded:
    """Say which limit is in the way; one that is wider than the day's is never met by waiting."""
    name, share, wanted, unit = next(
        (found for found in _measures(budget, asked) if not found[1].has_room_for(found[2])),
        ("tokens", budget.tokens, asked.tokens, 1),  # room was made since it was refused
    )
    limit = share.limit or 0
    resets_at = budget.resets_at.isoformat()
    whole_day = ", more than a whole day has" if wanted > limit else ""
    return BudgetExceeded(
        f"the day's budget is {limit / unit:g} {name}: {share.used / unit:g} are used and"
        f" {share.reserved / unit:g} reserved, {wanted / unit:g} were asked for{whole_day};"
        f" the next day begins at {resets_at}",
        measure=name,
        limit=limit / unit,
        used=share.used / unit,
        reserved=share.reserved / unit,
        asked=wanted / unit,
        resets_at=resets_at,
    )


def _measures(budget: Budget, asked: Amounts) -> Iterator[tuple[str, Share, int, int]]:
    yield "pages", budget.pages, asked.pages, 1
    yield "tokens", budget.tokens, asked.tokens, 1
    yield "dollars", budget.microdollars, asked.microdollars, MICRO
