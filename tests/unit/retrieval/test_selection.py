"""Every candidate is decided about, by rules that hold whatever was found."""

from collections import Counter
from random import Random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.model.retrieval import Abstention, GateScale, Profile, Reason
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.profiles import Overrides, changed, with_overrides
from pulsedocs.retrieval.rules.gate import gate_applies, gate_value
from pulsedocs.retrieval.selection import Selection, select, to_rerank
from tests.unit.retrieval.passages import (
    drawn,
    evidence,
    passage,
    profile,
    some_evidence,
    some_profile,
)


def reasons(selection: Selection) -> dict[int, Reason]:
    return {item.passage.chunk_index: item.reason for item in selection.decisions}


def numbers_of(selection: Selection, chunk: int) -> dict[str, object]:
    [found] = [item for item in selection.decisions if item.passage.chunk_index == chunk]
    return dict(found.numbers)


def test_nothing_found_is_said_so() -> None:
    refusal = select(evidence(), profile()).refusal

    assert refusal is not None
    assert refusal.reason is Abstention.NO_CANDIDATES


def test_below_the_threshold_names_how_near_it_came() -> None:
    """S0-16."""
    found = evidence(passage(1, relevance=0.1), passage(2, relevance=0.2799, pages=(14,)))

    selection = select(found, profile())

    assert selection.refusal is not None
    assert selection.refusal.reason is Abstention.BELOW_THRESHOLD
    assert selection.refusal.detail == "best 0.27 < 0.30, page 14"
    assert numbers_of(selection, 1) == {"relevance": 0.1, "threshold": 0.3}


@pytest.mark.parametrize(("value", "shown"), [(0.29, "0.29"), (0.299999, "0.29"), (0.0, "0.00")])
def test_the_shortfall_is_never_rounded_away(value: float, shown: str) -> None:
    refusal = select(evidence(passage(1, relevance=value)), profile()).refusal

    assert refusal is not None
    assert refusal.detail == f"best {shown} < 0.30, page 1"


def test_exactly_the_threshold_passes() -> None:
    assert select(evidence(passage(1, relevance=0.3)), profile()).refusal is None


def test_beside_what_passes_come_others_of_some_relevance_after_it() -> None:
    found = evidence(
        passage(1, relevance=0.2),
        passage(2, relevance=0.09),
        passage(3, relevance=0.9),
        passage(4, relevance=0.3),
    )

    selection = select(found, profile(rerank_candidates=0))

    assert [chunk.int for chunk in selection.selected] == [3, 4, 1]
    assert numbers_of(selection, 2) == {"relevance": 0.09, "threshold": 0.1}


def test_beside_nothing_comes_nothing() -> None:
    found = evidence(passage(1, relevance=0.29), passage(2, relevance=0.2))

    assert select(found, profile()).selected == ()


@pytest.mark.parametrize(
    "strict",
    [
        with_overrides(profile(), Overrides(score_threshold=0.3)),
        changed(profile(), {"gate": 0.3}),
    ],
)
def test_a_threshold_that_is_set_is_the_least_of_all(strict: Profile) -> None:
    found = evidence(passage(1, relevance=0.9), passage(2, relevance=0.29))

    assert [chunk.int for chunk in select(found, strict).selected] == [1]


def test_the_gate_of_documentor_reads_cosine() -> None:
    """S4-07: below 0.3 is filtered."""
    found = evidence(passage(1, similarity=0.31, relevance=0.0), passage(2, similarity=0.29))

    selection = select(found, profile("documentor"))

    assert reasons(selection) == {1: Reason.SELECTED, 2: Reason.BELOW_THRESHOLD}


def test_an_unknown_relevance_passes_only_where_nothing_is_known() -> None:
    unknown = passage(1, relevance=None)

    assert reasons(select(evidence(unknown), profile())) == {1: Reason.SELECTED}
    assert reasons(select(evidence(unknown, passage(2)), profile())) == {
        1: Reason.BELOW_THRESHOLD,
        2: Reason.SELECTED,
    }


def test_the_same_words_count_once() -> None:
    twin = passage(2, content=passage(1).content)

    selection = select(evidence(passage(1), twin), profile())

    assert reasons(selection) == {1: Reason.SELECTED, 2: Reason.DUPLICATE}
    assert numbers_of(selection, 2) == {"of": str(UUID(int=1))}


def test_a_page_gives_at_most_its_share() -> None:
    """S0-17."""
    found = [passage(n, pages=(7,)) for n in (1, 2, 3, 4)]

    selection = select(evidence(*found), profile())

    assert reasons(selection)[4] is Reason.PAGE_LIMIT
    assert numbers_of(selection, 4)["limit"] == 3


def test_a_passage_across_two_pages_counts_for_both() -> None:
    """S0-17."""
    found = [passage(1, pages=(7, 8)), passage(2, pages=(8, 9)), passage(3, pages=(9,))]

    selection = select(evidence(*found), profile(per_page=1))

    assert reasons(selection) == {1: Reason.SELECTED, 2: Reason.PAGE_LIMIT, 3: Reason.SELECTED}


def test_a_section_gives_at_most_its_share() -> None:
    """S0-18."""
    found = [passage(n, section="fees") for n in range(1, 6)]

    assert reasons(select(evidence(*found), profile()))[5] is Reason.SECTION_LIMIT


def test_passages_without_a_section_share_none() -> None:
    found = [passage(n) for n in range(1, 7)]

    assert set(reasons(select(evidence(*found), profile())).values()) == {Reason.SELECTED}


def test_a_document_gives_at_most_its_share_unless_it_is_the_only_one() -> None:
    found = [passage(n) for n in range(1, 9)]

    capped = select(evidence(*found), profile())
    alone = select(evidence(*found, single_document=True), profile())

    assert Counter(reasons(capped).values())[Reason.DOCUMENT_LIMIT] == 2
    assert set(reasons(alone).values()) == {Reason.SELECTED}


def test_what_does_not_fit_is_stepped_over() -> None:
    """S0-20."""
    found = [passage(1, tokens=2500), passage(2, tokens=2500), passage(3, tokens=100)]

    selection = select(evidence(*found), profile())

    assert reasons(selection) == {1: Reason.SELECTED, 2: Reason.OVER_BUDGET, 3: Reason.SELECTED}
    assert numbers_of(selection, 2) == {"tokens": 2530, "left": 270}


def test_a_prompt_that_leaves_no_room_abstains_with_the_numbers() -> None:
    refusal = select(evidence(passage(1), reserved=2950), profile()).refusal

    assert refusal is not None
    assert refusal.detail == "the best passage needs 130 tokens, 50 are left"


def test_beyond_top_k_is_outranked() -> None:
    selection = select(evidence(passage(1), passage(2)), profile(top_k=1))

    assert reasons(selection) == {1: Reason.SELECTED, 2: Reason.OUTRANKED}
    assert numbers_of(selection, 2) == {"rank": 2, "top_k": 1}


def test_the_reranker_reads_the_best_of_each_text_and_overrules_the_legs() -> None:
    twin = passage(2, content=passage(1).content)
    policy = profile(rerank_candidates=2)
    found = evidence(passage(1), twin, passage(3), passage(4))

    assert to_rerank(found, policy) == [UUID(int=1), UUID(int=3)]

    read = evidence(
        passage(1, rerank=1.0, relevance=0.6),
        twin,
        passage(3, rerank=4.0, relevance=0.9),
        passage(4),
    )
    selection = select(read, policy)
    assert [item.passage.chunk_index for item in selection.decisions if item.rank] == [3, 1]
    assert reasons(selection)[4] is Reason.OUTRANKED
    assert numbers_of(selection, 4) == {"fused_rank": 3, "reranked": 2}


def test_a_page_that_is_shown_waits_for_the_others() -> None:
    """At most three of a page are selected; they do not fill the first places."""
    found = [passage(number, pages=(page,)) for number, page in enumerate([7, 7, 8, 7, 9], start=1)]

    plain = select(evidence(*found), profile(pages_first=False))
    other = select(evidence(*found), profile(pages_first=True))

    assert [chunk.int for chunk in plain.selected] == [1, 2, 3, 4, 5]
    assert [chunk.int for chunk in other.selected] == [1, 3, 5, 2, 4]


def test_the_same_number_in_another_document_is_another_page() -> None:
    found = [
        passage(number, pages=(7,), document_id=UUID(int=document))
        for number, document in enumerate([1, 1, 2], start=1)
    ]

    selection = select(evidence(*found), profile(pages_first=True))

    assert [chunk.int for chunk in selection.selected] == [1, 3, 2]


@drawn
@given(some_evidence(), some_profile())
def test_every_candidate_has_one_decision_and_its_numbers(found: Evidence, policy: Profile) -> None:
    """S0-21."""
    selection = select(found, policy)

    decided = [item.passage.chunk_id for item in selection.decisions]
    assert sorted(decided) == sorted(item.chunk_id for item in found.passages)
    assert all(item.numbers for item in selection.decisions)
    assert (selection.refusal is None) == bool(selection.selected)


@drawn
@given(some_evidence(), some_profile())
def test_the_budget_holds_passages_source_lines_and_prompt(
    found: Evidence, policy: Profile
) -> None:
    """S0-20."""
    chosen = [item for item in select(found, policy).decisions if item.rank is not None]

    spent = sum(item.passage.tokens + policy.overhead_tokens_per_block for item in chosen)
    if chosen and found.reserved_tokens is not None:
        assert spent + found.reserved_tokens <= policy.context_tokens
    assert len(chosen) <= policy.top_k


@drawn
@given(some_evidence(), some_profile())
def test_no_cap_is_exceeded(found: Evidence, policy: Profile) -> None:
    """S0-17, S0-18."""
    chosen = [item.passage for item in select(found, policy).decisions if item.rank is not None]

    pages = Counter((item.document_id, page) for item in chosen for page in item.pages)
    sections = Counter((item.document_id, item.section) for item in chosen if item.section)
    documents = Counter(item.document_id for item in chosen)
    assert not policy.per_page or max(pages.values(), default=0) <= policy.per_page
    assert not policy.per_section or max(sections.values(), default=0) <= policy.per_section
    if policy.per_document and not found.single_document:
        assert max(documents.values(), default=0) <= policy.per_document


@drawn
@given(some_evidence(), some_profile())
def test_nothing_known_to_be_irrelevant_is_selected(found: Evidence, policy: Profile) -> None:
    """S0-16."""
    decisions = select(found, policy).decisions
    values = [gate_value(item.passage, policy) for item in decisions if item.rank is not None]
    known = [value for value in values if value is not None]
    if known and policy.gate_scale != GateScale.NONE:
        assert min(known) >= min(policy.gate, policy.gate_low or policy.gate)
    for item in decisions:
        if item.reason is Reason.BELOW_THRESHOLD:
            assert gate_applies(found.passages, policy)


@drawn
@given(some_evidence(), some_profile(), st.randoms(use_true_random=False))
def test_selection_is_deterministic(found: Evidence, policy: Profile, random: Random) -> None:
    """S0-21: over repeats, and whatever order the rows came in."""
    shuffled = list(found.passages)
    random.shuffle(shuffled)
    again = Evidence(
        tuple(shuffled),
        reserved_tokens=found.reserved_tokens,
        single_document=found.single_document,
    )

    assert select(again, policy) == select(found, policy)


def test_texts_that_differ_in_figures_alone_are_five_at_most() -> None:
    """A contradiction keeps its sides, there is room for others; the rest have their reason."""
    alike = [passage(n, likeness="alike") for n in range(1, 9)]
    other = passage(9, likeness="other")

    selection = select(evidence(*alike, other), profile())

    assert [chunk.int for chunk in selection.selected] == [1, 2, 3, 4, 5, 9]
    assert [n for n, why in reasons(selection).items() if why is Reason.DUPLICATE] == [6, 7, 8]
    assert numbers_of(selection, 6) == {"of": str(UUID(int=1)), "but_for_figures": 5}
