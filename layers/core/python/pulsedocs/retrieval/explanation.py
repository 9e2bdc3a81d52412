"""Why a page is not in an answer: the stage at which it was lost, with the numbers.

A trace says by itself what became of every candidate. Of a page that was none it knows only what
was searched; where that page stands is then looked up once, and told here in the same words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from pulsedocs.model.retrieval import Abstention, GateScale, Leg, Profile, Reason
from pulsedocs.model.standings import PageStanding
from pulsedocs.retrieval.rules import gate_value
from pulsedocs.retrieval.selection import Decision, shown
from pulsedocs.retrieval.trace import Trace, decisions_of, profile_of, reading, refused_for


class LostAt(StrEnum):
    """Where a page was lost, in the order of the pipeline; the last two say that it was not."""

    NEVER_INDEXED = "never_indexed"
    NOT_INDEXED_FOR_MODEL = "not_indexed_for_model"
    OUT_OF_SCOPE = "out_of_scope"
    NOT_SEARCHED = "not_searched"
    NOT_RECALLED = "not_recalled"
    DUPLICATE = "duplicate"
    GATED = "gated"
    CAPPED = "capped"
    OUT_RANKED = "out_ranked"
    OVER_BUDGET = "over_budget"
    GENERATION = "generation"
    SELECTED = "selected"
    CITED = "cited"


@dataclass(frozen=True, slots=True)
class Rival:
    """A passage that stood in the way."""

    chunk_id: UUID
    document_id: UUID
    pages: tuple[int, ...]
    final_score: float
    reason: Reason


@dataclass(frozen=True, slots=True)
class Explanation:
    """`candidates` counts the page's own; the one that came farthest is explained.

    `from_trace` is false where the database was asked: that part is as of now, not of then.
    """

    stage: LostAt
    detail: str
    numbers: Mapping[str, Any] = field(default_factory=dict[str, Any])
    chunk_id: UUID | None = None
    candidates: int = 0
    by: tuple[Rival, ...] = ()
    from_trace: bool = True


_STAGE_OF: Final = {
    Reason.DUPLICATE: LostAt.DUPLICATE,
    Reason.BELOW_THRESHOLD: LostAt.GATED,
    Reason.PAGE_LIMIT: LostAt.CAPPED,
    Reason.SECTION_LIMIT: LostAt.CAPPED,
    Reason.DOCUMENT_LIMIT: LostAt.CAPPED,
    Reason.OUTRANKED: LostAt.OUT_RANKED,
    Reason.OVER_BUDGET: LostAt.OVER_BUDGET,
}
_CAPPED: Final = {
    Reason.PAGE_LIMIT: "page",
    Reason.SECTION_LIMIT: "section",
    Reason.DOCUMENT_LIMIT: "document",
}


_TEXTS, _SHORTLIST, _GATE, _CAPS, _BUDGET, _END = range(6)  # in the order of `select`


def explain(trace: Trace, document_id: UUID, page: int) -> Explanation | None:
    """Return the stage at which a page was lost; None where the trace alone cannot say.

    Raises ArtifactInvalid for a trace that cannot be read.
    """
    with reading():
        case = _Case(trace, document_id, page)
        return case.explained() if case.own else _unsearched(trace)


def _unsearched(trace: Trace) -> Explanation | None:
    refused = refused_for(trace)
    if refused == Abstention.EMPTY_QUERY:
        return Explanation(LostAt.NOT_SEARCHED, trace["abstained"]["detail"])
    if refused == Abstention.NOT_INDEXED_FOR_MODEL:
        return Explanation(LostAt.NOT_INDEXED_FOR_MODEL, trace["abstained"]["detail"])
    return None


class _Case:
    """One page before one trace."""

    def __init__(self, trace: Trace, document_id: UUID, page: int) -> None:
        self._answer: Mapping[str, Any] | None = trace["answer"]
        self._profile = profile_of(trace)
        self._all = decisions_of(trace)
        self._page = (document_id, page)
        self.own = [
            item
            for item in self._all
            if item.passage.document_id == document_id and page in item.passage.pages
        ]

    def explained(self) -> Explanation:
        best = max(self.own, key=_progress)  # the first of equals: the order's own
        if best.rank is not None:
            return self._of_selected(best)
        stage = _STAGE_OF[best.reason]
        detail, by = self._tell(best, stage)
        return self._told(stage, best, f"{self._ranked(best)}, {detail}", by=by)

    def _of_selected(self, best: Decision) -> Explanation:
        if self._answer is None:
            detail = f"returned as passage {best.rank}; no answer was asked for"
            return self._told(LostAt.SELECTED, best, detail)
        cited = [each for each in self._answer["citations"] if _place_of(each) == self._page]
        if cited:
            return self._told(LostAt.CITED, best, f"cited as [{cited[0]['n']}]")
        extra = {"citations": len(self._answer["citations"]), **self._answer.get("checks", {})}
        return self._told(LostAt.GENERATION, best, self._uncited(best), extra=extra)

    def _uncited(self, best: Decision) -> str:
        given = f"given to the answer as passage {best.rank}"
        answer = self._answer or {}
        if answer.get("abstained"):
            return f"{given}; the answer abstained, {answer['abstained']}: {answer['detail']}"
        return f"{given}; none of {len(answer['citations'])} verified citations is of this page"

    def _tell(self, best: Decision, stage: LostAt) -> tuple[str, Sequence[Decision]]:
        if stage is LostAt.GATED:
            return self._gated(best), ()
        if stage is LostAt.CAPPED:
            return self._capped(best)
        if stage is LostAt.DUPLICATE:
            return self._duplicate(best)
        if stage is LostAt.OVER_BUDGET:
            needs, left = best.numbers["tokens"], best.numbers["left"]
            return f"needs {needs} tokens, {left} were left", self._selected()
        return self._out_ranked(best)

    def _gated(self, best: Decision) -> str:
        gate = self._profile.gate
        value = gate_value(best.passage, self._profile)
        known = "unknown" if value is None else shown(value, gate)
        return f"gate {shown(gate, gate)}, best {known}"

    def _capped(self, best: Decision) -> tuple[str, Sequence[Decision]]:
        kind, limit = _CAPPED[best.reason], best.numbers["limit"]
        takers = [item for item in self._all if _passed_caps(item) and _share(item, best)]
        return f"its {kind} may give {limit}, and better ones of it did", takers

    def _duplicate(self, best: Decision) -> tuple[str, Sequence[Decision]]:
        same = [item for item in self._all if str(item.passage.chunk_id) == best.numbers["of"]]
        ends = " and ".join(item.reason for item in same)
        return f"the same words as a chunk that ended {ends}", same

    def _out_ranked(self, best: Decision) -> tuple[str, Sequence[Decision]]:
        if "top_k" in best.numbers:
            rank, top_k = best.numbers["rank"], best.numbers["top_k"]
            return f"place {rank} in the end, {top_k} are taken", self._selected()
        read = [item for item in self._all if item.passage.rerank is not None]
        last = [max(read, key=self._place)] if read else []
        return f"the reranker read the first {best.numbers['reranked']}", last

    def _selected(self) -> list[Decision]:
        return [item for item in self._all if item.rank is not None]

    def _ranked(self, best: Decision) -> str:
        return f"ranked {self._place(best)} of {len(self._all)}"

    def _place(self, decision: Decision) -> int:
        """Return the place in the order of the legs, before any rule."""
        return 1 + sum(_by_legs(other) < _by_legs(decision) for other in self._all)

    def _told(
        self,
        stage: LostAt,
        best: Decision,
        detail: str,
        *,
        by: Sequence[Decision] = (),
        extra: Mapping[str, Any] | None = None,
    ) -> Explanation:
        return Explanation(
            stage,
            detail,
            {**self._numbers(best), **best.numbers, **(extra or {})},
            chunk_id=best.passage.chunk_id,
            candidates=len(self.own),
            by=tuple(_rival(item) for item in by),
        )

    def _numbers(self, best: Decision) -> dict[str, Any]:
        passage = best.passage
        return {
            "place": self._place(best),
            "of": len(self._all),
            "legs": {leg.value: hit.rank for leg, hit in sorted(passage.legs.items())},
            "similarity": passage.similarity,
            "rerank": passage.rerank,
            "relevance": passage.relevance,
            "gate": None if self._profile.gate_scale is GateScale.NONE else self._profile.gate,
            "final_score": best.final_score,
        }


def _progress(decision: Decision) -> int:
    """Return how far a candidate came: the number of rules that it passed."""
    if decision.reason is Reason.OUTRANKED:
        return _BUDGET if "top_k" in decision.numbers else _SHORTLIST
    return {
        Reason.DUPLICATE: _TEXTS,
        Reason.BELOW_THRESHOLD: _GATE,
        Reason.OVER_BUDGET: _BUDGET,
        Reason.SELECTED: _END,
    }.get(decision.reason, _CAPS)


def _passed_caps(decision: Decision) -> bool:
    return _progress(decision) > _CAPS


def _share(other: Decision, capped: Decision) -> bool:
    """Return whether two passages count towards the cap that ended one of them."""
    left, right = other.passage, capped.passage
    if left.document_id != right.document_id:
        return False
    if capped.reason is Reason.PAGE_LIMIT:
        full = int(str(capped.numbers["of"]).rpartition(" ")[2])
        return full in left.pages
    return capped.reason is Reason.DOCUMENT_LIMIT or left.section == right.section


def _place_of(citation: Mapping[str, Any]) -> tuple[UUID, int]:
    return UUID(citation["document_id"]), citation["page"]


def _by_legs(decision: Decision) -> tuple[float, UUID, int]:
    return -decision.fused, decision.passage.document_id, decision.passage.chunk_index


def _rival(decision: Decision) -> Rival:
    passage = decision.passage
    return Rival(
        passage.chunk_id,
        passage.document_id,
        passage.pages,
        decision.final_score,
        decision.reason,
    )


def lost_before(trace: Trace, page: int, standing: PageStanding | None) -> Explanation:
    """Explain a page that was no candidate by where it stands in the database now."""
    with reading():
        asked_at = datetime.fromisoformat(trace["created_at"])
        reached = _never_indexed(page, standing, asked_at=asked_at)
        if reached is not None or standing is None:
            return _looked_up(LostAt.NEVER_INDEXED, reached or "", {})
        numbers = {"chunks": standing.chunks, "embedded": standing.embedded}
        if standing.in_scope is False:
            detail = f"its document, in {standing.collection!r}, is not in the scope asked"
            return _looked_up(LostAt.OUT_OF_SCOPE, detail, numbers)
        profile = profile_of(trace)
        ranks = {leg.value: hit.rank for leg, hit in sorted(standing.ranks.items())}
        numbers |= {"read": _read(profile), "ranks": ranks}
        if not standing.embedded:
            words = _told_ranks(profile, standing) or "only words can find it"
            detail = f"none of its {standing.chunks} chunks has a vector of the model; {words}"
            return _looked_up(LostAt.NOT_INDEXED_FOR_MODEL, detail, numbers)
        return _looked_up(LostAt.NOT_RECALLED, _not_recalled(trace, profile, standing), numbers)


def _looked_up(stage: LostAt, detail: str, numbers: Mapping[str, Any]) -> Explanation:
    return Explanation(stage, detail, numbers, from_trace=False)


def _never_indexed(page: int, standing: PageStanding | None, *, asked_at: datetime) -> str | None:
    """Return why there is nothing of a page to find, or None where there is."""
    if standing is None:
        return "there is no such document: it was never ingested, or it was deleted"
    if standing.published_at is None:
        ended = " ".join(filter(None, (standing.outcome or standing.state, standing.code)))
        return f"the document is not published; its newest version is {ended or 'not there'}"
    if standing.published_at > asked_at:
        at = standing.published_at.isoformat()
        return f"what is searched now was published after the question, {at}"
    return _without_words(page, standing)


def _without_words(page: int, standing: PageStanding) -> str | None:
    if page > standing.pages_total:
        return f"the document ends at page {standing.pages_total}"
    if standing.page_outcome != "TEXT":
        ended = " ".join(filter(None, (standing.page_outcome, standing.page_failure)))
        return f"no text could be read from the page: {ended or 'nothing was recorded of it'}"
    return None if standing.chunks else "the page has text, but no chunk of it"


def _read(profile: Profile) -> dict[str, int]:
    read = {Leg.VECTOR.value: profile.vector_candidates}
    if profile.hyde:
        read[Leg.HYDE.value] = profile.vector_candidates
    return {**read, Leg.KEYWORD.value: profile.keyword_candidates}


def _not_recalled(trace: Trace, profile: Profile, standing: PageStanding) -> str:
    ranks = _told_ranks(profile, standing)
    if ranks:
        return f"indexed, but no leg read as far: {ranks}"
    legs = ", ".join(f"{leg} {most}" for leg, most in _read(profile).items() if most)
    lost = ", ".join(part for part in trace["degraded"] if part in _LEGS_LOST)
    return f"indexed, but no leg brought it (read: {legs})" + (f"; lost: {lost}" if lost else "")


_LEGS_LOST: Final = frozenset({"vector_leg", "keyword_leg", "embedding", "input_stage"})


def _told_ranks(profile: Profile, standing: PageStanding) -> str:
    read = _read(profile)
    return ", ".join(
        f"{leg} rank {hit.rank} ({read[leg] or 'none'} read)"
        for leg, hit in sorted(standing.ranks.items())
    )
