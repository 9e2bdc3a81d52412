"""Several legs give one order, the same on every run."""

from dataclasses import replace
from random import Random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.model.retrieval import Leg, LegHit, Ordering, Profile
from pulsedocs.retrieval.evidence import Evidence, Passage
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


def test_strict_adds_up_how_much_better_each_leg_finds_a_passage() -> None:
    """One that has a few more of a question's words gives way to one that is far nearer to it."""
    wordy = passage(
        1, similarity=0.60, legs={Leg.KEYWORD: LegHit(1, 8.2), Leg.VECTOR: LegHit(2, 0.60)}
    )
    near = passage(
        2, similarity=0.85, legs={Leg.KEYWORD: LegHit(2, 7.9), Leg.VECTOR: LegHit(1, 0.85)}
    )

    by_scores = fuse([wordy, near], PROFILES["strict"])
    by_ranks = fuse([wordy, near], replace(PROFILES["strict"], ordering=Ordering.RECIPROCAL_RANK))

    assert [item.passage for item in by_scores] == [near, wordy]
    assert [item.score for item in by_ranks] == [by_ranks[0].score] * 2  # a tie
    assert 0 < by_scores[1].score < by_scores[0].score <= 1


@pytest.mark.parametrize("name", ["default", "strict"])
def test_words_of_a_passage_without_what_is_asked_for_count_nothing(name: str) -> None:
    """Who asks how much a berth costs is not helped by more about berths, without a figure."""
    wordy = passage(1, similarity=0.80, relevance=0.98, rerank=4.0, legs=_both(1))
    answer = passage(2, similarity=0.82, relevance=0.99, rerank=5.0, legs=_both(1))
    answer = replace(answer, legs={**answer.legs, Leg.KEYWORD: LegHit(2, 4.0)})
    policy = PROFILES[name]

    with_words = reorder(fuse([wordy, answer], policy), policy)
    lacking = replace(wordy, lacks_kind=True)
    without = reorder(fuse([lacking, answer], policy), policy)

    if name == "strict":
        with_words, without = fuse([wordy, answer], policy), fuse([lacking, answer], policy)
    assert [item.passage for item in with_words] == [wordy, answer]
    assert [item.passage for item in without] == [answer, lacking]


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
    policy = profile(blend_scores=False, rerank_weight=2)

    order = reorder(fuse([words, both], policy), policy)

    assert [item.passage for item in order] == [both, words]
    assert order[0].score == pytest.approx((2 / 62 + 2 / 62) / (4 / 61), abs=1e-6)
    assert order[1].score == pytest.approx((1 / 61 + 2 / 61) / (4 / 61), abs=1e-6)


def test_where_legs_and_reranker_balance_the_reranker_leads() -> None:
    liked = passage(1, legs=_both(2), rerank=5.0, relevance=0.9)
    found = passage(2, legs=_both(1), rerank=1.0, relevance=0.6)
    policy = profile(blend_scores=False, rerank_weight=2)

    assert [item.passage for item in reorder(fuse([found, liked], policy), policy)] == [
        liked,
        found,
    ]


def _scored(number: int, relevance: float | None, words: float, cosine: float | None) -> Passage:
    legs = {Leg.KEYWORD: LegHit(number, words)} if words else _both(number)
    return passage(number, legs=legs, similarity=cosine, rerank=0.0, relevance=relevance)


def _in_order(*found: Passage) -> list[int]:
    policy = profile()
    return [item.passage.chunk_index for item in reorder(fuse(found, policy), policy)]


def test_a_sure_reranker_outweighs_what_the_legs_say_a_little_louder() -> None:
    """Decision 0046: by ranks a relevance of .99 beside .02 is one place ahead, as .51 is."""
    louder, sure = _scored(1, 0.02, 9.0, 0.8), _scored(2, 0.99, 4.0, 0.7)
    hesitant = _scored(2, 0.51, 4.0, 0.7)

    assert _in_order(louder, sure) == [2, 1]
    assert _in_order(louder, hesitant) == [1, 2]


def test_a_reranker_that_finds_nothing_relevant_leaves_the_order_to_the_legs() -> None:
    """Decision 0046: on narrative questions every relevance lies near 0, its order is chance."""
    louder, chance = _scored(1, 0.001, 9.0, 0.8), _scored(2, 0.45, 8.9, 0.79)

    assert _in_order(louder, chance) == [1, 2]


def test_words_and_meaning_each_count_on_the_scale_of_what_was_found() -> None:
    """Decision 0046: a cosine of .64 to .80 and BM25 of 0 to 30 are two legs alike."""
    found = [_scored(1, 0.5, 30.0, 0.64), _scored(2, 0.5, 15.0, 0.80), _scored(3, 0.5, 9.0, 0.70)]
    policy = profile()

    order = reorder(fuse(found, policy), policy)

    scores = {item.passage.chunk_index: item.score for item in order}
    expected = {1: 1 / 4, 2: (0.5 + 1) / 4, 3: (0.3 + 0.375) / 4}
    assert scores == pytest.approx(expected, abs=1e-6)


def test_cosines_that_are_hardly_apart_do_not_decide() -> None:
    found = [_scored(1, 0.5, 9.0, 0.79), _scored(2, 0.5, 8.0, 0.80)]

    assert _in_order(*found) == [1, 2]


@pytest.mark.parametrize("relevance", [None, 0.0, 1.0])
def test_what_is_not_known_counts_as_the_least_and_certainty_has_an_end(
    relevance: float | None,
) -> None:
    known, other = _scored(1, 0.6, 9.0, 0.8), _scored(2, relevance, 9.0, None)

    assert _in_order(known, other) == ([2, 1] if relevance else [1, 2])


def test_only_the_default_policy_weighs_the_reranker_with_the_legs() -> None:
    weighing = [name for name, policy in PROFILES.items() if policy.rerank_weight]

    assert weighing == ["default"]
    assert PROFILES["default"].revision == 7


@drawn
@given(some_evidence(), some_profile())
def test_first_for_every_leg_and_the_reranker_is_first(found: Evidence, policy: Profile) -> None:
    weighing = replace(policy, rerank_weight=2, blend_scores=False)
    best = {leg: LegHit(1, 1.0) for item in found.passages for leg in item.legs}
    others = [replace(p, rerank=p.rerank or 0.0, relevance=0.5) for p in found.passages]
    winner = passage(99, legs=best or _both(1), rerank=13.0, relevance=1.0)

    order = reorder(fuse([*others, winner], weighing), weighing)

    assert order[0].passage == winner
    assert order[0].score == 1.0
    assert all(0 < item.score <= 1 for item in order)


@drawn
@given(some_evidence())
def test_the_best_of_every_score_is_first(found: Evidence) -> None:
    policy = profile()
    others = [replace(p, rerank=p.rerank or 0.0, relevance=0.5) for p in found.passages]
    legs = {Leg.VECTOR: LegHit(1, 1.0), Leg.KEYWORD: LegHit(1, 2.0)}
    winner = passage(99, legs=legs, similarity=1.5, rerank=13.0, relevance=1.0)

    order = reorder(fuse([*others, winner], policy), policy)

    assert order[0].passage == winner
    assert all(0 <= item.score <= 1 for item in order)


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
