"""Why a page is not in an answer: the stage at which it was lost, with the numbers.

A trace says by itself what became of every candidate. Of a page that was none it knows only what
was searched; where that page stands is then looked up once, and told here in the same words.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from pulsedocs.model.page_status import PageStatus
from pulsedocs.model.pages import PageOutcome
from pulsedocs.model.retrieval import Abstention, GateScale, Leg, LostAt, Profile, Reason
from pulsedocs.retrieval.rules.order import RULES, rule_that_gave
from pulsedocs.retrieval.rules.rule import Decision, Lost
from pulsedocs.retrieval.trace import Trace, decisions_of, profile_of, reading, refused_for


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


def explain(trace: Trace, document_id: UUID, page: int) -> Explanation | None:
    """Return the stage at which a page was lost; None where the trace alone cannot say.

    Raises ArtifactInvalid for a trace that cannot be read.
    """
    with reading():
        case = _Case(trace, document_id, page)
        if case.own:
            return case.explained()
        stage = _UNSEARCHED.get(refused_for(trace) or "")
        return None if stage is None else Explanation(stage, trace["abstained"]["detail"])


_UNSEARCHED: Final[Mapping[str, LostAt]] = {
    Abstention.EMPTY_QUERY: LostAt.NOT_SEARCHED,
    Abstention.NO_SUCH_PAGE: LostAt.NOT_SEARCHED,
    Abstention.WHICH_DOCUMENT: LostAt.NOT_SEARCHED,
    Abstention.NO_DOCUMENTS: LostAt.NOT_SEARCHED,
    Abstention.NOT_INDEXED_FOR_MODEL: LostAt.NOT_INDEXED_FOR_MODEL,
}


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
        best = max(self.own, key=_rules_passed)  # the first of equals: the order's own
        if best.rank is not None:
            return self._of_selected(best)
        loss = rule_that_gave(best.reason, best.numbers).gives[best.reason]
        passed = _rules_passed(best)
        further = [item for item in self._all if _rules_passed(item) > passed]
        detail, by = loss.tell(Lost(best, self._profile, self._all, further))
        place = f"ranked {self._place(best)} of {len(self._all)}"
        return self._told(loss.at, best, f"{place}, {detail}", by=by)

    def _of_selected(self, best: Decision) -> Explanation:
        if self._answer is None:
            detail = f"returned as passage {best.rank}; no answer was asked for"
            return self._told(LostAt.SELECTED, best, detail)
        citations = self._answer["citations"]
        cited = [
            each for each in citations if (UUID(each["document_id"]), each["page"]) == self._page
        ]
        if cited:
            return self._told(LostAt.CITED, best, f"cited as [{cited[0]['n']}]")
        detail = f"given to the answer as passage {best.rank}; "
        if self._answer.get("abstained"):
            abstained = f"{self._answer['abstained']}: {self._answer['detail']}"
            detail += f"the answer abstained, {abstained}"
        else:
            detail += f"none of {len(citations)} verified citations is of this page"
        extra = {"citations": len(citations), **self._answer.get("checks", {})}
        return self._told(LostAt.GENERATION, best, detail, extra=extra)

    def _place(self, decision: Decision) -> int:
        """Return the place in the order of the legs, before any rule."""
        return 1 + sum(other.place_by_legs < decision.place_by_legs for other in self._all)

    def _told(
        self,
        stage: LostAt,
        best: Decision,
        detail: str,
        *,
        by: Iterable[Decision] = (),
        extra: Mapping[str, Any] | None = None,
    ) -> Explanation:
        passage = best.passage
        numbers = {
            "place": self._place(best),
            "of": len(self._all),
            "legs": {leg.value: hit.rank for leg, hit in sorted(passage.legs.items())},
            "similarity": passage.similarity,
            "rerank": passage.rerank,
            "relevance": passage.relevance,
            "gate": None if self._profile.gate_scale is GateScale.NONE else self._profile.gate,
            "final_score": best.final_score,
        }
        return Explanation(
            stage,
            detail,
            {**numbers, **best.numbers, **(extra or {})},
            chunk_id=passage.chunk_id,
            candidates=len(self.own),
            by=tuple(
                Rival(
                    item.passage.chunk_id,
                    item.passage.document_id,
                    item.passage.pages,
                    item.final_score,
                    item.reason,
                )
                for item in by
            ),
        )


def _rules_passed(decision: Decision) -> int:
    """Return how far a candidate came."""
    if decision.rank is not None:
        return len(RULES)
    return RULES.index(rule_that_gave(decision.reason, decision.numbers))


def lost_before(trace: Trace, page: int, status: PageStatus | None) -> Explanation:
    """Explain a page that was no candidate by where it stands in the database now."""
    with reading():
        asked_at = datetime.fromisoformat(trace["created_at"])
        reached = _never_indexed(page, status, asked_at=asked_at)
        if reached is not None or status is None:
            return _looked_up(LostAt.NEVER_INDEXED, reached or "", {})
        numbers = {"chunks": status.chunks, "embedded": status.embedded}
        if status.in_scope is False:
            detail = f"its document, in {status.collection!r}, is not in the scope asked"
            return _looked_up(LostAt.OUT_OF_SCOPE, detail, numbers)
        asked = trace["evidence"].get("asked_pages", ())
        if asked and page not in asked:
            detail = f"the question names page {', '.join(map(str, asked))}; no other was searched"
            return _looked_up(LostAt.NOT_SEARCHED, detail, numbers)
        profile = profile_of(trace)
        ranks = {leg.value: hit.rank for leg, hit in sorted(status.ranks.items())}
        numbers |= {"read": _read(profile), "ranks": ranks}
        if not status.embedded:
            words = _told_ranks(profile, status) or "only words can find it"
            detail = f"none of its {status.chunks} chunks has a vector of the model; {words}"
            return _looked_up(LostAt.NOT_INDEXED_FOR_MODEL, detail, numbers)
        folded = _folded(trace)
        numbers |= {"folded": folded} if folded else {}
        if folded and any(hit.rank <= _read(profile)[leg] for leg, hit in status.ranks.items()):
            detail = f"read, and left out as one of {folded} near-duplicates of what was found"
            return _looked_up(LostAt.DUPLICATE, detail, numbers)
        return _looked_up(LostAt.NOT_RECALLED, _not_recalled(trace, profile, status), numbers)


def _looked_up(stage: LostAt, detail: str, numbers: Mapping[str, Any]) -> Explanation:
    return Explanation(stage, detail, numbers, from_trace=False)


def _never_indexed(page: int, status: PageStatus | None, *, asked_at: datetime) -> str | None:
    """Return why there is nothing of a page to find, or None where there is."""
    if status is None:
        return "there is no such document: it was never ingested, or it was deleted"
    if status.published_at is None:
        ended = " ".join(filter(None, (status.outcome or status.state, status.code)))
        return f"the document is not published; its newest version is {ended or 'not there'}"
    if status.published_at > asked_at:
        at = status.published_at.isoformat()
        return f"what is searched now was published after the question, {at}"
    if page > status.pages_total:
        return f"the document ends at page {status.pages_total}"
    if status.page_outcome not in {PageOutcome.TEXT, PageOutcome.OCR}:
        ended = " ".join(filter(None, (status.page_outcome, status.page_failure)))
        return f"no text could be read from the page: {ended or 'nothing was recorded of it'}"
    return None if status.chunks else "the page has text, but no chunk of it"


def _read(profile: Profile) -> dict[str, int]:
    read = {Leg.VECTOR.value: profile.vector_candidates}
    if profile.hyde:
        read[Leg.HYDE.value] = profile.vector_candidates
    return {**read, Leg.KEYWORD.value: profile.keyword_candidates}


def _folded(trace: Trace) -> int:
    """Return how many near-duplicates the legs left out."""
    corpus: Mapping[str, Any] = trace.get("corpus", {})
    return corpus.get("folded", 0)


def _not_recalled(trace: Trace, profile: Profile, status: PageStatus) -> str:
    ranks = _told_ranks(profile, status)
    if ranks:
        return f"indexed, but no leg read as far: {ranks}"
    legs = ", ".join(f"{leg} {most}" for leg, most in _read(profile).items() if most)
    lost = ", ".join(part for part in trace["degraded"] if part in _LEGS_LOST)
    folded = _folded(trace)
    return (
        f"indexed, but no leg brought it (read: {legs})"
        + (f"; lost: {lost}" if lost else "")
        + (f"; left out: {folded} near-duplicates of what was found" if folded else "")
    )


_LEGS_LOST: Final = frozenset({"vector_leg", "keyword_leg", "embedding", "input_stage"})


def _told_ranks(profile: Profile, status: PageStatus) -> str:
    read = _read(profile)
    return ", ".join(
        f"{leg} rank {hit.rank} ({read[leg] or 'none'} read)"
        for leg, hit in sorted(status.ranks.items())
    )
