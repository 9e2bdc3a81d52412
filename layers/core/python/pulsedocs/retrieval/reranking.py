"""What the reranker did: the order before it, the order after it, and who moved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pulsedocs.model.retrieval import Candidate


@dataclass(frozen=True, slots=True)
class Placed:
    """A passage at its place in an order; `score` is what that order goes by."""

    rank: int
    chunk_id: str
    document_id: str
    pages: tuple[int, ...]
    score: float
    source: str
    content: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A passage that changed its place; `change` above 0 is up. `after` None: not reranked."""

    chunk_id: str
    before: int
    after: int | None
    change: int | None


@dataclass(frozen=True, slots=True)
class Reranked:
    """`reranked` and `moved` are empty where no reranker took part."""

    retrieved: tuple[Placed, ...]
    reranked: tuple[Placed, ...]
    moved: tuple[Moved, ...]


def effect_of_reranking(
    candidates: Sequence[Mapping[str, Any]], passages: Sequence[Candidate]
) -> Reranked:
    """Compare a trace's candidates as the legs ordered them with what the reranker made of it.

    `passages` have their words, which no trace holds.
    """
    by_id = {str(passage.chunk_id): passage for passage in passages}
    retrieved = _in_order(candidates, "fused", by_id)
    scored = [candidate for candidate in candidates if candidate["rerank"] is not None]
    reranked = _in_order(scored, "rerank", by_id)
    after = {one.chunk_id: one.rank for one in reranked}
    moved = [
        Moved(one.chunk_id, one.rank, place, None if place is None else one.rank - place)
        for one, place in ((one, after.get(one.chunk_id)) for one in retrieved)
        if place != one.rank
    ]
    return Reranked(retrieved, reranked, tuple(moved) if reranked else ())


def _in_order(
    candidates: Sequence[Mapping[str, Any]], score: str, passages: Mapping[str, Candidate]
) -> tuple[Placed, ...]:
    """Order as the selection does: ties break on the legs' order, then document and place."""
    ranked = sorted(
        candidates,
        key=lambda one: (-one[score], -one["fused"], one["document_id"], one["chunk_index"]),
    )
    return tuple(
        Placed(
            rank,
            one["chunk_id"],
            one["document_id"],
            tuple(one["pages"]),
            one[score],
            passages[one["chunk_id"]].source,
            passages[one["chunk_id"]].text,
        )
        for rank, one in enumerate(ranked, start=1)
    )
