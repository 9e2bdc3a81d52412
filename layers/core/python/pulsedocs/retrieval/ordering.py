"""One order out of several legs, and another once the reranker has spoken."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from pulsedocs.model.retrieval import Leg, Ordering, Profile
from pulsedocs.retrieval.evidence import Passage, rounded


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage in an order. `score` is what the order and the tie band go by."""

    passage: Passage
    fused: float
    score: float
    penalty: float = 0.0

    @property
    def final_score(self) -> float:
        return rounded(self.score - self.penalty)


_Tie: TypeAlias = tuple[UUID, int]


def fuse(passages: Iterable[Passage], profile: Profile) -> list[Ranked]:
    """Order passages by their legs; by similarity only where any of them has a vector.

    Ties break on document and place in it, on every run alike.
    """
    found = list(passages)
    by_similarity = profile.ordering is Ordering.SIMILARITY
    if by_similarity and any(item.similarity is not None for item in found):
        fused = [item.similarity or 0.0 for item in found]
        scores = fused
    elif profile.ordering is Ordering.BEST_SCORE:
        keyword = [item.legs[Leg.KEYWORD].score for item in found if Leg.KEYWORD in item.legs]
        top = max(keyword, default=0.0)
        fused = [_best_score(item, keyword_top=top) for item in found]
        scores = fused
    else:
        # Cormack et al., SIGIR 2009, with their k of 60: it damps the lead of one first place.
        # The score is the share of the most that these legs could give, so that a tie band means
        # the same whether one leg answered or three.
        most = _legs_among(found) / (profile.rrf_k + 1)
        fused = [_of_legs(item, profile.rrf_k) for item in found]
        scores = [total / most if most else 0.0 for total in fused]
    ranked = [
        Ranked(item, rounded(own), rounded(score))
        for item, own, score in zip(found, fused, scores, strict=True)
    ]
    return sorted(ranked, key=lambda item: (-item.fused, *_tie(item)))


def reorder(ranked: Iterable[Ranked], profile: Profile) -> list[Ranked]:
    """Order by the reranker, or by it and the legs; only passages it has scored are expected here.

    The raw score decides where the calibrated one saturates, the fused one where that ties too.
    With a `rerank_weight`, the reranker's order counts as so many legs, and ties keep that order;
    the score is again the share of the most there could be.
    """
    scored = [
        Ranked(
            item.passage,
            item.fused,
            item.passage.rerank or 0.0
            if item.passage.relevance is None
            else item.passage.relevance,
        )
        for item in ranked
    ]
    by_reranker = sorted(
        scored,
        key=lambda item: (-item.score, -(item.passage.rerank or 0.0), -item.fused, *_tie(item)),
    )
    weight, rrf_k = profile.rerank_weight, profile.rrf_k
    if not weight:
        return by_reranker
    most = (_legs_among(item.passage for item in by_reranker) + weight) / (rrf_k + 1)
    blended = [
        Ranked(
            item.passage,
            item.fused,
            rounded((_of_legs(item.passage, rrf_k) + weight / (rrf_k + place)) / most),
        )
        for place, item in enumerate(by_reranker, start=1)
    ]
    return sorted(blended, key=lambda item: -item.score)


def _tie(item: Ranked) -> _Tie:
    return item.passage.document_id, item.passage.chunk_index


def _legs_among(passages: Iterable[Passage]) -> int:
    return len({leg for item in passages for leg in item.legs})


def _of_legs(passage: Passage, rrf_k: int) -> float:
    """Sum a passage's legs; that of the words counts nothing for one in another language."""
    return sum(
        1 / (rrf_k + hit.rank)
        for leg, hit in passage.legs.items()
        if not (passage.crosses_language and leg is Leg.KEYWORD)
    )


def _best_score(passage: Passage, *, keyword_top: float) -> float:
    """Return a passage's best leg; BM25 has no upper bound, so it counts as a share of its top."""
    shares = [
        hit.score / keyword_top if leg is Leg.KEYWORD and keyword_top > 0 else hit.score
        for leg, hit in passage.legs.items()
    ]
    return max(shares, default=0.0)
