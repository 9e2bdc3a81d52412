"""Figures of retrieval are what the reference computes, and labels outlive another cutting."""

import sys
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulsedocs.model.evaluations import Expected
from pulsedocs.retrieval.quality import (
    Shown,
    abstentions,
    figures,
    holds,
    measured,
    ndcg,
)

SOURCES = [f"{letter}.pdf" for letter in "abcdefghijklmnop"]


def shown(source: str, text: str = "", pages: tuple[int, ...] = (1,)) -> Shown:
    return Shown(source, pages, text)


def of_reference(ranked: Sequence[str], right: Sequence[str]) -> dict[str, float]:
    ir: Any = pytest.importorskip("ir_measures", reason="has no wheel for this machine")
    names = {"ndcg@10": ir.nDCG @ 10, "mrr@10": ir.RR @ 10}
    names |= {f"recall@{k}": ir.R @ k for k in (5, 10, 50)}
    judged = [ir.Qrel("q", source, 1) for source in right]
    run = [ir.ScoredDoc("q", source, -place) for place, source in enumerate(ranked)]
    values = ir.calc_aggregate(list(names.values()), judged, run)
    return {name: values[measure] for name, measure in names.items()}


@pytest.mark.skipif(sys.platform != "linux", reason="the reference is compiled for one platform")
@settings(deadline=None)  # the first example pays for loading the reference
@given(
    ranked=st.permutations(SOURCES).flatmap(
        lambda order: st.integers(1, len(order)).map(lambda n: order[:n])
    ),
    right=st.lists(st.sampled_from(SOURCES), min_size=1, max_size=14, unique=True),
)
def test_recall_mrr_and_ndcg_are_those_of_ir_measures(ranked: list[str], right: list[str]) -> None:
    """S0-38: recall@k, MRR and nDCG."""
    found = figures([shown(source) for source in ranked], [Expected(source) for source in right])

    assert found == pytest.approx(of_reference(ranked, right))


def test_a_document_is_ranked_by_its_first_passage() -> None:
    found = figures([shown("a"), shown("a"), shown("b")], [Expected("b")])

    assert found["mrr@10"] == 1 / 2


def test_a_document_keeps_the_place_of_its_first_passage_though_later_ones_follow() -> None:
    ranked = [shown("a"), shown("b"), shown("c"), shown("a")]

    found = figures(ranked, [Expected("a")])

    assert (found["mrr@10"], found["ndcg@10"]) == (1.0, 1.0)


def test_a_place_earns_once_however_many_passages_show_it() -> None:
    places = [Expected("a", quote="twenty days"), Expected("a", quote="of notice")]
    ranked = [shown("a", "twenty days"), shown("a", "Twenty  days"), shown("a", "of notice")]

    found = figures(ranked, places)

    assert found["ndcg@10"] == pytest.approx(ndcg([1, 0, 1], 2))
    assert found["ndcg@10"] < 1


@given(st.integers(0, 20), st.integers(1, 60))
def test_a_quote_is_found_again_however_the_text_was_cut(offset: int, size: int) -> None:
    """S0-38: labels are spans of words, so that another chunking does not break them."""
    quote = "the deposit is twenty euros"
    text = f"Before that. The deposit is -- twenty\neuros! {'And more words follow. ' * 8}"
    size = max(size, 2 * len(quote))
    pieces = [text[at : at + size] for at in range(offset, len(text), size // 2)]

    cut = [shown("a", piece) for piece in [text[:offset], *pieces]]

    found = figures(cut, [Expected("a", quote=quote)])

    assert found["recall@50"] == 1


def test_less_than_half_of_a_quote_is_not_the_quote() -> None:
    assert holds("what is said of twenty", "twenty euros") is True
    assert holds("what is said of twen", "twenty euros") is False
    assert holds("euros", "twenty days and not one euros") is False


def test_a_page_may_be_missed_by_one_and_is_near() -> None:
    ranked = [shown("b", pages=(7,)), shown("a", pages=(8,)), shown("a", pages=(6, 7))]

    found = figures(ranked, [Expected("a", 7)])

    assert [found[f"page@{k}"] for k in (1, 5)] == [0, 1]
    assert [found[f"near_page@{k}"] for k in (1, 5)] == [0, 1]
    assert figures(ranked[:2], [Expected("a", 7)])["near_page@5"] == 1
    assert figures(ranked[:2], [Expected("a", 7)])["page@5"] == 0


def test_refusals_have_a_precision_and_a_recall() -> None:
    """S0-38: abstention precision."""
    found = abstentions([True, True, False, False], [False, True, False, True])

    assert (found.precision, found.recall) == (0.5, 0.5)
    assert abstentions([False], [True]).precision is None
    assert abstentions([False], [True]).recall is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_a_mean_lies_within_its_interval_and_is_the_same_every_time(values: list[float]) -> None:
    found = measured(values)

    assert found == measured(values)
    assert found.low - 1e-3 <= found.mean <= found.high + 1e-3 or len(set(values)) > 1
    assert 0 <= found.low <= found.high <= 1
