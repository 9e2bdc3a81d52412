"""What embedding models need: their record, their backfills, their migrations."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from pulsedocs.model.budgets import Amounts
from pulsedocs.model.documents import (
    ErrorReport,
    Run,
)
from pulsedocs.model.embeddings import BatchItem
from pulsedocs.model.models import (
    Backfill,
    BackfillReference,
    BegunBackfill,
    LackingPage,
    LackingVersion,
    ModelCoverage,
    ModelMigration,
    ModelReference,
    RegisteredModel,
    SampledChunk,
)


class ModelStore(Protocol):
    """Embedding models of a tenant. Raises ModelNotFound and CollectionNotFoundError."""

    def models(self, tenant_id: UUID) -> list[RegisteredModel]: ...

    def model(self, tenant_id: UUID, model: str) -> RegisteredModel: ...

    def register(
        self, tenant_id: UUID, model: str, *, actor: str
    ) -> tuple[RegisteredModel, UUID | None]:
        """Register a model; the id is that of the probe it waits for, None for a usable one."""
        ...

    def coverage(
        self, tenant_id: UUID, model: str, *, collection: str | None = None
    ) -> ModelCoverage:
        """Count what a model has of a collection's chunks, or of all the tenant's."""
        ...

    def request_backfill(
        self, tenant_id: UUID, model: str, *, collection: str | None, actor: str
    ) -> UUID:
        """Return the open backfill of this extent, made if need be; raise ModelNotReady."""
        ...

    def backfills(
        self, tenant_id: UUID, model: str, *, collection: str | None = None
    ) -> list[Backfill]:
        """Return the newest backfills of a model, newest first."""
        ...

    def retire(self, tenant_id: UUID, model: str, *, actor: str) -> None:
        """Let nobody use the model from the commit on; raise ModelInUse."""
        ...


class MigrationStore(Protocol):
    """Collections between two models. Raises CollectionNotFoundError, MigrationNotFound."""

    def start(
        self, tenant_id: UUID, collection: str, to_model: str, *, actor: str
    ) -> tuple[ModelMigration, UUID]:
        """Try a model beside the active one; return the backfill that fills it in.

        Raises ModelNotFound, ModelNotReady, MigrationUnderWay.
        """
        ...

    def migration(self, tenant_id: UUID, collection: str) -> ModelMigration: ...

    def promote(self, tenant_id: UUID, collection: str, *, actor: str) -> ModelMigration:
        """Search by the model that was tried; raise CoverageIncomplete, ModelNotReady."""
        ...

    def roll_back(self, tenant_id: UUID, collection: str, *, actor: str) -> ModelMigration:
        """Search by the former model; raise NothingToRollBack, CoverageIncomplete."""
        ...

    def sample(
        self, tenant_id: UUID, migration: ModelMigration, *, limit: int
    ) -> list[SampledChunk]:
        """Return published chunks that have vectors of both models, always the same ones."""
        ...


class BackfillStore(Protocol):
    """What gives chunks that are there the vectors of another model."""

    def record_probe(
        self, model: ModelReference, error: ErrorReport | None, *, name: str | None = None
    ) -> str | None:
        """End a probe; return the model, None where no model waits for this probe."""
        ...

    def begin(self, backfill: BackfillReference) -> BegunBackfill | None:
        """Take the backfill; None when it is another's, or has ended."""
        ...

    def renew(
        self, backfill: BackfillReference, *, after: str, limit: int
    ) -> tuple[list[UUID], str]:
        """Announce new versions of some stale documents; return them, and where to go on.

        Raises FencedOut, as the next two do.
        """
        ...

    def next_page(self, backfill: BackfillReference, *, after: str, limit: int) -> LackingPage:
        """Return some of the chunks that lack the model's vector; the place is remembered."""
        ...

    def hand_over(self, backfill: BackfillReference) -> None:
        """Leave the rest to another execution."""
        ...

    def end(self, backfill: BackfillReference, error: ErrorReport | None = None) -> bool:
        """Note the end, with the reason if it failed; False when it is another's."""
        ...

    def other_models(self, run: Run) -> list[str]:
        """Return the models beside the active one that the version's collection tries or keeps."""
        ...

    def lacking(self, run: Run, model: str) -> tuple[BatchItem, ...]:
        """Give a version's chunks what equal texts have; return what is left to buy."""
        ...

    def reuse(self, model: str, lacking: LackingVersion) -> tuple[BatchItem, ...]:
        """Do the same for some chunks of a version."""
        ...

    def reserve(self, run: Run, model: str, amounts: Amounts) -> None:
        """Hold what is about to be bought for a version; raise BudgetExceeded."""
        ...

    def add(
        self,
        run: Run,
        model: str,
        *,
        vectors: Sequence[tuple[UUID, Sequence[float]]],
        refusals: Sequence[tuple[UUID, str]],
        input_tokens: int,
    ) -> int:
        """Add what is not there yet; return how many rows. A deleted document gets none."""
        ...


class RetirementStore(Protocol):
    """Removes what a retired model left, many short transactions, each of which may be the last."""

    def remove_some(self, tenant_id: UUID, model: str) -> int:
        """Delete a bounded number of vectors; return how many."""
        ...

    def forget(self, tenant_id: UUID, model: str) -> bool:
        """Delete the model itself, and its partition if no other tenant has it."""
        ...
