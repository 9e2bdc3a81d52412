"""The same candidates under another policy, from the trace alone, and what that cannot tell.

A narrower policy is answered exactly: each candidate's rank in each leg is recorded. A wider one
would have fetched passages, or asked models, that the trace knows nothing of; every such gap is
named, and the rest of the answer holds for the candidates that are there.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from pulsedocs.model.retrieval import MOST_CANDIDATES, Leg, Profile
from pulsedocs.retrieval.evidence import Evidence, Passage, rounded
from pulsedocs.retrieval.rules.rule import Decision, Number, Refusal
from pulsedocs.retrieval.selection import select, to_rerank
from pulsedocs.retrieval.trace import (
    BEFORE_SEARCH,
    Trace,
    decisions_of,
    evidence_of,
    profile_of,
    reading,
    refused_for,
)

NOT_FETCHED: Final = "NOT_FETCHED"


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a candidate; `reason` is one of `Reason`, or NOT_FETCHED."""

    reason: str
    rank: int | None
    numbers: Mapping[str, Number]


@dataclass(frozen=True, slots=True)
class Change:
    chunk_id: UUID
    document_id: UUID
    pages: tuple[int, ...]
    before: Fate
    after: Fate


@dataclass(frozen=True, slots=True)
class Gap:
    """What another policy could bring that the trace does not hold."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class WhatIf:
    """`added` and `removed` are selected in one of the two only; both are in order of rank."""

    profile: Profile
    before: tuple[UUID, ...]
    after: tuple[UUID, ...]
    added: tuple[UUID, ...]
    removed: tuple[UUID, ...]
    changes: tuple[Change, ...]
    refusal: Refusal | None
    cannot_say: tuple[Gap, ...]


def what_if(trace: Trace, profile: Profile, *, relevance_of: Callable[[float], float]) -> WhatIf:
    """Select again under another profile. `relevance_of` maps the trace's cosines to 0-1.

    Raises ArtifactInvalid for a trace that cannot be read.
    """
    with reading():
        past = _Past(trace)
        evidence = past.evidence(profile, relevance_of)
        selection = select(evidence, profile)
        after = {item.passage.chunk_id: item for item in selection.decisions}
        before = tuple(item.passage.chunk_id for item in past.decisions if item.rank is not None)
        chosen = selection.selected
        return WhatIf(
            profile=profile,
            before=before,
            after=chosen,
            added=tuple(chunk for chunk in chosen if chunk not in before),
            removed=tuple(chunk for chunk in before if chunk not in chosen),
            changes=tuple(_changes(past.decisions, after)),
            refusal=selection.refusal,
            cannot_say=tuple(past.gaps(evidence, profile)),
        )


class _Past:
    """A trace, read as the evidence for another policy."""

    def __init__(self, trace: Trace) -> None:
        self.decisions = decisions_of(trace)
        self._recorded = evidence_of(trace)
        self._profile = profile_of(trace)
        self._refused = refused_for(trace)
        self._degraded: list[str] = trace["degraded"]
        self._path: str | None = trace["corpus"].get("vector_path")

    def evidence(self, profile: Profile, relevance_of: Callable[[float], float]) -> Evidence:
        """Return what a policy would have fetched and had read, as far as it is recorded."""
        most = self._lengths(profile)
        fetched = [
            replace(
                item, legs={leg: hit for leg, hit in item.legs.items() if hit.rank <= most[leg]}
            )
            for item in self._recorded.passages
        ]
        kept = tuple(_unread(item, relevance_of) for item in fetched if item.legs)
        reserved = self._recorded.reserved_tokens
        if reserved is not None:
            reserved = max(reserved, profile.overhead_tokens)
        evidence = replace(self._recorded, passages=kept, reserved_tokens=reserved)
        read = set(to_rerank(evidence, profile))
        scored = {item.chunk_id: item for item in fetched if item.rerank is not None}
        passages = tuple(
            scored[item.chunk_id] if item.chunk_id in scored and item.chunk_id in read else item
            for item in kept
        )
        return replace(evidence, passages=passages)

    def _lengths(self, profile: Profile) -> dict[Leg, int]:
        """Return how far each leg is read; words stand in where the embedder was down."""
        words = profile.keyword_candidates
        if "embedding" in self._degraded:
            words = words or profile.vector_candidates
        return {
            Leg.VECTOR: profile.vector_candidates,
            Leg.HYDE: profile.vector_candidates if profile.hyde else 0,
            Leg.KEYWORD: words,
            Leg.PAGE: MOST_CANDIDATES,  # whatever the policy
        }

    def gaps(self, evidence: Evidence, profile: Profile) -> Iterator[Gap]:
        if self._refused in BEFORE_SEARCH:
            yield Gap("NOT_SEARCHED", f"nothing was searched: {self._refused}")
            return
        yield from self._unfetched(profile)
        if profile.optimised_query != self._profile.optimised_query:
            yield Gap("OTHER_QUERY", "the legs were asked with another query")
        if profile.exact and self._path == "hnsw":
            yield Gap("NOT_EXACT", "the vectors were searched by an index, which may miss some")
        for part in self._degraded:
            yield Gap("DEGRADED", f"{part} was reported: that part was missing")
        read = set(to_rerank(evidence, profile))
        unread = sum(item.chunk_id in read and item.rerank is None for item in evidence.passages)
        if unread:
            detail = f"{unread} passages that it would read have no score of the reranker"
            yield Gap("NOT_RERANKED", detail)

    def _unfetched(self, profile: Profile) -> Iterator[Gap]:
        then = self._lengths(self._profile)
        ranks = [
            (leg, hit.rank) for item in self._recorded.passages for leg, hit in item.legs.items()
        ]
        for leg, wanted in self._lengths(profile).items():
            if wanted <= then[leg]:
                continue
            if not then[leg]:
                yield Gap("LEG_NOT_RUN", f"the {leg} leg did not run")
            elif max((rank for own, rank in ranks if own is leg), default=0) >= then[leg]:
                detail = f"the {leg} leg read {then[leg]}; what ranks {then[leg] + 1} to {wanted}"
                yield Gap("CANDIDATES_BEYOND", f"{detail} is not recorded")
        if len(self._recorded.passages) >= MOST_CANDIDATES:
            detail = f"{MOST_CANDIDATES} candidates are kept; worse ranks were cut"
            yield Gap("CANDIDATES_CUT", detail)


def _unread(passage: Passage, relevance_of: Callable[[float], float]) -> Passage:
    """Take the reranker's word away: relevance is the embedder's again."""
    if passage.by_similarity:
        return passage  # it is not the reranker's
    similarity = passage.similarity
    relevance = None if similarity is None else rounded(relevance_of(similarity))
    return replace(passage, rerank=None, relevance=relevance)


def _changes(decisions: tuple[Decision, ...], after: Mapping[UUID, Decision]) -> Iterator[Change]:
    for item in decisions:
        again = after.get(item.passage.chunk_id)
        fate = Fate(NOT_FETCHED, None, {}) if again is None else _fate(again)
        if (fate.reason, fate.rank) != (item.reason.value, item.rank):
            passage = item.passage
            yield Change(passage.chunk_id, passage.document_id, passage.pages, _fate(item), fate)


def _fate(decision: Decision) -> Fate:
    numbers: dict[str, Any] = dict(decision.numbers)
    return Fate(decision.reason.value, decision.rank, numbers)
