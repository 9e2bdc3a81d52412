"""What ingestion needs of the world: rows written step by step, files read, objects placed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar
from uuid import UUID

from pulsedocs.deletion.ports import KnownDeletions
from pulsedocs.model.budgets import Amounts
from pulsedocs.model.chunks import IdentifiedChunk
from pulsedocs.model.documents import (
    ClaimedWork,
    ContentDecision,
    ErrorReport,
    NothingToDo,
    Run,
    RunChoices,
    StoredObject,
)
from pulsedocs.model.embeddings import Unembedded
from pulsedocs.model.pages import CleanedPage, Page
from pulsedocs.model.requests import (
    FetchedPage,
    FoundObject,
    IngestRecord,
    ObjectAddress,
    SeenObject,
)
from pulsedocs.model.steps import StepResult
from pulsedocs.pipeline import Outcome

Plan = TypeVar("Plan")
Result = TypeVar("Result", bound=StepResult)


class OpenedFile(Protocol):
    """An untrusted file that is being read; its pages come once, in order."""

    @property
    def page_count(self) -> int:
        """How many pages the file has, whichever of them are asked for."""
        ...

    @property
    def pages(self) -> Iterator[Page]: ...


class PageExtractor(Protocol):
    """Reads an untrusted file within budgets. Raises DocumentRejected and what is below it."""

    def open(
        self, body: bytes, *, content_type: str, first: int = 1, last: int | None = None
    ) -> AbstractContextManager[OpenedFile]:
        """Open a file to read its pages `first` to `last`, or to the end.

        A page is the same in whichever range it is read. Leaving the context ends the reading.
        """
        ...


class StepWriter(Protocol):
    """Writes of one step, inside its transaction, for its run. Rows are sorted by key first."""

    def accept_content(self, *, sha256: bytes, size: int, pages: int) -> ContentDecision:
        """Record that the bytes were read; decide on them unless the claim has done so."""
        ...

    def insert_pages(self, pages: Iterable[Page]) -> None: ...

    def warn(self, texts: Sequence[str]) -> None:
        """Say what people should know of the version; ids and numbers only, no document text."""
        ...

    def name_file(self, title: str | None) -> None:
        """Note what the file calls itself."""
        ...

    def write_cleaned(self, pages: Iterable[CleanedPage]) -> None: ...

    def insert_chunks(
        self, chunks: Sequence[IdentifiedChunk], *, embedded_title: str | None = None
    ) -> None:
        """Insert chunks, their postings and the version's BM25 statistics.

        `embedded_title` is the title that they are embedded with, empty where the source lends its
        name; another title makes their vectors stale.
        """
        ...

    def reuse_embeddings(self, model: str, chunk_ids: Sequence[UUID]) -> int:
        """Copy vectors of equal text or bytes to these chunks; return how many were copied."""
        ...

    def insert_embeddings(
        self, model: str, vectors: Sequence[tuple[UUID, Sequence[float]]]
    ) -> None: ...

    def insert_embedding_failures(
        self, model: str, failures: Sequence[tuple[UUID, str]]
    ) -> None: ...

    def record_usage(self, *, model: str, input_tokens: int, method: str, batch: str = "") -> None:
        """Record a call, and settle it with what the version has reserved of its tenant's day."""
        ...

    def count_pages(self, pages: int) -> None:
        """Count pages that were read; raise BudgetExceeded beyond the tenant's day."""
        ...

    def publish(self, model: str) -> Outcome | None:
        """Make the version visible; None when it is held, SUPERSEDED when a newer one is.

        Raises ModelChanged when its collection is searched by another model than it was cut for.
        """
        ...

    def end(self, outcome: Outcome, *, error: ErrorReport | None = None) -> None: ...


class IngestionStore(KnownDeletions, Protocol):
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
        kind: type[Result],
        *,
        plan: Callable[[], Plan],
        write: Callable[[StepWriter, Plan], Result],
        batch: int = 0,
    ) -> Result:
        """Run the step that `kind` is the result of, exactly once.

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

    def fail(
        self, run: Run, outcome: Outcome, error: ErrorReport, *, is_passing: bool = False
    ) -> bool:
        """Record why a run ended; False when the run no longer holds the fence.

        What is passing is asked for again by the sweep, a bounded number of times.
        """
        ...

    def book(self, run: Run, *, model: str, input_tokens: int, batch: str) -> None:
        """Record what a batch cost whose run has ended meanwhile; once, whoever says it."""
        ...

    def release(self, run: Run) -> None:
        """Give back what a version holds that has ended, or is gone."""
        ...

    def leased_run(self, tenant_id: UUID, document_id: UUID, *, holder: str) -> Run | None:
        """Return the open run whose lease `holder` took, or None when it has none."""
        ...

    def raw_pages(self, run: Run) -> list[Page]: ...

    def cleaned_pages(self, run: Run) -> list[CleanedPage]: ...

    def choices_of(self, run: Run) -> RunChoices:
        """Return what the version was registered with; raise DocumentNotFound where it is gone."""
        ...

    def embedded_hashes(self, run: Run, model: str, content_hashes: Sequence[bytes]) -> set[bytes]:
        """Return which of these texts already have a vector of this model in the tenant."""
        ...

    def copied_hashes(self, run: Run, model: str) -> set[bytes]:
        """Return the hashes of chunks that have a vector in another document of the same bytes."""
        ...

    def unembedded(self, run: Run, model: str) -> Unembedded:
        """Return the chunks that have neither a vector of a model nor a recorded refusal."""
        ...


class Intake(Protocol):
    """Objects on their way into the stage's bucket. Raises ObjectStoreUnavailable."""

    def find(self, address: ObjectAddress) -> FoundObject:
        """Describe an object of any bucket; raise ObjectNotFound, also where access is denied."""
        ...

    def list_objects(
        self, place: ObjectAddress, *, after: str, limit: int
    ) -> Sequence[FoundObject]:
        """List by key what lies below a prefix of any bucket and follows `after`.

        A listing says no content type. Raises ObjectNotFound, also where access is denied.
        """
        ...

    def copy(
        self, found: FoundObject, key: str, *, content_type: str, metadata: Mapping[str, str]
    ) -> str:
        """Copy without reading, and return which version of its key the copy is.

        Raises Conflict when the bytes changed since they were found.
        """
        ...

    def put(
        self, key: str, body: bytes, *, content_type: str, metadata: Mapping[str, str]
    ) -> None: ...

    def has_any(self, prefix: str) -> bool:
        """Say whether any object's key begins with `prefix`."""
        ...

    def peek(self, key: str) -> SeenObject | None: ...

    def swap(self, key: str, body: bytes, *, expected: SeenObject | None) -> bool:
        """Write JSON unless the object is another by now; None expects that there is none."""
        ...

    def remove(self, key: str) -> None: ...


class WebFetcher(Protocol):
    """Reads public pages only.

    Raises UrlRefused, SourceNotFound, SourceUnavailable, FileTooLarge, UnsupportedContentType.
    """

    def fetch(self, url: str, *, content_types: Sequence[str]) -> FetchedPage: ...
