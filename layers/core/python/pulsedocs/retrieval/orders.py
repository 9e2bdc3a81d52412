"""The order of passages at each step of an evaluation: what a rule adds to it or takes away."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from pulsedocs.model.evaluations import EvaluatedStep
from pulsedocs.model.retrieval import Leg, Profile
from pulsedocs.retrieval.evidence import Evidence, Passage
from pulsedocs.retrieval.rules.order import walk


def orders_of(evidence: Evidence, profile: Profile) -> Mapping[EvaluatedStep, list[UUID]]:
    """Return the chunks in order after each step; the last is what `select` selects.

    A reranker reads the first of the fused order only, so the unread ones are missing from what
    comes after it.
    """
    legs = {
        EvaluatedStep.VECTOR: _in_leg(evidence.passages, Leg.VECTOR),
        EvaluatedStep.KEYWORD: _in_leg(evidence.passages, Leg.KEYWORD),
    }
    after = {
        applied.rule.step: [item.passage.chunk_id for item in applied.kept]
        for applied in walk(evidence, profile)
    }
    return legs | after


def _in_leg(passages: Iterable[Passage], leg: Leg) -> list[UUID]:
    found = [item for item in passages if leg in item.legs]
    return [item.chunk_id for item in sorted(found, key=lambda item: item.legs[leg].rank)]
