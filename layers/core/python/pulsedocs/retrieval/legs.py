"""What the legs of a search found, as candidates: each chunk once, with its place in every leg."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from json import loads
from typing import Any, Final, NamedTuple, TypeAlias
from uuid import UUID

from pulsedocs.model.retrieval import MOST_CANDIDATES, Candidate, Leg, LegHit

_FUSION_OFFSET: Final = 60  # Cormack et al., SIGIR 2009


class Found(NamedTuple):
    """A chunk that one leg found, in the columns that the statements of the legs have."""

    rank: int
    score: float
    chunk_id: UUID
    document_id: UUID
    version: int
    source: str
    title: str | None
    metadata: str
    """JSON: the rows of one document are decoded once."""
    dated_at: datetime | None
    chunk_index: int
    text: str
    page_start: int
    page_end: int
    spans: list[list[int]] | None
    section: list[str]
    tokens: int
    method: str
    chunked_at: datetime
    chunk_count: int
    similarity: float | None


ByLeg: TypeAlias = Mapping[Leg, Sequence[Found]]


def one_ranking(rankings: Sequence[Sequence[Found]]) -> list[Found]:
    """Fuse rankings of different chunks by reciprocal rank; a single one keeps its scores.

    They are those of one leg in several languages, whose scores do not compare.
    """
    if len(rankings) == 1:
        return list(rankings[0])
    rows = sorted((row for part in rankings for row in part), key=lambda r: (r.rank, r.chunk_id))
    return [
        row._replace(rank=rank, score=1 / (_FUSION_OFFSET + row.rank))
        for rank, row in enumerate(rows, start=1)
    ]


def union(found: ByLeg) -> tuple[Candidate, ...]:
    """Return each chunk once, best rank first; beyond 200 the worst ranks are cut."""
    hits: dict[UUID, dict[Leg, LegHit]] = defaultdict(dict)
    rows: dict[UUID, Found] = {}
    for leg, leg_rows in found.items():
        for row in leg_rows:
            hits[row.chunk_id][leg] = LegHit(row.rank, row.score)
            best = rows.setdefault(row.chunk_id, row)
            if row.rank < best.rank:
                rows[row.chunk_id] = row
    order = sorted(rows.values(), key=lambda row: (row.rank, row.document_id, row.chunk_index))
    decoded = cache(loads)
    return tuple(
        _candidate(row, hits[row.chunk_id], metadata=decoded(row.metadata))
        for row in order[:MOST_CANDIDATES]
    )


def _candidate(row: Found, legs: Mapping[Leg, LegHit], *, metadata: Mapping[str, Any]) -> Candidate:
    pages = {row.page_start, row.page_end}
    if len(pages) > 1:
        pages |= {span[0] for span in row.spans or ()}
    return Candidate(
        chunk_id=row.chunk_id,
        document_id=row.document_id,
        version=row.version,
        chunk_index=row.chunk_index,
        source=row.source,
        title=row.title,
        text=row.text,
        pages=tuple(sorted(pages)),
        section=tuple(row.section),
        tokens=row.tokens,
        dated_at=row.dated_at,
        legs=legs,
        similarity=row.similarity,
        metadata=metadata,
        spans=tuple((page, start, end) for page, start, end in row.spans or ()),
        method=row.method,
        chunked_at=row.chunked_at,
        chunk_count=row.chunk_count,
    )
