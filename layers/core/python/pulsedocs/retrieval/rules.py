"""The rules that drop candidates. Each takes an order and returns what stays, and why the rest not.

A rejection carries the numbers that decided it, so that a trace answers "why not?" by itself.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias
from uuid import UUID

from pulsedocs.model.likeness import MOST_ALIKE
from pulsedocs.model.retrieval import GateScale, Profile, Reason
from pulsedocs.retrieval.evidence import Passage
from pulsedocs.retrieval.ordering import Ranked

Number: TypeAlias = int | float | str | None


@dataclass(frozen=True, slots=True)
class Rejection:
    item: Ranked
    reason: Reason
    numbers: Mapping[str, Number] = field(default_factory=dict[str, Number])


Sifted: TypeAlias = tuple[list[Ranked], list[Rejection]]


def without_duplicates(ranked: Iterable[Ranked]) -> Sifted:
    """Keep the first of each text, and the first five of those that differ in figures alone.

    The same words twice would spend the budget on nothing. Other figures may contradict, or be
    those that are asked for; hundreds of them would leave no room for any other text.
    """
    first: dict[str, UUID] = {}
    alike: dict[str, list[UUID]] = defaultdict(list)
    kept: list[Ranked] = []
    dropped: list[Rejection] = []
    for item in ranked:
        passage = item.passage
        original = first.setdefault(passage.content, passage.chunk_id)
        similar = alike[passage.likeness or passage.content]
        if original != passage.chunk_id:
            dropped.append(Rejection(item, Reason.DUPLICATE, {"of": str(original)}))
        elif len(similar) >= MOST_ALIKE:
            numbers = {"of": str(similar[0]), "but_for_figures": len(similar)}
            dropped.append(Rejection(item, Reason.DUPLICATE, numbers))
        else:
            similar.append(passage.chunk_id)
            kept.append(item)
    return kept, dropped


def shortlist(ranked: Sequence[Ranked], profile: Profile) -> list[Ranked]:
    """Return what the reranker is given to read."""
    return list(ranked[: profile.rerank_candidates])


def reranked_only(ranked: Sequence[Ranked], profile: Profile) -> Sifted:
    """Drop what the reranker was not given; its score and a fused one do not compare.

    What the embedder judges in its place stays as far as it is on the shortlist.
    """
    listed = [item for item in shortlist(ranked, profile) if item.passage.by_similarity]
    standing_in = {item.passage.chunk_id for item in listed}
    kept = [
        item
        for item in ranked
        if item.passage.rerank is not None or item.passage.chunk_id in standing_in
    ]
    dropped = [
        Rejection(
            Ranked(item.passage, item.fused, 0.0),
            Reason.OUTRANKED,
            {"fused_rank": rank, "reranked": len(kept)},
        )
        for rank, item in enumerate(ranked, start=1)
        if item.passage.rerank is None and item.passage.chunk_id not in standing_in
    ]
    return kept, dropped


def gate_value(passage: Passage, profile: Profile) -> float | None:
    """Return the number that the gate compares, None where it is not known."""
    return passage.similarity if profile.gate_scale is GateScale.COSINE else passage.relevance


def gate_applies(passages: Iterable[Passage], profile: Profile) -> bool:
    """Return whether any passage has a number to compare.

    With the embedder and the reranker both down none has; keyword hits then pass unjudged, and the
    response names the gate among what was degraded.
    """
    return profile.gate_scale is not GateScale.NONE and any(
        gate_value(passage, profile) is not None for passage in passages
    )


def relevant(ranked: Sequence[Ranked], profile: Profile) -> Sifted:
    """Drop what lies below the profile's threshold; an unknown relevance lies below any."""
    if not gate_applies((item.passage for item in ranked), profile):
        return list(ranked), []
    scale = profile.gate_scale.value
    kept: list[Ranked] = []
    dropped: list[Rejection] = []
    for item in ranked:
        value = gate_value(item.passage, profile)
        if value is not None and value >= profile.gate:
            kept.append(item)
        else:
            numbers = {scale: value, "threshold": profile.gate}
            dropped.append(Rejection(item, Reason.BELOW_THRESHOLD, numbers))
    return kept, dropped


_Key: TypeAlias = tuple[Reason, str]


def diverse(ranked: Iterable[Ranked], profile: Profile, *, single_document: bool) -> Sifted:
    """Keep at most n passages a page, a section and a document, the best first."""
    limits = {
        Reason.PAGE_LIMIT: profile.per_page,
        Reason.SECTION_LIMIT: profile.per_section,
        Reason.DOCUMENT_LIMIT: 0 if single_document else profile.per_document,
    }
    taken: Counter[_Key] = Counter()
    kept: list[Ranked] = []
    dropped: list[Rejection] = []
    for item in ranked:
        places = [place for place in _places(item.passage) if limits[place[0]]]
        full = next((place for place in places if taken[place] >= limits[place[0]]), None)
        if full is None:
            taken.update(places)
            kept.append(item)
        else:
            numbers = {"limit": limits[full[0]], "of": full[1]}
            dropped.append(Rejection(item, full[0], numbers))
    return kept, dropped


def _places(passage: Passage) -> list[_Key]:
    """Return what the caps count, in the order in which a full one is named."""
    document = str(passage.document_id)
    places = [(Reason.PAGE_LIMIT, f"{document} page {page}") for page in passage.pages]
    if passage.section:
        places.append((Reason.SECTION_LIMIT, f"{document} section {passage.section}"))
    return [*places, (Reason.DOCUMENT_LIMIT, document)]


def fitting(ranked: Iterable[Ranked], profile: Profile, *, reserved_tokens: int) -> Sifted:
    """Take passages in order until `top_k`, stepping over those that the budget cannot hold.

    The budget holds the prompt's own words and each passage's source line as well.
    """
    left = profile.context_tokens - reserved_tokens
    kept: list[Ranked] = []
    dropped: list[Rejection] = []
    for rank, item in enumerate(ranked, start=1):
        cost = item.passage.tokens + profile.overhead_tokens_per_block
        if len(kept) >= profile.top_k:
            numbers = {"rank": rank, "top_k": profile.top_k}
            dropped.append(Rejection(item, Reason.OUTRANKED, numbers))
        elif cost > left:
            dropped.append(Rejection(item, Reason.OVER_BUDGET, {"tokens": cost, "left": left}))
        else:
            left -= cost
            kept.append(item)
    return kept, dropped
