"""Newer wins among passages that say the same, and never against others."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.retrieval.evidence import rounded
from pulsedocs.retrieval.ordering import Ranked
from pulsedocs.retrieval.rules.newer_first import prefer_newer
from tests.unit.retrieval.passages import EPOCH, drawn, ranked


def test_a_newer_version_takes_the_place_of_the_older() -> None:
    """S0-19."""
    old = ranked(0.80, number=1, days=0, alike=[3])
    other = ranked(0.79, number=2, days=900)
    new = ranked(0.78, number=3, days=300, alike=[1])

    order = prefer_newer([old, other, new], tie_band=0.02)

    assert [item.passage for item in order] == [new.passage, old.passage, other.passage]
    assert [item.final_score for item in order] == [0.80, 0.80, 0.79]
    assert [item.penalty for item in order] == [-0.02, 0, 0]


@pytest.mark.parametrize(
    ("score", "days", "alike"),
    [(0.77, 300, [1]), (0.79, None, [1]), (0.79, -300, [1]), (0.79, 300, [])],
    ids=["less relevant", "undated", "older", "of another matter"],
)
def test_what_is_no_newer_version_moves_nothing(
    score: float, days: int | None, alike: list[int]
) -> None:
    """S0-19."""
    old = ranked(0.80, number=1, days=0, alike=[2] if alike else [])
    later = ranked(score, number=2, days=days, alike=alike)

    assert prefer_newer([old, later], tie_band=0.02) == [old, later]


@pytest.mark.parametrize("first", [1, 2])
def test_what_is_in_force_goes_before_what_is_to_come(first: int) -> None:
    """A draft of next year's prices is no answer to what something costs."""
    in_force = ranked(0.80, number=1, days=0, alike=[2])
    to_come = ranked(0.80, number=2, days=300, alike=[1])
    order = [in_force, to_come] if first == 1 else [to_come, in_force]

    on_the_day = EPOCH.date() + timedelta(days=10)
    found = prefer_newer(order, tie_band=0.02, today=on_the_day)
    later = prefer_newer(order, tie_band=0.02, today=on_the_day + timedelta(days=290))

    assert [item.passage for item in found] == [in_force.passage, to_come.passage]
    assert [item.passage for item in later] == [to_come.passage, in_force.passage]


def test_no_band_no_reordering() -> None:
    order = [ranked(0.8, number=1, alike=[2]), ranked(0.8, number=2, days=5, alike=[1])]

    assert prefer_newer(order, tie_band=0.0) == order


def _in_order(
    drawn_passages: list[tuple[float, int | None]], pairs: set[tuple[int, int]]
) -> list[Ranked]:
    alike: dict[int, list[int]] = {}
    for one, other in pairs:
        alike.setdefault(one, []).append(other)
        alike.setdefault(other, []).append(one)
    by_score = sorted(drawn_passages, key=lambda pair: -pair[0])
    return [
        ranked(score, number=number, days=days, alike=alike.get(number, []))
        for number, (score, days) in enumerate(by_score)
    ]


_orders = st.builds(
    _in_order,
    st.lists(st.tuples(st.floats(0, 1).map(rounded), st.none() | st.integers(0, 9)), max_size=12),
    st.sets(st.tuples(st.integers(0, 5), st.integers(6, 11)), max_size=8),
)


@drawn
@given(_orders, st.sampled_from([0.01, 0.02, 0.2]))
def test_only_a_newer_version_within_the_band_ever_outranks_a_better_passage(
    order: list[Ranked], tie_band: float
) -> None:
    """S0-19: whoever is passed is passed by a version of a passage that stood before it."""
    fresh = prefer_newer(order, tie_band=tie_band)

    ids = [item.passage.chunk_id for item in order]
    for place, item in enumerate(fresh):
        for passed in fresh[place + 1 :]:
            if ids.index(passed.passage.chunk_id) < ids.index(item.passage.chunk_id):
                assert any(_is_version(item, earlier, tie_band) for earlier in order)
    assert {item.passage.chunk_id for item in fresh} == set(ids)


def _is_version(item: Ranked, earlier: Ranked, tie_band: float) -> bool:
    one, other = item.passage, earlier.passage
    assert one.relevance is not None
    assert other.relevance is not None
    return (
        other.chunk_id in one.alike
        and one.dated_at is not None
        and other.dated_at is not None
        and one.dated_at > other.dated_at
        and rounded(abs(one.relevance - other.relevance)) <= tie_band
    )


@drawn
@given(_orders, st.sampled_from([0.01, 0.02, 0.2]))
def test_final_scores_never_rise(order: list[Ranked], tie_band: float) -> None:
    scores = [item.final_score for item in prefer_newer(order, tie_band=tie_band)]

    assert scores == sorted(scores, reverse=True)
