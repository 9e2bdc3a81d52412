"""A question names documents by what their titles and files are called, and by nothing else."""

from dataclasses import replace
from uuid import UUID

import pytest

from pulsedocs.model.retrieval import Candidate, Leg, LegHit
from pulsedocs.questions.judging import under_names
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.naming import named_documents, names_in_full
from pulsedocs.retrieval.profiles import profile_named
from pulsedocs.retrieval.rules.newer_first import prefer_newer
from pulsedocs.retrieval.selection import select
from pulsedocs.retrieval.trace import Record, canonical, parse_trace, replay, trace_of
from tests.unit.retrieval.passages import EPOCH, evidence, passage, ranked

SALES = "Net sales of the year were 812 million. The year before it was 790."


def candidate(number: int, source: str, text: str = SALES, title: str | None = None) -> Candidate:
    return Candidate(
        chunk_id=UUID(int=number),
        document_id=UUID(int=number),
        version=1,
        chunk_index=0,
        source=source,
        title=title,
        text=text,
        pages=(1,),
        section=(),
        tokens=10,
        dated_at=None,
        legs={Leg.KEYWORD: LegHit(number, 1.0)},
        similarity=None,
    )


REPORTS = (
    candidate(1, "BESTBUY_2021_10K.pdf"),
    candidate(2, "BESTBUY_2022_10K.pdf"),
    candidate(3, "CASTELLAN_2022_10K.pdf", title="Castellan annual report"),
    candidate(4, "handbook.pdf", "The castle and its plan. The manual of 2022."),
)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What were the net sales of Best Buy in FY2022?", 2),
        ("what were the net sales of bestbuy in fiscal 2021?", 1),
        ("How much did Castellan sell in FY22?", 3),
        ("How much did castellan sell?", 3),
    ],
)
def test_the_document_with_most_of_what_is_named_counts_most(question: str, first: int) -> None:
    """Issue 12, part 7: misses lay in the right company's other year, or in its sibling."""
    named = named_documents(question, REPORTS)

    assert max(named, key=lambda document: named[document]) == UUID(int=first)
    assert named[UUID(int=first)] == pytest.approx(1.0)
    assert sorted(named.values())[-2] < 1


def test_a_fiscal_year_written_out_is_that_year_alone() -> None:
    """FY2021 was also taken for FY20: both reports were named as much."""
    reports = (candidate(1, "BESTBUY_2021_10K.pdf"), candidate(2, "BESTBUY_2020_10K.pdf"))

    named = named_documents("What were net sales in FY2021?", reports)

    assert (named[UUID(int=1)], named[UUID(int=2)]) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("question", "in_full"),
    [
        ("What is the dividend of Aldmoor Quarries?", {1: "Aldmoor Quarries"}),
        ("Does Aldmoor Ferries & Tugs pay dividends?", {2: "Aldmoor Ferries & Tugs"}),
        ("What is Aldmoor Bakeries' dividend?", {}),
        ("What is the dividend of aldmoor quarries?", {}),
        ("What do Castellan Mills pay Aldmoor Quarries?", {1: "Aldmoor Quarries"}),
    ],
)
def test_a_document_is_called_in_full_by_what_its_own_passages_say(
    question: str, in_full: dict[int, str]
) -> None:
    reports = (
        candidate(1, "ALDMOOR_2021.pdf", "Aldmoor Quarries, Inc. supplies Castellan Mills."),
        candidate(2, "ALDMOORFERRY_2021.pdf", "The fleet of Aldmoor Ferries & Tugs."),
        candidate(3, "ALDMOOR_2020.pdf", "We paid no dividend."),
    )

    found = names_in_full(question, reports)

    assert found == {UUID(int=number): name for number, name in in_full.items()}


def test_of_two_companies_with_one_word_in_common_the_one_named_in_full_counts_more() -> None:
    reports = (
        candidate(1, "ALDMOOR_2021.pdf", "Aldmoor Quarries, Inc. paid 4 cents."),
        candidate(2, "ALDMOORFERRY_2021.pdf", "Aldmoor Ferries paid 7 cents."),
        candidate(3, "harbour_rules.txt", "Visitors sign the book."),
    )

    named = named_documents("What did Aldmoor Ferries pay?", reports)

    assert named[UUID(int=2)] > named[UUID(int=1)] > named[UUID(int=3)] == 0.0


def test_a_reranker_reads_a_passage_below_the_name_that_the_question_has() -> None:
    """The passage says "we"; the order preferred whatever repeats the company's name."""
    report = candidate(1, "ALDMOOR_2021.pdf", "We paid 4 cents.", title="Annual report")

    read = replace(passage(1), chunk_id=report.chunk_id)
    crossing = replace(read, crosses_language=True)

    asked = under_names("What did Aldmoor pay?", [report], [read])
    of_other = under_names("What did Castellan pay?", [report], [read])
    in_german = under_names("Was zahlte Aldmoor?", [report], [crossing])

    assert asked == {UUID(int=1): "ALDMOOR 2021: Annual report\n\nWe paid 4 cents."}
    assert of_other == in_german == {UUID(int=1): "We paid 4 cents."}


@pytest.mark.parametrize(
    "question",
    [
        "What were the net sales?",
        "What does the handbook say of 10 castles?",
        "How many of the 30 were sold?",
    ],
)
def test_what_other_documents_speak_of_and_counts_name_none(question: str) -> None:
    reports = (*REPORTS, candidate(5, "sales.pdf"), candidate(6, "x.pdf", "See the handbook."))

    assert set(named_documents(question, reports).values()) == {0.0}


def test_a_model_that_others_speak_of_names_no_handbook_alone() -> None:
    """The memo that shortens an interval was not among what is selected any more."""
    handbook = candidate(1, "hx400_handbook.pdf", "The analyser is calibrated every 180 days.")
    memo = candidate(2, "memo.pdf", "The HX-400 is calibrated every 90 days.")
    other = candidate(3, "rules.txt", "Visitors sign the book.")

    named = named_documents("How often is the HX-400 calibrated?", (handbook, memo, other))
    alone = named_documents("How often is the HX-400 calibrated?", (handbook, other))

    assert set(named.values()) == {0.0}
    assert alone[UUID(int=1)] == 1.0


def test_one_document_and_no_passage_need_no_name() -> None:
    assert named_documents("Best Buy 2021?", REPORTS[:1]) == {UUID(int=1): 0.0}
    assert named_documents("Best Buy 2021?", ()) == {}


def _found() -> Evidence:
    """Return two passages alike but for a name and a place: the second's document is named."""
    both = [
        passage(number, rerank=3.0, relevance=0.9, similarity=0.8 - number / 1000)
        for number in (1, 2)
    ]
    return evidence(both[0], replace(both[1], document_id=UUID(int=2000), named=1.0))


def test_a_passage_of_the_named_document_comes_first() -> None:
    policy = profile_named("default")
    without = replace(policy, name_weight=0.0)

    assert select(_found(), policy).selected == (UUID(int=2), UUID(int=1))
    assert select(_found(), without).selected == (UUID(int=1), UUID(int=2))


def test_no_newer_version_takes_the_place_of_the_one_that_is_named() -> None:
    old, new = ranked(0.9), ranked(0.9, number=2, days=400, alike=(1,))
    old = replace(old, passage=replace(old.passage, alike=(UUID(int=2),), named=1.0))

    order = prefer_newer([old, new], tie_band=0.05)

    assert [item.passage.chunk_id for item in order] == [UUID(int=1), UUID(int=2)]
    assert new.passage.dated_at is not None
    assert new.passage.dated_at > EPOCH


def test_a_trace_from_before_names_were_recorded_replays_without_a_difference() -> None:
    policy = replace(profile_named("default"), name_weight=0.0)
    found = evidence(passage(1), passage(2))
    kept = Record("trace", EPOCH, policy, found, select(found, policy), {"answer": None})
    trace = parse_trace(canonical(trace_of(kept)))
    for one in trace["candidates"]:
        del one["named"]
    del trace["profile"]["name_weight"]

    assert replay(trace) == []
