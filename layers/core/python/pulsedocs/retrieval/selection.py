"""The rules in their order: a pure function of recorded values, a reason for every candidate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Final, TypeAlias
from uuid import UUID

from pulsedocs.model.retrieval import Abstention, Profile, Reason
from pulsedocs.retrieval import rules
from pulsedocs.retrieval.evidence import Evidence, Passage
from pulsedocs.retrieval.freshness import prefer_newer
from pulsedocs.retrieval.ordering import Ranked, fuse, reorder
from pulsedocs.retrieval.rules import Number, Rejection


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one candidate; `rank` counts the selected from 1."""

    passage: Passage
    reason: Reason
    fused: float
    freshness_penalty: float
    final_score: float
    rank: int | None
    numbers: Mapping[str, Number]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing was selected, and by how much it was missed."""

    reason: Abstention
    detail: str


@dataclass(frozen=True, slots=True)
class Counts:
    deduplicated: int
    reranked: int


@dataclass(frozen=True, slots=True)
class Selection:
    """One decision per candidate: the selected by rank, then the others in fused order."""

    decisions: tuple[Decision, ...]
    refusal: Refusal | None
    counts: Counts

    @property
    def selected(self) -> tuple[UUID, ...]:
        return tuple(item.passage.chunk_id for item in self.decisions if item.rank is not None)


_MOST_COMPARED: Final = 20  # more than any policy of ours selects; 0.1 to 0.2 s of the local one
_Order: TypeAlias = list[Ranked]


def to_rerank(evidence: Evidence, profile: Profile) -> list[UUID]:
    """Return the chunks whose text the reranker is to score, best first."""
    unique, _ = _unique(fuse(evidence.passages, profile), profile)
    listed = rules.shortlist(unique, profile)
    return [item.passage.chunk_id for item in listed if not item.passage.by_similarity]


def to_compare(evidence: Evidence, profile: Profile) -> list[UUID]:
    """Return the chunks that the embedder is to read again, best first."""
    unique, _ = _unique(fuse(evidence.passages, profile), profile)
    return [item.passage.chunk_id for item in unique if item.passage.by_similarity][:_MOST_COMPARED]


def select(evidence: Evidence, profile: Profile) -> Selection:
    """Decide about every candidate.

    It reads no clock, no text and no model, and breaks every tie, so the same evidence gives the
    same bytes anywhere.
    """
    fused = fuse(evidence.passages, profile)
    unique, duplicates = _unique(fused, profile)
    ordered, unread = _in_reranked_order(unique, profile)
    passed, irrelevant = rules.relevant(ordered, profile)
    spread, capped = rules.diverse(passed, profile, single_document=evidence.single_document)
    fresh = prefer_newer(spread, tie_band=profile.tie_band)
    kept, squeezed = rules.fitting(fresh, profile, reserved_tokens=evidence.reserved_tokens)
    rejected = [*duplicates, *unread, *irrelevant, *capped, *squeezed]
    return Selection(
        decisions=(*_chosen(kept, profile), *_dropped(rejected, fused)),
        refusal=None if kept else _refusal(rejected, profile),
        counts=Counts(deduplicated=len(unique), reranked=len(ordered)),
    )


def _unique(ranked: _Order, profile: Profile) -> rules.Sifted:
    return rules.without_duplicates(ranked) if profile.deduplicate else (ranked, [])


def _in_reranked_order(ranked: _Order, profile: Profile) -> rules.Sifted:
    if all(item.passage.rerank is None for item in ranked):
        return ranked, []
    read, unread = rules.reranked_only(ranked, profile)
    return reorder(read, profile), unread


def _chosen(kept: Sequence[Ranked], profile: Profile) -> list[Decision]:
    return [
        _decision(
            item,
            Reason.SELECTED,
            {"rank": rank, "tokens": item.passage.tokens + profile.overhead_tokens_per_block},
            rank=rank,
        )
        for rank, item in enumerate(kept, start=1)
    ]


def _dropped(rejected: Sequence[Rejection], fused: Sequence[Ranked]) -> list[Decision]:
    place = {item.passage.chunk_id: rank for rank, item in enumerate(fused)}
    in_order = sorted(rejected, key=lambda dropped: place[dropped.item.passage.chunk_id])
    return [_decision(dropped.item, dropped.reason, dropped.numbers) for dropped in in_order]


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


def _refusal(rejected: Sequence[Rejection], profile: Profile) -> Refusal:
    if not rejected:
        return Refusal(Abstention.NO_CANDIDATES, "no passage was found")
    squeezed = [dropped for dropped in rejected if dropped.reason is Reason.OVER_BUDGET]
    if squeezed:
        needs, left = squeezed[0].numbers["tokens"], squeezed[0].numbers["left"]
        return Refusal(
            Abstention.NO_CANDIDATES, f"the best passage needs {needs} tokens, {left} are left"
        )
    below = [item for item in rejected if item.reason is Reason.BELOW_THRESHOLD]
    return Refusal(Abstention.BELOW_THRESHOLD, _counterfactual(below, profile))


def _counterfactual(below: Sequence[Rejection], profile: Profile) -> str:
    """Say how near the nearest passage came, e.g. `best 0.27 < 0.30, page 14`."""
    values = [(rules.gate_value(item.item.passage, profile), item.item.passage) for item in below]
    known = [(value, passage) for value, passage in values if value is not None]
    value, passage = max(known, key=lambda pair: pair[0])  # the first of equals: the order's own
    pages = "page" if len(passage.pages) == 1 else "pages"
    numbers = "-".join(str(page) for page in sorted({min(passage.pages), max(passage.pages)}))
    best, gate = shown(value, profile.gate), shown(profile.gate, profile.gate)
    return f"best {best} < {gate}, {pages} {numbers}"


def shown(value: float, gate: float) -> str:
    """Cut, not round, to two places: 0.299 shown as 0.30 would not be below 0.30.

    A threshold that two places cannot show gets all that are recorded.
    """
    places = Decimal("0.01") if round(gate, 2) == gate else Decimal("0.000001")
    return str(Decimal(str(value)).quantize(places, rounding=ROUND_FLOOR))
