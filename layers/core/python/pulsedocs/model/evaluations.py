"""Questions whose answers are known, and how well a policy finds them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

MOST_QUESTIONS: Final = 200
"""Of one evaluation; with 5 profiles 1,000 searches: 900 s at 0.9 s each."""


class EvaluatedStep(StrEnum):
    """What retrieval has made of a question so far; each adds to, orders or cuts the one before."""

    VECTOR = "vector"
    KEYWORD = "keyword"
    FUSED = "fused"
    RERANKED = "reranked"
    GATED = "gated"
    CAPPED = "capped"
    SELECTED = "selected"


@dataclass(frozen=True, slots=True)
class Expected:
    """Where an answer stands. A quote outlives every change of how the text is cut."""

    source: str
    page: int | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question and every place that answers it; `answerable` is false where none can."""

    text: str
    expected: tuple[Expected, ...] = ()
    answerable: bool = True
    document_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean over questions, and where 95 % of resampled means lie."""

    mean: float
    low: float
    high: float
    questions: int


@dataclass(frozen=True, slots=True)
class Abstentions:
    """How well refusing is told from answering; None where there was nothing to divide by."""

    precision: float | None
    recall: float | None
    refused: int
    unanswerable: int
    refused_rightly: int


@dataclass(frozen=True, slots=True)
class ProfileFigures:
    """One policy: its figures by stage and name, and its refusals."""

    profile: str
    revision: int
    stages: Mapping[EvaluatedStep, Mapping[str, Measured]]
    abstention: Abstentions
    questions: int
    degraded: Mapping[str, int] = field(default_factory=dict[str, int])
