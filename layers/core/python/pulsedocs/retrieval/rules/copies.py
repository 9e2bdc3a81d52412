"""The same words twice would spend the budget on nothing.

Other figures may contradict, or be those that are asked for; hundreds of passages that differ in
figures alone would leave no room for any other text.
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pulsedocs.model.evaluations import EvaluatedStep
from pulsedocs.model.retrieval import LostAt, Profile, Reason
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.near_duplicates import NearDuplicates
from pulsedocs.retrieval.ordering import Ranked
from pulsedocs.retrieval.rules.rule import Loss, Lost, Number, Rejection, Rule, Sifted, Told


def without_copies(ranked: Sequence[Ranked], _evidence: Evidence, profile: Profile) -> Sifted:
    """Keep the first of each text, and the first five of those that differ in figures alone."""
    if not profile.deduplicate:
        return list(ranked), []
    seen = NearDuplicates[UUID]()
    kept: list[Ranked] = []
    dropped: list[Rejection] = []
    for item in ranked:
        passage = item.passage
        copy = seen.copy_of(
            passage.chunk_id, passage.content, likeness=passage.likeness or passage.content
        )
        if copy is None:
            kept.append(item)
        else:
            numbers: dict[str, Number] = {"of": str(copy.original)}
            if copy.but_for_figures:
                numbers["but_for_figures"] = copy.but_for_figures
            dropped.append(Rejection(item, Reason.DUPLICATE, numbers))
    return kept, dropped


def _tell(lost: Lost) -> Told:
    original = lost.decision.numbers["of"]
    same = [item for item in lost.everyone if str(item.passage.chunk_id) == original]
    ends = " and ".join(item.reason for item in same)
    return f"the same words as a chunk that ended {ends}", same


COPIES: Final = Rule(
    "copies",
    EvaluatedStep.FUSED,
    needs=frozenset({"deduplicate"}),
    apply=without_copies,
    gives={Reason.DUPLICATE: Loss(LostAt.DUPLICATE, "of", _tell)},
)
