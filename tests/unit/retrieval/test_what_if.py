"""Another policy over the same candidates: exact where it is narrower, honest where it is wider."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from hypothesis import given

from pulsedocs.model.retrieval import Leg, LegHit, Profile
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.selection import select
from pulsedocs.retrieval.trace import Record, Trace, canonical, parse_trace, trace_of
from pulsedocs.retrieval.what_if import NOT_FETCHED, WhatIf, what_if
from tests.unit.retrieval.passages import (
    drawn,
    evidence,
    passage,
    profile,
    some_evidence,
    some_profile,
)


def traced(found: Evidence, policy: Profile, **details: Any) -> Trace:
    given: dict[str, Any] = {
        "answer": None,
        "degraded": [],
        "corpus": {"vector_path": "exact"},
        **details,
    }
    now = datetime(2026, 1, 1, tzinfo=UTC)
    record = Record("t1", now, policy, found, select(found, policy), given)
    return parse_trace(canonical(trace_of(record)))


def tried(trace: Trace, policy: Profile) -> WhatIf:
    return what_if(trace, policy, relevance_of=lambda cosine: cosine)


def gaps(result: WhatIf) -> set[str]:
    return {gap.code for gap in result.cannot_say}


@drawn
@given(some_evidence(), some_profile())
def test_the_same_policy_without_a_reranker_changes_nothing(
    found: Evidence, policy: Profile
) -> None:
    policy = replace(policy, rerank_candidates=0, vector_candidates=60, keyword_candidates=60)
    policy = replace(policy, hyde=True)
    plain = replace(
        found,
        passages=tuple(
            replace(item, rerank=None, relevance=item.similarity) for item in found.passages
        ),
        reserved_tokens=max(found.reserved_tokens or 0, policy.overhead_tokens),
    )

    result = tried(traced(plain, policy), policy)

    assert result.before == result.after
    assert (result.added, result.removed, result.changes) == ((), (), ())


def test_the_difference_names_what_came_and_what_went() -> None:
    found = evidence(passage(1, relevance=0.6), passage(2, relevance=0.2, similarity=0.2))
    trace = traced(found, profile(gate_low=0.0))

    result = tried(trace, profile(gate=0.1, rerank_candidates=0))

    assert [chunk.int for chunk in result.added] == [2]
    [change] = result.changes
    assert (change.before.reason, change.after.reason) == ("BELOW_THRESHOLD", "SELECTED")
    assert change.before.numbers == {"relevance": 0.2, "threshold": 0.3}
    assert result.removed == ()


def test_a_gate_that_nothing_passes_abstains_with_the_numbers() -> None:
    trace = traced(evidence(passage(1)), profile())

    result = tried(trace, profile(gate=0.95, rerank_candidates=0))

    assert result.refusal is not None
    assert result.refusal.detail == "best 0.89 < 0.95, page 1"
    assert [chunk.int for chunk in result.removed] == [1]


def test_a_shorter_leg_is_answered_exactly() -> None:
    found = [passage(n, legs={Leg.VECTOR: LegHit(n, 0.5)}) for n in (1, 2, 3)]

    result = tried(
        traced(evidence(*found), profile()), profile(vector_candidates=2, rerank_candidates=0)
    )

    assert [chunk.int for chunk in result.removed] == [3]
    assert [change.after.reason for change in result.changes] == [NOT_FETCHED]
    assert gaps(result) == set()


def test_a_longer_leg_is_a_gap_only_where_the_leg_was_full() -> None:
    found = [passage(n, legs={Leg.VECTOR: LegHit(n, 0.5)}) for n in (1, 2, 3)]
    full = traced(evidence(*found), profile("fast", vector_candidates=3, top_k=3))
    spare = traced(evidence(*found), profile("fast", vector_candidates=5, top_k=3))

    assert gaps(tried(full, profile("fast"))) == {"CANDIDATES_BEYOND"}
    assert gaps(tried(spare, profile("fast"))) == set()


def test_what_did_not_run_is_named() -> None:
    trace = traced(evidence(passage(1)), profile("fast"), degraded=["reranking"])

    wider = gaps(tried(trace, profile("full_hybrid")))

    assert wider == {"LEG_NOT_RUN", "OTHER_QUERY", "NOT_RERANKED", "DEGRADED"}
    indexed = traced(evidence(passage(1)), profile("fast"), corpus={"vector_path": "hnsw"})
    assert gaps(tried(indexed, profile("fast", exact=True))) == {"NOT_EXACT"}


def test_without_the_reranker_relevance_is_the_embedders_again() -> None:
    found = evidence(
        passage(1, similarity=0.8, rerank=-6.0, relevance=0.05),
        passage(2, similarity=0.6, rerank=5.0, relevance=0.9),
    )
    trace = traced(found, profile())

    result = tried(trace, profile(rerank_candidates=0))

    assert [chunk.int for chunk in result.before] == [2]
    assert [chunk.int for chunk in result.after] == [1, 2]


def test_a_shorter_shortlist_keeps_the_scores_that_it_would_have_read() -> None:
    found = evidence(
        passage(1, rerank=1.0, relevance=0.6),
        passage(2, rerank=2.0, relevance=0.7),
    )

    result = tried(traced(found, profile()), profile(rerank_candidates=1))

    assert result.after == (UUID(int=1),)
    assert {change.after.reason for change in result.changes} == {"SELECTED", "OUTRANKED"}
