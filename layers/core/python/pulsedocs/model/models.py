"""Embedding models of a tenant, what lacks their vectors, and collections on their way to one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import BatchItem


class ModelState(StrEnum):
    """Whether a model can be used. FAILED: its probe was refused; RETIRED: its rows are going."""

    PROBING = "PROBING"
    READY = "READY"
    FAILED = "FAILED"
    RETIRED = "RETIRED"


class BackfillState(StrEnum):
    REQUESTED = "REQUESTED"
    RUNNING = "RUNNING"
    FINISHED = "FINISHED"
    FAILED = "FAILED"


class MigrationState(StrEnum):
    """SHADOW: the new model is tried beside the old one, which still answers."""

    SHADOW = "SHADOW"
    PROMOTED = "PROMOTED"
    ROLLED_BACK = "ROLLED_BACK"


@dataclass(frozen=True, slots=True)
class RegisteredModel:
    """`active_in` are the collections searched by it, `shadow_in` those that try or keep it."""

    model: str
    dimensions: int
    state: ModelState
    error: Mapping[str, Any] | None
    active_in: tuple[str, ...]
    shadow_in: tuple[str, ...]
    registered_at: datetime
    registered_by: str


@dataclass(frozen=True, slots=True)
class ModelReference:
    """A registration as it travels: `probe_id` names one attempt to probe the model."""

    tenant_id: UUID
    probe_id: UUID


@dataclass(frozen=True, slots=True)
class ModelCoverage:
    """Chunks that can be found, by what a model has of them: embedded + refused + missing = chunks.

    `stale` are those among the embedded whose document would be cut or read otherwise by now.
    """

    chunks: int
    embedded: int
    refused: int
    missing: int
    stale: int


@dataclass(frozen=True, slots=True)
class BackfillReference:
    """A backfill as it travels through its state machine; `holder` is the execution."""

    tenant_id: UUID
    backfill_id: UUID
    holder: str


@dataclass(frozen=True, slots=True)
class Backfill:
    backfill_id: UUID
    model: str
    collection: str | None
    state: BackfillState
    error: Mapping[str, Any] | None
    requested_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class BegunBackfill:
    """What an execution that took a backfill has to do; `after` is where an earlier one was."""

    model: str
    after: str


@dataclass(frozen=True, slots=True)
class LackingVersion:
    """Chunks of one version that have no vector of a model; `run` carries no fence."""

    run: Run
    items: tuple[BatchItem, ...]


@dataclass(frozen=True, slots=True)
class LackingPage:
    """Some of what a backfill has left to do. `after` is empty when nothing follows."""

    model: str
    versions: tuple[LackingVersion, ...]
    after: str


@dataclass(frozen=True, slots=True)
class ModelMigration:
    """A collection between two models. `changed_by` is who started, promoted or rolled back."""

    collection: str
    active_model: str
    from_model: str
    to_model: str
    state: MigrationState
    started_at: datetime
    started_by: str
    changed_at: datetime
    changed_by: str


@dataclass(frozen=True, slots=True)
class SampledChunk:
    """A chunk that has vectors of two models, as a stand-in for a question."""

    chunk_id: UUID
    from_vector: tuple[float, ...]
    to_vector: tuple[float, ...]
