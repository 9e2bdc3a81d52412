"""What the steps of the pipeline read and write."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar
from uuid import UUID

from pulsedocs.model.batches import BatchObject, BatchReference, BatchRequest, BatchStatus
from pulsedocs.model.budgets import Amounts
from pulsedocs.model.chunks import IdentifiedChunk
from pulsedocs.model.documents import ClaimedWork, ErrorReport, NothingToDo, Run, StoredObject
from pulsedocs.model.embeddings import Unembedded
from pulsedocs.model.pages import CleanedPage, Page
from pulsedocs.model.requests import IngestRecord
from pulsedocs.pipeline import Outcome, Step

Made = TypeVar("Made")


Plan = TypeVar("Plan")


StepResult = dict[str, Any]


class StepWriter(Protocol):
    """Writes of one step, inside its transaction, for its run. Rows are sorted by key first."""

    def accept_content(self, *, sha256: bytes, size: int, pages: int) -> "ContentDecision":
        """Record that the bytes were read; decide on them unless the claim has done so."""
        ...

    def insert_pages(self, pages: Iterable[Page]) -> None: ...

    def warn(self, texts: Sequence[str]) -> None:
        """Say what people should know of the version; ids and numbers only, no document text."""
        ...

    def write_cleaned(self, pages: Iterable[CleanedPage]) -> None: ...

    def insert_chunks(self, chunks: Sequence[IdentifiedChunk]) -> None:
        """Insert chunks, their postings and the version's BM25 statistics."""
        ...

    def reuse_embeddings(self, model: str, chunk_ids: Sequence[UUID]) -> int:
        """Copy vectors of equal text to these chunks; return how many rows were copied."""
        ...

    def insert_embeddings(
        self, model: str, vectors: Sequence[tuple[UUID, Sequence[float]]]
    ) -> None: ...

    def insert_embedding_failures(
        self, model: str, failures: Sequence[tuple[UUID, str]]
    ) -> None: ...

    def record_usage(self, *, model: str, input_tokens: int, method: str) -> None:
        """Record a call, and settle it with what the version has reserved of its tenant's day."""
        ...

    def count_pages(self, pages: int) -> None:
        """Count pages that were read; raise BudgetExceeded beyond the tenant's day."""
        ...

    def publish(self, model: str) -> "Outcome | None":
        """Make the version visible; None when it is held, SUPERSEDED when a newer one is.

        Raises ModelChanged when its collection is searched by another model than it was cut for.
        """
        ...

    def end(self, outcome: Outcome, *, error: ErrorReport | None = None) -> None: ...


class ContentDecision(Protocol):
    """`outcome` is None for new content, else DUPLICATE or REJECTED with the original's id."""

    @property
    def outcome(self) -> Outcome | None: ...

    @property
    def duplicate_of(self) -> UUID | None: ...


class IngestionStore(Protocol):
    """Rows of document versions, written one step at a time.

    Every method raises StoreUnavailable or DatabaseWarming when the database cannot be reached.
    """

    def claim(
        self,
        tenant_id: UUID,
        document_id: UUID,
        *,
        stored: StoredObject | None,
        sequencer: str | None,
        holder: str,
        content: bytes | ErrorReport | None = None,
    ) -> ClaimedWork | NothingToDo:
        """Decide whether this object version is new work; take the fence and the lease if so.

        `stored` is None for a control request: the newest received version that is open, parked
        or failed. `content` is the SHA-256 of the bytes, or why they are refused unread; with None
        the decision about them falls in the store step. `holder` names the execution: asked again
        by the same one (its answer was lost), the claim gives the same fence instead of finding
        itself in the way.
        """
        ...

    def adopt(
        self,
        tenant_id: UUID,
        document_id: UUID,
        *,
        record: IngestRecord,
        stored: StoredObject,
        sequencer: str | None,
    ) -> NothingToDo | None:
        """Make the rows that a request without a database could not; None lets the claim go on.

        An object version that has a row changes nothing, and a deleted document stays deleted.
        What cannot be registered becomes a version that has ended with the reason.
        """
        ...

    def perform(
        self,
        run: Run,
        step: Step,
        *,
        plan: Callable[[], Plan],
        write: Callable[[StepWriter, Plan], StepResult],
        batch: int = 0,
    ) -> StepResult:
        """Run one step exactly once.

        A recorded step returns its result without calling anything. Otherwise `plan` runs with no
        transaction open (it may read the database, S3 and providers), then `write` runs inside one
        transaction that holds document and version locks and commits state and ledger with the
        rows. Raises FencedOut, DocumentDeleted, IllegalTransition.
        """
        ...

    def reserve(self, run: Run, model: str, amounts: Amounts) -> None:
        """Hold what a version is about to buy of a model; asked again it holds no more than this.

        Raises BudgetExceeded. What is not spent goes back when the version ends.
        """
        ...

    def is_object_known(self, tenant_id: UUID, document_id: UUID, *, object_version: str) -> bool:
        """Say whether some version stands for an object version."""
        ...

    def fail(self, run: Run, outcome: Outcome, error: ErrorReport) -> bool:
        """Record why a run ended; False when the run no longer holds the fence."""
        ...

    def deletion_of(self, tenant_id: UUID, document_id: UUID) -> UUID | None:
        """Return the receipt of a document that was deleted, whether or not rows of it are left."""
        ...

    def held_run(self, tenant_id: UUID, document_id: UUID, *, holder: str) -> Run | None:
        """Return the open run whose lease `holder` took, or None when it holds none."""
        ...

    def raw_pages(self, run: Run) -> list[Page]: ...

    def cleaned_pages(self, run: Run) -> list[CleanedPage]: ...

    def chunking_of(self, run: Run) -> Mapping[str, Any]:
        """Return the version's chunk profile and overrides, `{"profile": …, …}`."""
        ...

    def title_of(self, run: Run) -> str:
        """Return the document's title as it is now; without one, what its source is called."""
        ...

    def object_sha256(self, run: Run) -> bytes: ...

    def active_model(self, run: Run) -> str: ...

    def embedded_hashes(self, run: Run, model: str, content_hashes: Sequence[bytes]) -> set[bytes]:
        """Return which of these texts already have a vector of this model in the tenant."""
        ...

    def unembedded(self, run: Run, model: str) -> Unembedded:
        """Return the chunks that have neither a vector of a model nor a recorded refusal."""
        ...


class BatchStore(Protocol):
    """Batches and their objects, within one tenant."""

    def add(self, tenant_id: UUID, batch_id: UUID, request: BatchRequest) -> None: ...

    def resume(self, tenant_id: UUID, batch_id: UUID) -> BatchRequest:
        """Free the batch for another execution; raise BatchNotFound, BatchRunning."""
        ...

    def begin(self, batch: BatchReference) -> bool | None:
        """Take the batch; None when it is another's, else whether it has been listed."""
        ...

    def enrol(self, batch: BatchReference, objects: Sequence[BatchObject], *, last: bool) -> None:
        """Add listed objects; bind those that an earlier batch brought in to what they became."""
        ...

    def pending(self, batch: BatchReference, *, after: str, limit: int) -> list[BatchObject]:
        """Return objects that are left to do, those that FAILED or are PARKED among them."""
        ...

    def refuse(
        self, batch: BatchReference, source: str, outcome: Outcome, error: ErrorReport
    ) -> None: ...

    def end(self, batch: BatchReference) -> None:
        """Note that the execution has ended; free the versions that it still holds."""
        ...

    def status(self, tenant_id: UUID, batch_id: UUID, *, after: str, limit: int) -> BatchStatus:
        """Count the outcomes, and list failures behind `after`; raise BatchNotFound."""
        ...
