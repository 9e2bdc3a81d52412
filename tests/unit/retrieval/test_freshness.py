"""Newer wins among equals and never against the better."""

from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.retrieval.evidence import rounded
from pulsedocs.retrieval.freshness import prefer_newer
from pulsedocs.retrieval.ordering import Ranked
from tests.unit.retrieval.passages import drawn, ranked


def test_newer_wins_inside_the_band() -> None:
    """S0-19."""
    old, new = ranked(0.80, number=1, days=0), ranked(0.79, number=2, days=300)

    order = prefer_newer([old, new], tie_band=0.02)

    assert [item.passage for item in order] == [new.passage, old.passage]
    assert [item.penalty for item in order] == [0.0, 0.01]
    assert [item.final_score for item in order] == [0.79, 0.79]


def test_newer_loses_outside_the_band() -> None:
    """S0-19."""
    old, new = ranked(0.80, number=1, days=0), ranked(0.77, number=2, days=300)

    assert prefer_newer([old, new], tie_band=0.02) == [old, new]


def test_no_band_no_reordering() -> None:
    order = [ranked(0.8, number=1), ranked(0.8, number=2, days=5)]

    assert prefer_newer(order, tie_band=0.0) == order


_items = st.lists(st.tuples(st.floats(0, 1).map(rounded), st.integers(0, 9)), max_size=12).map(
    lambda pairs: [
        ranked(score, number=number, days=days)
        for number, (score, days) in enumerate(sorted(pairs, key=lambda pair: -pair[0]))
    ]
)


@drawn
@given(_items, st.sampled_from([0.01, 0.02, 0.2]))
def test_a_more_relevant_older_passage_outside_the_band_always_outranks(
    order: list[Ranked], tie_band: float
) -> None:
    """S0-19."""
    fresh = prefer_newer(order, tie_band=tie_band)

    for place, item in enumerate(fresh):
        for later in fresh[place + 1 :]:
            assert rounded(later.score - item.score) <= tie_band


@drawn
@given(_items, st.sampled_from([0.01, 0.02, 0.2]))
def test_final_scores_never_rise_and_penalties_stay_within_the_band(
    order: list[Ranked], tie_band: float
) -> None:
    fresh = prefer_newer(order, tie_band=tie_band)

    scores = [item.final_score for item in fresh]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= item.penalty <= tie_band for item in fresh)
    assert {item.passage.chunk_id for item in fresh} == {item.passage.chunk_id for item in order}
