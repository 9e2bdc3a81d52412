"""What the tenant's calls took and what it keeps, added up by one key, and what a day may take."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from functions.documents.api import api
from pulsedocs.bootstrap import databases
from pulsedocs.edge.api import ADMIN, READ, Query, caller
from pulsedocs.edge.requests import WHOLE, Day
from pulsedocs.errors import InvalidRequest
from pulsedocs.model.budgets import MICRO, Budget, Limits, Share, microdollars
from pulsedocs.model.spending import Spent, Stored, UsageKey, UsageQuery


class ShareView(BaseModel):
    """Of one day; no `limit` is none. `reserved` is held for calls that are under way."""

    limit: float | None
    used: float
    reserved: float


class BudgetView(BaseModel):
    """Today, whatever days are asked for. `source` says whose the limits are."""

    source: Literal["stage", "tenant"]
    pages: ShareView
    tokens: ShareView
    usd: ShareView
    resets_at: datetime


class BudgetRequest(BaseModel):
    """Limits of a day of UTC, in the place of all the stage's; what is left out has none."""

    model_config = ConfigDict(extra="forbid")

    pages: Annotated[int, Field(ge=0, le=10**15, strict=True), WHOLE] | None = None
    tokens: Annotated[int, Field(ge=0, le=10**15, strict=True), WHOLE] | None = None
    usd: Annotated[float, Field(ge=0, le=1_000_000, strict=True)] | None = None

    def to_limits(self) -> Limits:
        own = None if self.usd is None else microdollars(self.usd)
        return Limits(pages=self.pages, tokens=self.tokens, microdollars=own)


class UsageReportView(BaseModel):
    """`spent` are calls settled on these days, `stored` is what was published on them."""

    by: UsageKey
    spent: tuple[Spent, ...]
    stored: tuple[Stored, ...]
    budget: BudgetView


@api.on("GET /usage", READ)
def usage(
    by: Annotated[UsageKey, Query()] = UsageKey.DAY,
    first: Annotated[Day | None, Query(alias="from")] = None,
    last: Annotated[Day | None, Query(alias="to")] = None,
) -> UsageReportView:
    """Add up tokens, dollars, pages and chunks; days are UTC, both included."""
    if first is not None and last is not None and last < first:
        raise InvalidRequest("`to` is a day before `from`")
    tenant_id = caller(api).tenant_id
    report = databases.usage_ledger().report(tenant_id, UsageQuery(by, first, last))
    today = _view(databases.budget_store().budget(tenant_id))
    return UsageReportView(by=by, spent=report.spent, stored=report.stored, budget=today)


@api.on("PUT /budget", ADMIN)
def choose_budget(request: BudgetRequest) -> BudgetView:
    """Limit what the tenant takes in a day; for the stage's operators."""
    return _choose(request.to_limits())


@api.on("DELETE /budget", ADMIN)
def leave_budget() -> BudgetView:
    """Give the tenant the stage's limits again."""
    return _choose(None)


def _choose(limits: Limits | None) -> BudgetView:
    who = caller(api)
    return _view(databases.budget_store().choose(who.tenant_id, limits, actor=who.subject))


def _view(budget: Budget) -> BudgetView:
    return BudgetView(
        source="tenant" if budget.is_own else "stage",
        pages=_share(budget.pages),
        tokens=_share(budget.tokens),
        usd=_share(budget.microdollars, unit=MICRO),
        resets_at=budget.resets_at,
    )


def _share(share: Share, *, unit: int = 1) -> ShareView:
    limit = None if share.limit is None else share.limit / unit
    return ShareView(limit=limit, used=share.used / unit, reserved=share.reserved / unit)
