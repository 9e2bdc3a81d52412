"""The rules in their order: a pure function of recorded values, a reason for every candidate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pulsedocs.model.retrieval import Abstention, Profile, Reason
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.ordering import Ranked
from pulsedocs.retrieval.rules.copies import COPIES
from pulsedocs.retrieval.rules.fusion import FUSION
from pulsedocs.retrieval.rules.order import Applied, given_to, walk
from pulsedocs.retrieval.rules.reranking import RERANKING, shortlist
from pulsedocs.retrieval.rules.rule import Decision, Number, Refusal


@dataclass(frozen=True, slots=True)
class Selection:
    """One decision per candidate: the selected by rank, then the others in fused order.

    `deduplicated` counts those that were left when copies were dropped.
    """

    decisions: tuple[Decision, ...]
    refusal: Refusal | None
    deduplicated: int

    @property
    def selected(self) -> tuple[UUID, ...]:
        return tuple(item.passage.chunk_id for item in self.decisions if item.rank is not None)


_MOST_COMPARED: Final = 20  # more than any policy of ours selects; 0.1 to 0.2 s of the local one


def to_rerank(evidence: Evidence, profile: Profile) -> list[UUID]:
    """Return the chunks whose text the reranker is to score, best first."""
    listed = shortlist(given_to(RERANKING, evidence, profile), profile)
    return [item.passage.chunk_id for item in listed if not item.passage.by_similarity]


def to_compare(evidence: Evidence, profile: Profile) -> list[UUID]:
    """Return the chunks that the embedder is to read again, best first."""
    ranked = given_to(RERANKING, evidence, profile)
    return [item.passage.chunk_id for item in ranked if item.passage.by_similarity][:_MOST_COMPARED]


def select(evidence: Evidence, profile: Profile) -> Selection:
    """Decide about every candidate.

    It reads no clock, no text and no model, and breaks every tie, so the same evidence gives the
    same bytes anywhere.
    """
    applied = list(walk(evidence, profile))
    after = {each.rule.name: each.kept for each in applied}
    kept = applied[-1].kept
    selected = [
        _decision(
            item,
            Reason.SELECTED,
            {"rank": rank, "tokens": item.passage.tokens + profile.overhead_tokens_per_block},
            rank=rank,
        )
        for rank, item in enumerate(kept, start=1)
    ]
    dropped = {
        rejection.item.passage.chunk_id: _decision(
            rejection.item, rejection.reason, rejection.numbers
        )
        for each in applied
        for rejection in each.dropped
    }
    by_legs = [item.passage.chunk_id for item in after[FUSION.name]]
    return Selection(
        decisions=(*selected, *(dropped[chunk] for chunk in by_legs if chunk in dropped)),
        refusal=None if kept else _refusal(applied, profile),
        deduplicated=len(after[COPIES.name]),
    )


def _decision(
    item: Ranked, reason: Reason, numbers: Mapping[str, Number], *, rank: int | None = None
) -> Decision:
    return Decision(
        passage=item.passage,
        reason=reason,
        fused=item.fused,
        freshness_penalty=item.penalty,
        final_score=item.final_score,
        rank=rank,
        numbers=numbers,
    )


def _refusal(applied: Sequence[Applied], profile: Profile) -> Refusal:
    """Let the rule that left nothing say so."""
    emptied = next((each for each in applied if each.given and not each.kept), None)
    if emptied is None:
        return Refusal(Abstention.NO_CANDIDATES, "no passage was found")
    if emptied.rule.refuse is not None:
        return emptied.rule.refuse(emptied.dropped, profile)
    detail = f"the rule {emptied.rule.name!r} left none of {len(emptied.given)} passages"
    return Refusal(Abstention.NO_CANDIDATES, detail)
