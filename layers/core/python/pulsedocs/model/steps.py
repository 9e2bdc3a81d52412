"""What a step leaves in its ledger entry: the state machine reads it, and who repeats the step.

A result that was recorded comes back as it was: fields that are left out stay out, and fields that
another release added stay in.
"""

from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from pulsedocs.model.embeddings import EmbeddingBatchReference
from pulsedocs.pipeline import Outcome, Step


class StepResult(BaseModel):
    """Of one step; how many there were of each kind, and the `outcome` of a version that ended."""

    model_config = ConfigDict(frozen=True, extra="allow")

    step: ClassVar[Step]

    def to_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_unset=True)


class StoreResult(StepResult):
    step = Step.STORE

    outcome: Outcome | None = None
    duplicate_of: UUID | None = None
    pages: int = 0
    extract_ms: int = 0


class CleanResult(StepResult):
    """`sentences` are measured by `model` before the text is cut, if `measures` says so."""

    step = Step.CLEAN

    outcome: Outcome | None = None
    pages: int = 0
    model: str = ""
    measures: bool = False
    sentences: tuple[EmbeddingBatchReference, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchesToEmbed:
    """What lacks a vector of a model; empty where no model is asked for."""

    model: str = ""
    batches: tuple[EmbeddingBatchReference, ...] = ()


class ChunkResult(StepResult):
    """`shadow` is what the shadow model lacks. It is never recorded: each call looks again."""

    step = Step.CHUNK

    model: str = ""
    chunks: int = 0
    reused: int = 0
    batches: tuple[EmbeddingBatchReference, ...] = ()
    shadow: BatchesToEmbed | None = None


class EmbedResult(StepResult):
    step = Step.EMBED

    embedded: int = 0
    refused: int = 0
    embed_ms: int = 0


class PublishResult(StepResult):
    step = Step.PUBLISH

    outcome: Outcome | None = None
