"""A trace is enough to recompute what was selected, and says nothing of what was written."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given

from pulsedocs.errors import ArtifactInvalid
from pulsedocs.model.retrieval import Candidate, Leg, LegHit, Profile
from pulsedocs.retrieval.evidence import Evidence, passage_of, seal
from pulsedocs.retrieval.selection import select
from pulsedocs.retrieval.trace import Record, Trace, canonical, parse_trace, replay, trace_of
from tests.unit.retrieval.passages import (
    drawn,
    evidence,
    passage,
    profile,
    some_evidence,
    some_profile,
)

_NOW = datetime(2026, 1, 1, tzinfo=UTC)


def traced(found: Evidence, policy: Profile, **details: Any) -> Trace:
    record = Record("t1", _NOW, policy, found, select(found, policy), details)
    return parse_trace(canonical(trace_of(record)))


@drawn
@given(some_evidence(), some_profile())
def test_a_stored_trace_replays_byte_for_byte(found: Evidence, policy: Profile) -> None:
    """P-02: no database, no model."""
    trace = traced(found, policy, timings_ms={"search": 1.5})

    assert replay(trace) == []
    assert canonical(trace) == canonical(parse_trace(canonical(trace)))


def test_timings_and_degradations_are_no_part_of_what_is_compared() -> None:
    trace = traced(evidence(passage(1)), profile(), timings_ms={"search": 1.0}, degraded=[])

    assert replay({**trace, "timings_ms": {"search": 9.0}, "degraded": ["trace"]}) == []


def test_a_forged_decision_is_found() -> None:
    trace = traced(evidence(passage(1), passage(2)), profile(top_k=1))
    trace["candidates"][1]["reason"] = "SELECTED"

    assert replay(trace) == [
        {
            "chunk_id": str(UUID(int=2)),
            "field": "reason",
            "recorded": "SELECTED",
            "replayed": "OUTRANKED",
        }
    ]


def test_a_changed_policy_shows_what_it_would_have_done() -> None:
    """S0-22: what-if, from the trace alone."""
    trace = traced(evidence(passage(1), passage(2)), profile(top_k=1))
    trace["profile"]["top_k"] = 2

    assert {difference["field"] for difference in replay(trace)} >= {"reason", "selected"}


@pytest.mark.parametrize(
    ("chunk", "expected"),
    [(1, "SELECTED"), (2, "DUPLICATE"), (3, "BELOW_THRESHOLD"), (4, "OVER_BUDGET")],
)
def test_a_wrong_answer_can_be_classified_from_the_trace_alone(chunk: int, expected: str) -> None:
    """S0-22: found but dropped, with the numbers that dropped it."""
    found = evidence(
        passage(1),
        passage(2, content="content 1"),
        passage(3, relevance=0.05),
        passage(4, tokens=2990),
    )
    trace = traced(found, profile())

    [candidate] = [item for item in trace["candidates"] if item["chunk_index"] == chunk]
    assert candidate["reason"] == expected
    assert candidate["numbers"]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"candidates":[{}],"evidence":{},"profile":{}}', b'{"candidates":1}']
)
def test_a_damaged_trace_is_an_artifact_error(body: bytes) -> None:
    with pytest.raises(ArtifactInvalid):
        replay(parse_trace(body))


def test_no_words_reach_the_trace() -> None:
    candidate = Candidate(
        chunk_id=UUID(int=1),
        document_id=UUID(int=2),
        version=1,
        chunk_index=0,
        source="secret-plans.pdf",
        title="Secret plans",
        text="The launch is on Tuesday.",
        pages=(1,),
        section=("Secret section",),
        tokens=6,
        dated_at=datetime(2026, 1, 1),  # noqa: DTZ001 -- a moment without a zone is the case
        legs={Leg.VECTOR: LegHit(1, 0.123456789)},
        similarity=0.123456789,
        metadata={"owner": "Secret owner"},
    )
    stripped = passage_of(candidate, tenant_key=b"key")
    body = json.dumps(traced(evidence(stripped), profile()))

    for word in ("ecret", "launch", "0.1234567"):
        assert word not in body
    assert stripped.dated_at == _NOW
    assert stripped.similarity == 0.123457


def test_sealed_texts_agree_within_a_tenant_and_nowhere_else() -> None:
    assert seal(b"a", "question", "x") == seal(b"a", "question", "x")
    assert seal(b"a", "question", "x") != seal(b"b", "question", "x")
    assert seal(b"a", "question", "x") != seal(b"a", "content", "x")


def test_a_passage_without_a_section_has_no_section_to_share() -> None:
    assert replace(passage(1)).section == ""
