"""A tenant's day: reserved before a call that costs, settled after it, given back if none was made.

Reserving and settling lock the reservation first, then the row of the day, and nothing after these.
All calls of a tenant wait for each other at that row, so it is locked last and briefly.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import date
from typing import Any, Final
from uuid import UUID

from psycopg import Connection
from psycopg.rows import dict_row

from pulsedocs.adapters.postgres.audits import record_audit
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.faults import fault_point
from pulsedocs.model.budgets import NO_LIMITS, Amounts, Budget, Limits, Share, refusal

DOCUMENT_MINUTES: Final = 420  # an execution ends after 360
BACKFILL_MINUTES: Final = 60  # 200 batches at a time; no last one says so, and gives back
QUESTION_MINUTES: Final = 20  # a stream ends after 15
_NOTHING: Final = Amounts()


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has reserved a part of a day: a version with one model, or a question."""

    tenant_id: UUID
    holder: UUID
    model: str = ""

    @property
    def key(self) -> dict[str, Any]:
        return {"tenant_id": self.tenant_id, "holder": self.holder, "model": self.model}


@dataclass(frozen=True, slots=True)
class _Reservation:
    day: date
    amounts: Amounts
    is_of_today: bool


def reserve(
    tx: Connection[Any], holder: Holder, wanted: Amounts, *, limits: Limits, minutes: int
) -> None:
    """Reserve exactly this much of today; raise BudgetExceeded, and change nothing then.

    Reserving again changes the amount, it does not add to it. What the holder had reserved of
    another day goes back to that day.
    """
    row = tx.execute(query("budget_open"), holder.key | {"lease_minutes": minutes}).fetchone()
    assert row is not None  # noqa: S101 -- inserted or updated
    reserved = _reservation(row)
    if not reserved.is_of_today:
        _charge(tx, holder, _NOTHING, day=reserved.day, released=reserved.amounts)
    tx.execute(query("budget_begin_day"), holder.key)
    missing = wanted - reserved.amounts if reserved.is_of_today else wanted
    today = _take(tx, holder, missing, limits)
    if today is None:
        # Reservations that expired may be all that is in the way.
        tx.execute(query("budget_give_back"), {"tenant_id": holder.tenant_id, "holders": None})
        today = _take(tx, holder, missing, limits)
    if today is None:
        raise refusal(budget_of(tx, holder.tenant_id, limits=limits), missing)
    tx.execute(query("budget_change"), holder.key | _columns(wanted) | {"day": today})
    fault_point("budget.reserved")


def settle(tx: Connection[Any], holder: Holder, spent: Amounts, *, is_last: bool) -> None:
    """Count what was spent, out of what is reserved; the last settlement gives back the rest.

    What was spent is counted in full, also beyond what was reserved: the provider counts it too.
    """
    row = tx.execute(query("budget_reservation"), holder.key).fetchone()
    reserved = None if row is None else _reservation(row)
    amounts = _NOTHING if reserved is None else reserved.amounts
    released = amounts if is_last else amounts.at_most(spent)
    if reserved is not None and is_last:
        tx.execute(query("budget_forget"), holder.key)
    elif reserved is not None:
        left = _columns(amounts - released) | {"day": reserved.day}
        tx.execute(query("budget_change"), holder.key | left)
    if spent or released:
        _charge(tx, holder, spent, day=reserved and reserved.day, released=released)
    fault_point("budget.settled")


def give_back(tx: Connection[Any], tenant_id: UUID, holders: Sequence[UUID]) -> None:
    """End all reservations of some holders."""
    tx.execute(query("budget_give_back"), {"tenant_id": tenant_id, "holders": list(holders)})


def budget_of(tx: Connection[Any], tenant_id: UUID, *, limits: Limits) -> Budget:
    parameters = {"tenant_id": tenant_id, **_limits(limits)}
    cursor = tx.cursor(row_factory=dict_row).execute(query("budget_of_today"), parameters)
    [row] = cursor.fetchall()

    def share(name: str) -> Share:
        return Share(row[f"{name}_per_day"], row[f"{name}_used"], row[f"{name}_reserved"])

    return Budget(
        pages=share("pages"),
        tokens=share("tokens"),
        microdollars=share("microdollars"),
        is_own=row["is_own"],
        resets_at=row["resets_at"],
    )


class PostgresBudgetStore:
    """Implements `documents.ports.BudgetStore`; `limits` are the stage's."""

    def __init__(self, database: Database, *, limits: Limits = NO_LIMITS) -> None:
        self._database = database
        self._limits = limits

    def budget(self, tenant_id: UUID) -> Budget:
        return self._database.run(
            tenant_id, lambda tx: budget_of(tx, tenant_id, limits=self._limits), read_only=True
        )

    def choose(self, tenant_id: UUID, limits: Limits | None, *, actor: str) -> Budget:
        chosen: dict[str, Any] = {} if limits is None else _columns(limits)
        name = "budget_leave_choice" if limits is None else "budget_choose"
        outcome = "STAGE" if limits is None else "OWN"

        def work(tx: Connection[Any]) -> Budget:
            tx.execute(query(name), {"tenant_id": tenant_id, "actor": actor, **chosen})
            record_audit(tx, tenant_id, actor, "choose_budget", "budget", outcome=outcome, **chosen)
            return budget_of(tx, tenant_id, limits=self._limits)

        return self._database.run(tenant_id, work)


def _take(tx: Connection[Any], holder: Holder, missing: Amounts, limits: Limits) -> date | None:
    """Add what is missing to what is reserved of today; None where it is beyond a limit."""
    parameters = holder.key | _columns(missing) | _limits(limits)
    row = tx.execute(query("budget_take"), parameters).fetchone()
    return None if row is None else row[0]


def _charge(
    tx: Connection[Any], holder: Holder, spent: Amounts, *, day: date | None, released: Amounts
) -> None:
    released_of = {f"{name}_released": value for name, value in _columns(released).items()}
    parameters = holder.key | _columns(spent) | released_of | {"day": day}
    tx.execute(query("budget_charge"), parameters)


def _reservation(row: tuple[Any, ...]) -> _Reservation:
    day, pages, tokens, microdollars, is_of_today = row
    return _Reservation(day, Amounts(pages, tokens, microdollars), is_of_today)


def _columns(amounts: Amounts | Limits) -> dict[str, Any]:
    return dict(zip(("pages", "tokens", "microdollars"), astuple(amounts), strict=True))


def _limits(limits: Limits) -> dict[str, Any]:
    return {f"{name}_limit": value for name, value in _columns(limits).items()}
