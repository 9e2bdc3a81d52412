"""What batches of documents need: their rows and those of their objects."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from pulsedocs.model.batches import BatchObject, BatchReference, BatchRequest, BatchStatus
from pulsedocs.model.documents import (
    ErrorReport,
)
from pulsedocs.pipeline import Outcome


class BatchStore(Protocol):
    """Batches and their objects, within one tenant."""

    def add(self, tenant_id: UUID, batch_id: UUID, request: BatchRequest) -> None: ...

    def resume(self, tenant_id: UUID, batch_id: UUID, *, actor: str) -> BatchRequest:
        """Free the batch for another execution; raise BatchNotFound, BatchRunning."""
        ...

    def begin(self, batch: BatchReference) -> bool | None:
        """Take the batch; None when it is another's, else whether it has been listed."""
        ...

    def enrol(self, batch: BatchReference, objects: Sequence[BatchObject], *, last: bool) -> None:
        """Add listed objects; bind those that an earlier batch brought in to what they became."""
        ...

    def pending(
        self, batch: BatchReference, *, after: str, limit: int, only_unbound: bool = False
    ) -> list[BatchObject]:
        """Return objects that are left to do, those that FAILED or are PARKED among them.

        `only_unbound` asks for those alone that no document version stands for.
        """
        ...

    def refuse(
        self, batch: BatchReference, source: str, outcome: Outcome, error: ErrorReport
    ) -> None: ...

    def end(self, batch: BatchReference, *, lost: ErrorReport | None = None) -> None:
        """Note that the execution has ended; free the versions that it still holds.

        `lost` is the reason of an object of which nothing came; None leaves it for another one.
        """
        ...

    def status(self, tenant_id: UUID, batch_id: UUID, *, after: str, limit: int) -> BatchStatus:
        """Count the outcomes, and list failures behind `after`; raise BatchNotFound."""
        ...
