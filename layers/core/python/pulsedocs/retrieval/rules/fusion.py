"""The legs give one order. Nothing is dropped."""

from collections.abc import Sequence
from typing import Final

from pulsedocs.model.evaluations import EvaluatedStep
from pulsedocs.model.retrieval import Profile
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.ordering import Ranked, fuse
from pulsedocs.retrieval.rules.rule import Rule, Sifted


def fused(ranked: Sequence[Ranked], _evidence: Evidence, profile: Profile) -> Sifted:
    return fuse((item.passage for item in ranked), profile), []


FUSION: Final = Rule(
    "fusion",
    EvaluatedStep.FUSED,
    needs=frozenset({"ordering", "rrf_k", "name_weight"}),
    apply=fused,
)
