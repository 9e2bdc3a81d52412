"""The order of passages after each stage of retrieval: what each of them adds or takes away."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from pulsedocs.model.evaluations import EvaluatedStep
from pulsedocs.model.retrieval import Leg, Profile
from pulsedocs.retrieval import rules
from pulsedocs.retrieval.evidence import Evidence, Passage
from pulsedocs.retrieval.freshness import prefer_newer
from pulsedocs.retrieval.ordering import Ranked, fuse, reorder


def stages(evidence: Evidence, profile: Profile) -> Mapping[EvaluatedStep, list[UUID]]:
    """Return the chunks in order after each stage; the last is what `select` selects.

    A reranker reads the first of the fused order only, so the unread ones are missing from what
    comes after it.
    """
    fused = fuse(evidence.passages, profile)
    unique = rules.without_duplicates(fused)[0] if profile.deduplicate else fused
    is_reranked = any(item.passage.rerank is not None for item in unique)
    ordered = reorder(rules.reranked_only(unique, profile)[0], profile) if is_reranked else unique
    passed, _ = rules.relevant(ordered, profile)
    spread, _ = rules.diverse(passed, profile, single_document=evidence.single_document)
    fresh = prefer_newer(spread, tie_band=profile.tie_band)
    kept, _ = rules.fitting(fresh, profile, reserved_tokens=evidence.reserved_tokens)
    orders = {
        EvaluatedStep.FUSED: unique,
        EvaluatedStep.RERANKED: ordered,
        EvaluatedStep.GATED: passed,
        EvaluatedStep.CAPPED: fresh,
        EvaluatedStep.SELECTED: kept,
    }
    legs = {
        EvaluatedStep.VECTOR: _leg(evidence.passages, Leg.VECTOR),
        EvaluatedStep.KEYWORD: _leg(evidence.passages, Leg.KEYWORD),
    }
    return legs | {stage: _ids(order) for stage, order in orders.items()}


def _ids(ranked: Iterable[Ranked]) -> list[UUID]:
    return [item.passage.chunk_id for item in ranked]


def _leg(passages: Iterable[Passage], leg: Leg) -> list[UUID]:
    found = [item for item in passages if leg in item.legs]
    return [item.chunk_id for item in sorted(found, key=lambda item: item.legs[leg].rank)]
