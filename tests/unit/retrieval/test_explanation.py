"""A page that is missing from an answer has one stage at which it was lost, and numbers for it."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given

from pulsedocs.errors import ArtifactInvalid
from pulsedocs.model.page_status import PageStatus
from pulsedocs.model.retrieval import Abstention, Leg, LegHit, LostAt, Profile
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.explanation import Explanation, explain, lost_before
from pulsedocs.retrieval.rules.rule import Refusal
from pulsedocs.retrieval.selection import Selection, select
from pulsedocs.retrieval.trace import Record, Trace, canonical, parse_trace, trace_of
from tests.unit.retrieval.passages import (
    drawn,
    evidence,
    passage,
    profile,
    some_evidence,
    some_profile,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LEASE = UUID(int=1000)
STATUS = PageStatus(
    collection="default",
    state="EMBEDDED",
    outcome="PUBLISHED",
    code=None,
    published_at=NOW - timedelta(days=1),
    pages_total=20,
    page_outcome="TEXT",
    page_failure=None,
    chunks=2,
    embedded=2,
)


def traced(found: Evidence, policy: Profile | None = None, **details: Any) -> Trace:
    policy = policy or profile()
    given: dict[str, Any] = {
        "answer": None,
        "degraded": [],
        "models": {"embedding": "m@3"},
        **details,
    }
    record = Record("t1", NOW, policy, found, select(found, policy), given)
    return parse_trace(canonical(trace_of(record)))


def told(trace: Trace, page: int, *, document: UUID = LEASE) -> Explanation:
    explained = explain(trace, document, page)
    assert explained is not None
    return explained


def test_a_page_below_the_gate_has_its_rank_the_gate_and_its_best() -> None:
    """S0-22: "ranked 41 of 100, gate 0.30, best 0.27"."""
    found = [
        passage(n, relevance=0.9 if n < 3 else 0.27, pages=(n,), legs={Leg.VECTOR: LegHit(n, 0.5)})
        for n in range(1, 101)
    ]

    explained = told(traced(evidence(*found), profile(gate_low=0.0)), 41)

    assert explained.stage is LostAt.GATED
    assert explained.detail == "ranked 41 of 100, gate 0.30, best 0.27"
    assert explained.numbers["relevance"] == 0.27
    assert explained.numbers["legs"] == {"vector": 41}
    assert explained.from_trace


def test_below_what_comes_beside_a_relevant_page_the_lower_gate_is_told() -> None:
    found = evidence(passage(1, relevance=0.9), passage(2, relevance=0.07, pages=(2,)))

    assert told(traced(found), 2).detail == "ranked 2 of 2, gate 0.10, best 0.07"


def test_a_capped_page_names_the_passages_that_took_its_place() -> None:
    found = [passage(n, pages=(7,)) for n in (1, 2, 3)] + [passage(4, pages=(7, 8))]

    explained = told(traced(evidence(*found)), 8)

    assert explained.stage is LostAt.CAPPED
    assert explained.detail == "ranked 4 of 4, its page may give 3, and better ones of it did"
    assert [rival.chunk_id.int for rival in explained.by] == [1, 2, 3]
    assert explained.numbers["limit"] == 3


@pytest.mark.parametrize(
    ("cap", "kind"), [({"per_section": 1}, "section"), ({"per_document": 1}, "document")]
)
def test_a_cap_is_named_by_its_kind(cap: dict[str, Any], kind: str) -> None:
    found = [passage(1, section="fees"), passage(2, section="fees"), passage(3, section="terms")]

    explained = told(traced(evidence(*found), profile(**cap)), 2)

    assert explained.detail == f"ranked 2 of 3, its {kind} may give 1, and better ones of it did"
    assert [rival.chunk_id.int for rival in explained.by] == [1]


def test_a_page_over_budget_says_by_how_much() -> None:
    found = evidence(passage(1, tokens=2500), passage(2, tokens=2500))

    explained = told(traced(found), 2)

    assert explained.stage is LostAt.OVER_BUDGET
    assert explained.detail == "ranked 2 of 2, needs 2530 tokens, 270 were left"


def test_an_out_ranked_page_names_those_in_front() -> None:
    explained = told(traced(evidence(passage(1), passage(2)), profile(top_k=1)), 2)

    assert explained.stage is LostAt.OUT_RANKED
    assert explained.detail == "ranked 2 of 2, place 2 in the end, 1 are taken"
    assert [rival.chunk_id.int for rival in explained.by] == [1]
    assert explained.by[0].final_score > explained.numbers["final_score"]


def test_a_page_that_the_reranker_was_not_given_says_how_many_it_read() -> None:
    found = evidence(passage(1, rerank=1.0, relevance=0.9), passage(2))

    explained = told(traced(found, profile(rerank_candidates=1)), 2)

    assert explained.stage is LostAt.OUT_RANKED
    assert explained.detail == "ranked 2 of 2, the reranker read the first 1"
    assert [rival.chunk_id.int for rival in explained.by] == [1]


def test_a_duplicate_says_what_became_of_its_original() -> None:
    twin = passage(2, content=passage(1).content)

    explained = told(traced(evidence(passage(1), twin)), 2)

    assert explained.stage is LostAt.DUPLICATE
    assert explained.detail == "ranked 2 of 2, the same words as a chunk that ended SELECTED"


def answered(**answer: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "model": "m",
        "abstained": None,
        "detail": None,
        "citations": [],
        "checks": {},
    }
    return {"answer": {**plain, **answer}}


def test_a_page_given_to_the_answer_and_not_cited_was_lost_in_generation() -> None:
    other = {"n": 1, "document_id": str(LEASE), "page": 9, "status": "found"}
    checks = {"claims": {"found": 1, "not_found": 2}}
    trace = traced(evidence(passage(1)), **answered(citations=[other], checks=checks))

    explained = told(trace, 1)

    assert explained.stage is LostAt.GENERATION
    assert explained.detail == (
        "given to the answer as passage 1; none of 1 verified citations is of this page"
    )
    assert explained.numbers["claims"] == {"found": 1, "not_found": 2}


def test_an_answer_that_abstained_lost_what_it_was_given() -> None:
    why = {"abstained": "NO_ANSWER_IN_CONTEXT", "detail": "best sentence 0.10 < 0.30"}
    explained = told(traced(evidence(passage(1)), **answered(**why)), 1)

    assert explained.stage is LostAt.GENERATION
    assert explained.detail.endswith("NO_ANSWER_IN_CONTEXT: best sentence 0.10 < 0.30")


def test_a_cited_page_was_not_lost_and_a_search_ends_with_its_selection() -> None:
    cited = {"n": 2, "document_id": str(LEASE), "page": 1, "status": "found"}

    assert told(traced(evidence(passage(1)), **answered(citations=[cited])), 1).detail == (
        "cited as [2]"
    )
    assert told(traced(evidence(passage(1))), 1).stage is LostAt.SELECTED


def test_of_several_passages_the_one_that_came_farthest_is_explained() -> None:
    found = evidence(
        passage(1),
        passage(2, pages=(5,), content=passage(1).content),
        passage(3, pages=(5,), relevance=0.05),
        passage(4, pages=(5,), tokens=2990),
    )

    explained = told(traced(found), 5)

    assert (explained.stage, explained.candidates) == (LostAt.OVER_BUDGET, 3)


@pytest.mark.parametrize(
    ("reason", "stage"),
    [
        (Abstention.EMPTY_QUERY, LostAt.NOT_SEARCHED),
        (Abstention.NOT_INDEXED_FOR_MODEL, LostAt.NOT_INDEXED_FOR_MODEL),
    ],
)
def test_what_was_refused_before_the_search_is_known_without_a_look(
    reason: Abstention, stage: LostAt
) -> None:
    nothing = Selection((), Refusal(reason, "why"), 0)
    record = Record("t", NOW, profile(), evidence(), nothing, {"answer": None, "degraded": []})

    explained = told(parse_trace(canonical(trace_of(record))), 1)

    assert (explained.stage, explained.detail) == (stage, "why")


def test_of_a_page_that_was_no_candidate_the_trace_alone_says_nothing() -> None:
    assert explain(traced(evidence(passage(1))), LEASE, 14) is None
    assert explain(traced(evidence(passage(1))), UUID(int=5), 1) is None


@drawn
@given(some_evidence(), some_profile())
def test_every_candidate_has_a_stage_and_only_the_selected_are_not_lost(
    found: Evidence, policy: Profile
) -> None:
    """S0-22: classified from the trace alone, whatever was found."""
    trace = traced(found, policy)
    chosen = {
        (item["document_id"], page)
        for item in trace["candidates"]
        if item["selected"]
        for page in item["pages"]
    }

    for item in found.passages:
        for page in item.pages:
            explained = told(trace, page, document=item.document_id)
            is_chosen = (str(item.document_id), page) in chosen
            assert (explained.stage is LostAt.SELECTED) == is_chosen
            assert explained.detail
            assert explained.numbers
            json.dumps(dict(explained.numbers))


@pytest.mark.parametrize(
    ("status", "stage", "detail"),
    [
        (None, LostAt.NEVER_INDEXED, "there is no such document"),
        (
            replace(STATUS, published_at=None, outcome="REJECTED", code="PDF_ENCRYPTED"),
            LostAt.NEVER_INDEXED,
            "its newest version is REJECTED PDF_ENCRYPTED",
        ),
        (
            replace(STATUS, published_at=NOW + timedelta(days=1)),
            LostAt.NEVER_INDEXED,
            "published after the question",
        ),
        (replace(STATUS, pages_total=12), LostAt.NEVER_INDEXED, "ends at page 12"),
        (
            replace(STATUS, page_outcome="FAILED", page_failure="TIMED_OUT"),
            LostAt.NEVER_INDEXED,
            "FAILED TIMED_OUT",
        ),
        (replace(STATUS, page_outcome="OCR"), LostAt.NOT_RECALLED, "no leg brought it"),
        (replace(STATUS, chunks=0), LostAt.NEVER_INDEXED, "no chunk of it"),
        (replace(STATUS, in_scope=False), LostAt.OUT_OF_SCOPE, "'default'"),
        (replace(STATUS, embedded=0), LostAt.NOT_INDEXED_FOR_MODEL, "none of its 2 chunks"),
        (STATUS, LostAt.NOT_RECALLED, "(read: vector 50, keyword 50)"),
        (
            replace(STATUS, ranks={Leg.VECTOR: LegHit(88, 0.4), Leg.KEYWORD: LegHit(63, 1.0)}),
            LostAt.NOT_RECALLED,
            "keyword rank 63 (50 read), vector rank 88 (50 read)",
        ),
    ],
)
def test_where_the_trace_is_silent_the_database_names_the_stage(
    status: PageStatus | None, stage: LostAt, detail: str
) -> None:
    """S0-22: never indexed, not indexed for the model, not recalled."""
    explained = lost_before(traced(evidence(passage(1))), 14, status)

    assert explained.stage is stage
    assert detail in explained.detail
    assert not explained.from_trace


def test_a_leg_that_was_lost_is_named_where_nothing_was_recalled() -> None:
    trace = traced(evidence(passage(1)), degraded=["embedding", "trace"])

    assert lost_before(trace, 14, STATUS).detail.endswith("; lost: embedding")


def test_a_copy_that_was_folded_is_a_duplicate() -> None:
    """Failed when it said that no leg read as far as rank 3 of the 50 that were read."""
    trace = traced(evidence(passage(1)), corpus={"folded": 65})
    ranked = replace(STATUS, ranks={Leg.VECTOR: LegHit(3, 0.4)})

    explained = lost_before(trace, 14, ranked)

    assert (explained.stage, explained.numbers["folded"]) == (LostAt.DUPLICATE, 65)
    assert lost_before(trace, 14, STATUS).detail.endswith(
        "left out: 65 near-duplicates of what was found"
    )


@pytest.mark.parametrize("body", [b'{"candidates":[{}]}', b'{"candidates":1,"answer":null}'])
def test_a_damaged_trace_is_an_artifact_error(body: bytes) -> None:
    with pytest.raises(ArtifactInvalid):
        explain(parse_trace(body), LEASE, 1)
