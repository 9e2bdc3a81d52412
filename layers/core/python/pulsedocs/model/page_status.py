"""Where one page stands in the index, asked for when no trace mentions it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from pulsedocs.model.retrieval import CandidateQuery, Leg, LegHit


@dataclass(frozen=True, slots=True)
class PageQuery:
    """`query` is what the legs were asked; with it, the place the page would take is computed."""

    tenant_id: UUID
    document_id: UUID
    page: int
    model: str
    query: CandidateQuery | None = None


@dataclass(frozen=True, slots=True)
class PageStatus:
    """What is stored of a page of a document that exists.

    `state`, `outcome` and `code` are of the newest version, the rest of the published one.
    `in_scope` is None and `ranks` is empty where no query was given; a leg in which none of the
    page's chunks can be found has no rank.
    """

    collection: str
    state: str | None
    outcome: str | None
    code: str | None
    published_at: datetime | None
    pages_total: int
    page_outcome: str | None
    page_failure: str | None
    chunks: int
    embedded: int
    in_scope: bool | None = None
    ranks: Mapping[Leg, LegHit] = field(default_factory=dict[Leg, LegHit])
