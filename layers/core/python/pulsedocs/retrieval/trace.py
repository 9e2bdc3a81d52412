"""How a question was answered, without the words of question or document, and its replay.

A trace holds everything that the selection was computed from, so `replay` needs neither database
nor model. Texts are present only as keyed hashes: deleting a document does not have to chase them.
"""

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any, Final, TypeAlias, cast
from uuid import UUID

from pulsedocs.errors import ArtifactInvalid
from pulsedocs.model.proofs import Mark
from pulsedocs.model.retrieval import (
    Abstention,
    Leg,
    LegHit,
    Profile,
    Reason,
)
from pulsedocs.retrieval.evidence import Evidence, Passage, rounded
from pulsedocs.retrieval.profiles import profile_with
from pulsedocs.retrieval.rules.rule import Decision
from pulsedocs.retrieval.selection import Selection, select

TRACE_FORMAT: Final = 1
BEFORE_SEARCH: Final = frozenset(
    {
        Abstention.EMPTY_QUERY,
        Abstention.NOT_INDEXED_FOR_MODEL,
        Abstention.NO_SUCH_PAGE,
        Abstention.WHICH_DOCUMENT,
        Abstention.NO_DOCUMENTS,
    }
)

Trace: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """What one question leaves behind; `details` are the parts that selection does not read."""

    trace_id: str
    created_at: datetime
    profile: Profile
    evidence: Evidence
    selection: Selection
    details: Mapping[str, Any]


def trace_of(record: Record) -> Trace:
    """Return the trace as `GET /traces/{id}` shows it."""
    return {
        **record.details,
        "format": TRACE_FORMAT,
        "trace_id": record.trace_id,
        "created_at": record.created_at.isoformat(),
        **_selected(record.profile, record.evidence, record.selection),
    }


def canonical(trace: Trace) -> bytes:
    """Return the one spelling of a trace: sorted keys, no spaces, floats rounded alike."""
    return json.dumps(
        _plain(trace), sort_keys=True, separators=(",", ":"), allow_nan=False, default=str
    ).encode()


def parse_trace(body: bytes) -> Trace:
    """Read a stored trace; raise ArtifactInvalid where it is not one."""
    try:
        trace = json.loads(body)
    except ValueError as error:
        raise ArtifactInvalid("the stored trace is not JSON") from error
    if not isinstance(trace, dict) or "candidates" not in trace:
        raise ArtifactInvalid("the stored trace lacks its candidates")
    return cast("Trace", trace)


def replay(trace: Trace) -> list[dict[str, Any]]:
    """Recompute the selection from a trace alone; return where it differs from the record.

    A question refused before anything was searched had nothing to select, and nothing to compare.
    Raises ArtifactInvalid where the trace cannot be read as one of this format.
    """
    with reading():
        if not trace["candidates"] and refused_for(trace) in BEFORE_SEARCH:
            return []
        computed = _computed(trace)
        recorded = [dict(candidate) for candidate in trace["candidates"]]
    replayed = json.loads(canonical(computed))["candidates"]
    # By chunk, then the order as a whole: one moved chunk is one difference, not many.
    again = {candidate["chunk_id"]: candidate for candidate in replayed}
    return [
        *(
            difference
            for candidate in recorded
            for name, value in again[candidate["chunk_id"]].items()
            if name in candidate  # what was not recorded yet has its default
            for difference in _compare(candidate["chunk_id"], name, candidate.get(name), value)
        ),
        *_compare(
            None, "order", *([one["chunk_id"] for one in side] for side in (recorded, replayed))
        ),
        *_compare(None, "abstained", trace.get("abstained"), computed["abstained"]),
    ]


def foreign_names(trace: Trace) -> set[str]:
    """Return what another version recorded for its rules, and ours select without.

    Raises ArtifactInvalid as `replay` does.
    """
    with reading():
        return {name for _, name in _names_in(trace) - _names_in(_computed(trace))}


def _names_in(trace: Trace) -> set[tuple[str, str]]:
    """Return what the parts that selection reads say something of, each with its part."""
    return {
        *((part, name) for part in ("profile", "evidence") for name in trace[part]),
        *(("candidates", name) for candidate in trace["candidates"] for name in candidate),
    }


@contextmanager
def reading() -> Generator[None]:
    """Raise ArtifactInvalid for whatever a trace of another shape makes fail."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ArtifactInvalid("the stored trace cannot be read") from error


def refused_for(trace: Trace) -> str | None:
    abstained = trace["abstained"]
    return None if abstained is None else str(abstained["reason"])


def collections_of(trace: Trace) -> tuple[str, ...]:
    return tuple(trace.get("collections", ("default",)))  # traces of earlier versions lack them


def marks_of(trace: Trace) -> tuple[Mark, ...]:
    """Return where the answer's citations stand, in their order.

    Raises ArtifactInvalid for one that stands in no selected passage.
    """
    with reading():
        versions = {
            (candidate["document_id"], page): candidate["version"]
            for candidate in trace["candidates"]
            if candidate["selected"]
            for page in candidate["pages"]
        }
        return tuple(
            Mark(
                document_id=UUID(citation["document_id"]),
                version=versions[citation["document_id"], citation["page"]],
                page=citation["page"],
                start=citation["start"],
                end=citation["end"],
            )
            for citation in trace["answer"]["citations"]
        )


def decisions_of(trace: Trace) -> tuple[Decision, ...]:
    """Return what was decided then, as recorded: the rules may be others by now."""
    return tuple(
        Decision(
            passage=_passage(candidate),
            reason=Reason(candidate["reason"]),
            fused=candidate["fused"],
            freshness_penalty=candidate["freshness_penalty"],
            final_score=candidate["final_score"],
            rank=candidate["rank"],
            numbers=candidate["numbers"],
        )
        for candidate in trace["candidates"]
    )


def _computed(trace: Trace) -> Trace:
    profile, evidence = profile_of(trace), evidence_of(trace)
    return _selected(profile, evidence, select(evidence, profile))


def _selected(profile: Profile, evidence: Evidence, selection: Selection) -> Trace:
    """Return the parts of a trace that selection reads and writes."""
    return {
        "profile": asdict(profile),
        "evidence": {
            "reserved_tokens": evidence.reserved_tokens,
            "single_document": evidence.single_document,
            "asked_pages": list(evidence.asked_pages),
            "today": evidence.today and evidence.today.isoformat(),
        },
        "candidates": [_candidate(decision) for decision in selection.decisions],
        "abstained": _abstained(selection),
    }


def _candidate(decision: Decision) -> Trace:
    passage = decision.passage
    return {
        "chunk_id": str(passage.chunk_id),
        "document_id": str(passage.document_id),
        "version": passage.version,
        "chunk_index": passage.chunk_index,
        "content_hmac": passage.content,
        "section_hmac": passage.section,
        "likeness_hmac": passage.likeness,
        "pages": list(passage.pages),
        "tokens": passage.tokens,
        "dated_at": passage.dated_at and passage.dated_at.isoformat(),
        "alike": [str(chunk_id) for chunk_id in passage.alike],
        "crosses_language": passage.crosses_language,
        "by_similarity": passage.by_similarity,
        "named": passage.named,
        "lacks_kind": passage.lacks_kind,
        "legs": {
            leg.value: {"rank": hit.rank, "score": hit.score}
            for leg, hit in sorted(passage.legs.items())
        },
        "similarity": passage.similarity,
        "rerank": passage.rerank,
        "relevance": passage.relevance,
        "fused": decision.fused,
        "freshness_penalty": decision.freshness_penalty,
        "final_score": decision.final_score,
        "selected": decision.rank is not None,
        "rank": decision.rank,
        "reason": decision.reason.value,
        "numbers": dict(decision.numbers),
    }


def _abstained(selection: Selection) -> dict[str, str] | None:
    refusal = selection.refusal
    return None if refusal is None else {"reason": refusal.reason.value, "detail": refusal.detail}


def evidence_of(trace: Trace) -> Evidence:
    today: str | None = trace["evidence"].get("today")
    return Evidence(
        passages=tuple(_passage(candidate) for candidate in trace["candidates"]),
        reserved_tokens=trace["evidence"]["reserved_tokens"],
        single_document=trace["evidence"]["single_document"],
        asked_pages=tuple(trace["evidence"].get("asked_pages", ())),
        today=None if today is None else date.fromisoformat(today),
    )


def _passage(recorded: Mapping[str, Any]) -> Passage:
    dated_at: str | None = recorded["dated_at"]
    return Passage(
        chunk_id=UUID(recorded["chunk_id"]),
        document_id=UUID(recorded["document_id"]),
        version=recorded["version"],
        chunk_index=recorded["chunk_index"],
        content=recorded["content_hmac"],
        section=recorded["section_hmac"],
        pages=tuple(recorded["pages"]),
        tokens=recorded["tokens"],
        dated_at=None if dated_at is None else datetime.fromisoformat(dated_at),
        legs={Leg(leg): LegHit(hit["rank"], hit["score"]) for leg, hit in recorded["legs"].items()},
        similarity=recorded["similarity"],
        rerank=recorded["rerank"],
        relevance=recorded["relevance"],
        likeness=recorded["likeness_hmac"],
        # Older traces have none of these.
        alike=tuple(map(UUID, recorded.get("alike", ()))),
        crosses_language=recorded.get("crosses_language", False),
        by_similarity=recorded.get("by_similarity", False),
        named=recorded.get("named", 0.0),
        lacks_kind=recorded.get("lacks_kind", False),
    )


def profile_of(trace: Trace) -> Profile:
    return profile_with(trace["profile"])


def _compare(
    chunk_id: str | None, name: str, recorded: object, replayed: object
) -> Iterator[dict[str, Any]]:
    if recorded != replayed:
        yield {"chunk_id": chunk_id, "field": name, "recorded": recorded, "replayed": replayed}


def _plain(value: Any) -> Any:  # noqa: ANN401 -- any JSON value
    """Round every float and turn every mapping and sequence into JSON's own."""
    if isinstance(value, float):
        return rounded(value)
    if isinstance(value, Mapping):
        members = cast("Mapping[object, Any]", value)
        return {str(key): _plain(item) for key, item in members.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("list[Any]", value)]
    return value
