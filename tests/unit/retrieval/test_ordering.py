"""Several legs give one order, the same on every run."""

from dataclasses import replace
from random import Random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.model.retrieval import Leg, LegHit, Ordering, Profile
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.ordering import fuse, reorder
from pulsedocs.retrieval.profiles import PROFILES
from tests.unit.retrieval.passages import drawn, passage, profile, some_evidence, some_profile


def _both(rank: int) -> dict[Leg, LegHit]:
    return {Leg.VECTOR: LegHit(rank, 0.8), Leg.KEYWORD: LegHit(rank, 8.0)}


def test_a_passage_found_by_both_legs_beats_one_found_higher_by_one() -> None:
    both = passage(1, legs={Leg.VECTOR: LegHit(3, 0.5), Leg.KEYWORD: LegHit(4, 2.0)})
    one = passage(2, legs={Leg.VECTOR: LegHit(1, 0.8)})

    assert [item.passage for item in fuse([one, both], profile())] == [both, one]


def test_the_fused_value_is_the_sum_of_reciprocal_ranks() -> None:
    found = passage(1, legs={Leg.VECTOR: LegHit(1, 0.8), Leg.KEYWORD: LegHit(2, 7.0)})

    [item] = fuse([found], profile())

    assert item.fused == pytest.approx(1 / 61 + 1 / 62, abs=1e-6)
    assert item.score == pytest.approx((1 / 61 + 1 / 62) / (2 / 61), abs=1e-6)


def test_equal_ranks_break_on_document_and_place_in_it() -> None:
    hit = {Leg.VECTOR: LegHit(1, 0.5)}
    later = passage(1, legs=hit, document_id=UUID(int=2), chunk_index=0)
    earlier = passage(2, legs=hit, document_id=UUID(int=1), chunk_index=9)
    first = passage(3, legs=hit, document_id=UUID(int=1), chunk_index=1)

    assert [item.passage for item in fuse([later, earlier, first], profile())] == [
        first,
        earlier,
        later,
    ]


def test_similarity_orders_by_similarity_alone() -> None:
    """S1-03: profile `v0.5`."""
    near = passage(1, similarity=0.9, legs={Leg.VECTOR: LegHit(9, 0.9)})
    far = passage(2, similarity=0.4, legs={Leg.VECTOR: LegHit(1, 0.4)})

    assert [item.passage for item in fuse([far, near], profile("v0.5"))] == [near, far]


def test_similarity_falls_back_to_ranks_where_no_passage_has_a_vector() -> None:
    found = [passage(n, similarity=None, legs={Leg.KEYWORD: LegHit(n, 9.0 - n)}) for n in (2, 1, 3)]

    order = [item.passage.chunk_index for item in fuse(found, profile("fast"))]

    assert order == [1, 2, 3]


def test_best_score_counts_words_as_a_share_of_the_best_match() -> None:
    words = passage(1, legs={Leg.KEYWORD: LegHit(1, 20.0)})
    half = passage(2, legs={Leg.KEYWORD: LegHit(2, 10.0), Leg.VECTOR: LegHit(1, 0.7)})

    order = fuse([half, words], profile(ordering=Ordering.BEST_SCORE))

    assert [(item.passage, item.fused) for item in order] == [(words, 1.0), (half, 0.7)]


def test_the_raw_score_decides_where_relevance_saturates() -> None:
    low = passage(1, rerank=6.0, relevance=1.0)
    high = passage(2, rerank=9.0, relevance=1.0)

    alone = profile(rerank_weight=0)

    assert [item.passage for item in reorder(fuse([low, high], alone), alone)] == [high, low]


def test_the_reranker_alone_decides_without_a_weight() -> None:
    policy = profile(rerank_weight=0)
    first = passage(1, legs=_both(1), rerank=1.0, relevance=0.4)
    last = passage(2, legs=_both(50), rerank=2.0, relevance=0.6)

    order = reorder(fuse([first, last], policy), policy)

    assert [(item.passage, item.score) for item in order] == [(last, 0.6), (first, 0.4)]


def test_the_rerankers_order_counts_as_much_as_both_legs() -> None:
    """Decision 0028: k 60, weight 2; the score is a share of the most there could be."""
    words = passage(1, legs={Leg.KEYWORD: LegHit(1, 9.0)}, rerank=5.0, relevance=0.9)
    both = passage(2, legs=_both(2), rerank=1.0, relevance=0.6)
    policy = profile()

    order = reorder(fuse([words, both], policy), policy)

    assert [item.passage for item in order] == [both, words]
    assert order[0].score == pytest.approx((2 / 62 + 2 / 62) / (4 / 61), abs=1e-6)
    assert order[1].score == pytest.approx((1 / 61 + 2 / 61) / (4 / 61), abs=1e-6)


def test_where_legs_and_reranker_balance_the_reranker_leads() -> None:
    liked = passage(1, legs=_both(2), rerank=5.0, relevance=0.9)
    found = passage(2, legs=_both(1), rerank=1.0, relevance=0.6)
    policy = profile()

    assert [item.passage for item in reorder(fuse([found, liked], policy), policy)] == [
        liked,
        found,
    ]


def test_only_the_default_policy_weighs_the_reranker_with_the_legs() -> None:
    weighing = [name for name, policy in PROFILES.items() if policy.rerank_weight]

    assert weighing == ["default"]
    assert PROFILES["default"].revision == 3


@drawn
@given(some_evidence(), some_profile())
def test_first_for_every_leg_and_the_reranker_is_first(found: Evidence, policy: Profile) -> None:
    weighing = replace(policy, rerank_weight=2)
    best = {leg: LegHit(1, 1.0) for item in found.passages for leg in item.legs}
    others = [replace(p, rerank=p.rerank or 0.0, relevance=0.5) for p in found.passages]
    winner = passage(99, legs=best or _both(1), rerank=13.0, relevance=1.0)

    order = reorder(fuse([*others, winner], weighing), weighing)

    assert order[0].passage == winner
    assert order[0].score == 1.0
    assert all(0 < item.score <= 1 for item in order)


@drawn
@given(some_evidence(), some_profile(), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_of_arrival(
    found: Evidence, policy: Profile, random: Random
) -> None:
    """RELIABILITY: fusion order is stable."""
    shuffled = list(found.passages)
    random.shuffle(shuffled)

    assert fuse(shuffled, policy) == fuse(found.passages, policy)


@drawn
@given(some_evidence(), some_profile())
def test_a_better_rank_in_one_leg_never_lowers_a_passage(found: Evidence, policy: Profile) -> None:
    by_rank = replace(policy, ordering=Ordering.RECIPROCAL_RANK)
    for item in found.passages:
        best = {leg: LegHit(1, hit.score) for leg, hit in item.legs.items()}
        raised = [replace(p, legs=best) if p is item else p for p in found.passages]
        before = [r.passage.chunk_id for r in fuse(found.passages, by_rank)]
        after = [r.passage.chunk_id for r in fuse(raised, by_rank)]
        assert after.index(item.chunk_id) <= before.index(item.chunk_id)
