"""GET /usage: what the tenant's calls took and what it keeps, added up by one key."""

from datetime import date
from typing import Annotated

from pydantic import BaseModel

from functions.documents.api import api
from pulsedocs import bootstrap
from pulsedocs.edge.api import READ, Query, caller
from pulsedocs.edge.tasks import to_json
from pulsedocs.errors import InvalidRequest
from pulsedocs.model.spending import UsageKey, UsageQuery


class SpentView(BaseModel):
    key: str | None
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    unpriced: int


class StoredView(BaseModel):
    key: str | None
    documents: int
    pages: int
    chunks: int
    tokens: int
    mean_tokens: float
    least_tokens: int
    most_tokens: int
    mean_characters: float


class UsageReportView(BaseModel):
    """`spent` are calls settled on these days, `stored` is what was published on them."""

    by: UsageKey
    spent: list[SpentView]
    stored: list[StoredView]


@api.get("/usage")
def usage(
    by: Annotated[UsageKey, Query()] = UsageKey.DAY,
    first: Annotated[date | None, Query(alias="from")] = None,
    last: Annotated[date | None, Query(alias="to")] = None,
) -> UsageReportView:
    """Add up tokens, dollars, pages and chunks; days are UTC, both included."""
    if first is not None and last is not None and last < first:
        raise InvalidRequest("`to` is a day before `from`")
    report = bootstrap.usage_ledger().report(
        caller(api, scope=READ).tenant_id, UsageQuery(by, first, last)
    )
    return UsageReportView.model_validate({**to_json(report), "by": by})
