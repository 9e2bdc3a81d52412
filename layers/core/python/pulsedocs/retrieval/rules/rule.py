"""What a rule of selection is: what it reads, keeps and drops, and how `why` tells of that."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias
from uuid import UUID

from pulsedocs.model.evaluations import EvaluatedStep
from pulsedocs.model.retrieval import Abstention, LostAt, Profile, Reason
from pulsedocs.retrieval.evidence import Evidence, Passage
from pulsedocs.retrieval.ordering import Ranked

Number: TypeAlias = int | float | str | None


@dataclass(frozen=True, slots=True)
class Rejection:
    """`numbers` are those that decided it, so that a trace answers "why not?" by itself."""

    item: Ranked
    reason: Reason
    numbers: Mapping[str, Number] = field(default_factory=dict[str, Number])


Sifted: TypeAlias = tuple[list[Ranked], list[Rejection]]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing was selected, and by how much it was missed."""

    reason: Abstention
    detail: str


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

    @property
    def place_by_legs(self) -> tuple[float, UUID, int]:
        """Sorts decisions as the legs ordered their passages, before any rule dropped one."""
        return -self.fused, self.passage.document_id, self.passage.chunk_index


@dataclass(frozen=True, slots=True)
class Lost:
    """A candidate that a rule dropped, beside all others; `further` came past that rule."""

    decision: Decision
    profile: Profile
    everyone: Sequence[Decision]
    further: Sequence[Decision]

    @property
    def selected(self) -> list[Decision]:
        return [item for item in self.further if item.rank is not None]


Told: TypeAlias = tuple[str, Iterable[Decision]]
"""Why a candidate was dropped, in a few words, and the candidates that stood in its way."""


@dataclass(frozen=True, slots=True)
class Loss:
    """How `why` tells of the candidates that a rule drops for one reason.

    `number` is among the numbers of each of them: another rule may give the same reason.
    """

    at: LostAt
    number: str
    tell: Callable[[Lost], Told]


@dataclass(frozen=True, slots=True)
class Rule:
    """`apply` is pure, and reads no value of the profile that `needs` does not name.

    `step` is the figure of an evaluation that tells how good the order is after this rule; of
    several rules with one step the last one's order counts.
    """

    name: str
    step: EvaluatedStep
    needs: frozenset[str]
    apply: Callable[[Sequence[Ranked], Evidence, Profile], Sifted]
    gives: Mapping[Reason, Loss] = field(default_factory=dict[Reason, Loss])
    refuse: Callable[[Sequence[Rejection], Profile], Refusal] | None = None
    """Says why nothing is selected, from what the rule dropped, where it dropped all there was."""
