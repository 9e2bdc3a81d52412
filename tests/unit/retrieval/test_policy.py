"""What a selection owes its reader: both sides of a conflict, other texts, room in the prompt."""

import math
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.answering.passages import Block, PageText
from pulsedocs.answering.prompt import context_block
from pulsedocs.errors import InvalidRequest
from pulsedocs.model.retrieval import GateScale, Leg, LegHit, Ordering, Reason
from pulsedocs.retrieval.evidence import rounded
from pulsedocs.retrieval.profiles import LIMITS, changed, defined, profile_named, profile_with
from pulsedocs.retrieval.selection import select
from tests.unit.retrieval.passages import drawn, evidence, passage, profile


def test_sources_that_disagree_are_both_shown() -> None:
    """Two documents, one section title, two texts: neither is the other's duplicate."""
    old = passage(1, document_id=UUID(int=1), section="notice", content="30 days")
    new = passage(2, document_id=UUID(int=2), section="notice", content="60 days")

    selection = select(evidence(old, new), profile(per_section=1))

    assert selection.selected == (old.chunk_id, new.chunk_id)


def test_near_duplicates_in_front_leave_room_for_other_documents() -> None:
    """1,000 near-duplicates in front: at least three other documents are in the first ten."""
    flood = [
        passage(n, pages=(n,), document_id=UUID(int=1), similarity=0.9, relevance=0.9, tokens=50)
        for n in range(1, 1001)
    ]
    others = [
        passage(n, document_id=UUID(int=n), similarity=0.5, relevance=0.5, tokens=50)
        for n in range(2001, 2006)
    ]

    chosen = select(evidence(*flood, *others), profile(top_k=10)).selected

    documents = {item.chunk_id: item.document_id for item in (*flood, *others)}
    assert len(chosen) == 10
    assert len({documents[chunk] for chunk in chosen} - {UUID(int=1)}) >= 3


def test_every_rejection_of_many_has_its_numbers() -> None:
    """S0-21."""
    flood = [passage(n, document_id=UUID(int=1), relevance=0.9) for n in range(1, 1001)]

    decisions = select(evidence(*flood), profile()).decisions

    dropped = [item for item in decisions if item.rank is None]
    assert {item.reason for item in dropped} == {Reason.DOCUMENT_LIMIT}
    assert all(item.numbers["limit"] == 6 for item in dropped)


def bytes_of(text: str) -> int:
    return len(text.encode())


TOKENIZERS: dict[str, Callable[[str], int]] = {
    "words": lambda text: len(text.split()),
    "characters": len,
    "bytes": bytes_of,
    "quarters": lambda text: math.ceil(len(text) / 4),
}
_texts = st.lists(st.text("ab é中 ", min_size=1, max_size=400), min_size=1, max_size=12)


@drawn
@pytest.mark.parametrize("name", sorted(TOKENIZERS))
@given(texts=_texts, most=st.integers(300, 3000), reserved=st.integers(0, 1500))
def test_the_prompt_fits_whatever_counts_its_tokens(
    name: str, texts: list[str], most: int, reserved: int
) -> None:
    """S0-20: passages counted by a tokenizer, and a source line's worth of it reserved for each."""
    count = TOKENIZERS[name]
    found = [passage(n, tokens=count(text)) for n, text in enumerate(texts, start=1)]
    line = max(count(_block(n, "")) for n in range(1, 13)) + count("\n\n")
    policy = profile(context_tokens=most, overhead_tokens_per_block=line, per_document=0)

    chosen = select(evidence(*found, reserved=reserved), policy).selected

    blocks = [_block(n, texts[chunk.int - 1]) for n, chunk in enumerate(chosen, start=1)]
    assert not chosen or reserved + count("\n\n".join(blocks)) <= most


def _block(number: int, text: str) -> str:
    page = PageText(1, text, None)
    source = "a-file-name-that-is-longer-than-a-line-has-room-for.pdf"
    return context_block(Block(number, UUID(int=1), source, None, text, (page,)))


@drawn
@given(st.integers(1, 100), st.integers(1, 20), st.sampled_from(["default", "hybrid", "fast"]))
def test_a_leg_fetches_its_factor_of_what_is_selected(top_k: int, factor: int, name: str) -> None:
    """S0-15: the factor is a value of the policy, and the trace has it."""
    wanted = min(200, top_k * factor)
    values = {"over_fetch": factor, "top_k": top_k, "rerank_candidates": 0}
    legs = {"vector_candidates": wanted, "keyword_candidates": wanted}

    made = changed(profile_named(name), values | legs)

    assert made.vector_candidates >= min(200, made.top_k * made.over_fetch)
    if wanted > 1:
        with pytest.raises(InvalidRequest, match="top_k times over_fetch"):
            changed(profile_named(name), values | legs | {"vector_candidates": wanted - 1})


@pytest.mark.parametrize("field", sorted(LIMITS))
def test_a_number_of_a_policy_has_bounds(field: str) -> None:
    least, most = LIMITS[field]
    for wrong in (least - 1, most + 1, "7", None, True, float("nan"), [1]):
        with pytest.raises(InvalidRequest, match=field):
            defined("mine", profile_named("default"), {field: wrong})


@pytest.mark.parametrize(
    ("values", "about"),
    [
        ({"vector_candidates": 0, "keyword_candidates": 0}, "needs a leg"),
        ({"gate_scale": "none"}, "gate needs"),
        ({"gate_scale": "magic"}, "gate_scale is one of"),
        ({"hyde": 1}, "true or false"),
        ({"rerank_candidates": 3}, "less than top_k"),
        ({"context_tokens": 256, "overhead_tokens": 240}, "no room"),
        ({"name": "other"}, "no 'name'"),
        ({"nonsense": 1}, "no 'nonsense'"),
        ({"top_k": 1.5}, "whole number"),
    ],
)
def test_values_that_make_no_policy_are_named(values: dict[str, Any], about: str) -> None:
    with pytest.raises(InvalidRequest, match=about):
        defined("mine", profile_named("default"), values)


def test_a_policy_of_ones_own_spells_out_every_value() -> None:
    made = defined("mine", profile_named("hybrid"), {"ordering": "similarity", "gate": 0})

    assert (made.name, made.revision, made.ordering) == ("mine", 1, Ordering.SIMILARITY)
    assert made.keyword_candidates == profile_named("hybrid").keyword_candidates


def test_a_larger_top_k_has_as_many_read_by_the_reranker() -> None:
    made = defined("mine", profile_named("default"), {"top_k": 20})

    assert made.rerank_candidates == 20
    assert defined("mine", profile_named("fast"), {"top_k": 20}).rerank_candidates == 0


def test_a_stored_policy_that_is_older_than_a_field_has_its_default() -> None:
    stored = {"name": "mine", "revision": 3, "ordering": "similarity", "gate_scale": "cosine"}
    stored |= dict.fromkeys(
        (
            *("vector_candidates", "keyword_candidates", "rerank_candidates", "gate", "per_page"),
            *("per_section", "per_document", "tie_band", "top_k", "context_tokens"),
        ),
        1,
    )

    assert profile_with(stored).over_fetch == 1
    assert profile_with(stored).gate_scale is GateScale.COSINE


def test_v0_5_is_similarity_order_and_nothing_else() -> None:
    """S1-03."""
    found = [
        passage(n, similarity=rounded(n / 10), content="same", pages=(1,), section="one")
        for n in range(1, 9)
    ]

    selection = select(evidence(*found), profile("v0.5"))

    assert [chunk.int for chunk in selection.selected] == [8, 7, 6, 5, 4, 3, 2, 1]


def test_documentor_may_be_widened_without_being_changed() -> None:
    """S4-12: reranking, words and headings' caps on top of it, under another name."""
    wider = {"rerank_candidates": 25, "keyword_candidates": 25, "per_section": 2}

    made = defined("documentor-plus", profile_named("documentor"), wider)

    assert (made.gate_scale, made.gate) == (GateScale.COSINE, 0.3)
    assert profile_named("documentor").rerank_candidates == 0
    worded = passage(2, legs={Leg.KEYWORD: LegHit(1, 9.0)}, rerank=5.0, relevance=0.9)
    read = select(evidence(passage(1, rerank=1.0, relevance=0.5), worded), made)
    assert [chunk.int for chunk in read.selected] == [2, 1]
