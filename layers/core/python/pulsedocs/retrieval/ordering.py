"""One order out of several legs, and another once the reranker has spoken."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import Final, TypeAlias
from uuid import UUID

from pulsedocs.model.retrieval import Leg, Ordering, Profile
from pulsedocs.retrieval.evidence import Passage, rounded

_SPREAD: Final = 0.15
"""The usual distance of the best cosine from the least: two of .80 and .79 are hardly apart."""
_WORDS_ALONE: Final = 0.8
"""The share of BM25 beside the cosine where nobody reads what has the words of a question."""
_EVEN: Final = 0.5
_SURE: Final = 5.0


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
        fused = scores = [item.similarity or 0.0 for item in found]
    elif profile.ordering is Ordering.BEST_SCORE:
        fused = scores = _scores_of_best_legs(found)
    elif profile.ordering is Ordering.ADDED_SCORES:
        fused = scores = _shares_of_scores(found, 0, profile.name_weight)
    else:
        # Cormack et al., SIGIR 2009, with their k of 60: it damps the lead of one first place.
        # The score is the share of the most that these legs could give, so that a tie band means
        # the same whether one leg answered or three.
        most = _legs_among(found) / (profile.rrf_k + 1)
        # What the question names comes as a leg would bring it whose first places it all had.
        own = profile.name_weight / (profile.rrf_k + 1)
        most += own * max((item.named for item in found), default=0.0)
        fused = [_of_legs(item, profile.rrf_k) + own * item.named for item in found]
        scores = [total / most if most else 0.0 for total in fused]
    ranked = [
        Ranked(item, rounded(own), rounded(score))
        for item, own, score in zip(found, fused, scores, strict=True)
    ]
    return sorted(ranked, key=lambda item: (-item.fused, *_tie(item)))


def reorder(ranked: Iterable[Ranked], profile: Profile) -> list[Ranked]:
    """Order by the reranker, or by it and the legs; only passages it has scored are expected here.

    The raw score decides where the calibrated one saturates, the fused one where that ties too.
    With a `rerank_weight`, the reranker counts as so many legs, by its ranks or by its scores, and
    ties keep its order; the score is again the share of the most there could be.
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
    if not profile.rerank_weight:
        return by_reranker
    passages = [item.passage for item in by_reranker]
    if profile.blend_scores:
        shares = _shares_of_scores(passages, profile.rerank_weight, profile.name_weight)
    else:
        weight, k = profile.rerank_weight, profile.rrf_k
        most = (_legs_among(passages) + weight) / (k + 1)
        shares = [
            (_of_legs(item, k) + weight / (k + place)) / most
            for place, item in enumerate(passages, start=1)
        ]
    blended = [
        Ranked(item.passage, item.fused, rounded(share))
        for item, share in zip(by_reranker, shares, strict=True)
    ]
    return sorted(blended, key=lambda item: -item.score)


def _scores_of_best_legs(passages: Sequence[Passage]) -> list[float]:
    """Score passages by their best legs; BM25, which has no bound, by its share of the top."""
    keyword = [item.legs[Leg.KEYWORD].score for item in passages if Leg.KEYWORD in item.legs]
    top = max(keyword, default=0.0)
    return [
        max(
            (
                hit.score / top if leg is Leg.KEYWORD and top > 0 else hit.score
                for leg, hit in item.legs.items()
            ),
            default=0.0,
        )
        for item in passages
    ]


def _shares_of_scores(passages: Sequence[Passage], weight: int, name_weight: float) -> list[float]:
    """Add up BM25 as a share of its best, the cosine between least and best, and the log-odds.

    And what the question names, where it names a document: decision 0057.

    A reranker that finds nothing relevant, as on long narrative questions, leaves the order to the
    legs; one that is sure of a passage weighs as much as both: decision 0046.
    """
    top = max(map(_score_of_words, passages), default=0.0)
    cosines = [item.similarity for item in passages if item.similarity is not None]
    least = min(cosines, default=0.0)
    spread = max(max(cosines, default=0.0) - least, _SPREAD)
    words = 1.0 if weight else _WORDS_ALONE
    most = 1 + words + weight + name_weight * max((item.named for item in passages), default=0.0)
    return [
        (
            (words * _score_of_words(item) / top if top > 0 else 0.0)
            + (0.0 if item.similarity is None else (item.similarity - least) / spread)
            + weight * _certainty(item.relevance)
            + name_weight * item.named
        )
        / most
        for item in passages
    ]


def _score_of_words(passage: Passage) -> float:
    """Return BM25, of words that tell: not of another language, nor beside what is asked for.

    A text of a rowing boat's berths has more of "How much does a berth for a rowing boat cost?"
    than the price has, and no figure.
    """
    hit = passage.legs.get(Leg.KEYWORD)
    is_by_chance = passage.crosses_language or passage.lacks_kind
    return 0.0 if hit is None or is_by_chance else hit.score


def _certainty(relevance: float | None) -> float:
    """Return how far the log-odds of a relevance lie above even ones, from 0 to 1 at .993.

    Below even odds all is the same: what a reranker holds for irrelevant it orders by chance.
    """
    if relevance is None or relevance <= _EVEN:
        return 0.0
    return min(log(relevance / (1 - relevance)) / _SURE, 1.0) if relevance < 1 else 1.0


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
