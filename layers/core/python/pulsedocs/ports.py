"""What the use cases need from the outside world. Adapters implement these; fakes do too."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol, TypeVar
from uuid import UUID

from pulsedocs.model.answers import ChatMessage, Completion, ReplySchema
from pulsedocs.model.batches import BatchObject, BatchReference, BatchRequest, BatchStatus
from pulsedocs.model.budgets import Amounts, Budget, Limits
from pulsedocs.model.changes import Collection, CollectionChoices, Description, Update, UpdateResult
from pulsedocs.model.chunks import IdentifiedChunk
from pulsedocs.model.conversations import Conversation, NewTurn
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.deletions import Counts, ObjectVersion, Purge, PurgeResult, Receipt, Searched
from pulsedocs.model.documents import (
    ClaimedWork,
    DocumentStatus,
    ErrorReport,
    NothingToDo,
    PageFailure,
    Registered,
    Registration,
    Run,
    StoredObject,
)
from pulsedocs.model.embeddings import BatchItem, EmbeddedBatch, Unembedded
from pulsedocs.model.highlights import Highlight, PagePlace
from pulsedocs.model.models import (
    Backfill,
    BackfillReference,
    BegunBackfill,
    Coverage,
    LackingPage,
    LackingVersion,
    Migration,
    ModelReference,
    RegisteredModel,
    SampledChunk,
)
from pulsedocs.model.pages import CleanedPage, Page
from pulsedocs.model.policies import DefinedProfile
from pulsedocs.model.queries import QueryKey
from pulsedocs.model.requests import (
    FetchedPage,
    FoundObject,
    IngestRecord,
    ObjectAddress,
    SeenObject,
)
from pulsedocs.model.retrieval import (
    CandidateQuery,
    Candidates,
    Prepared,
    Profile,
    Scope,
    Usage,
)
from pulsedocs.model.shingles import Matcher, Sample
from pulsedocs.model.spending import UsageQuery, UsageReport
from pulsedocs.model.standings import PageQuery, PageStanding
from pulsedocs.model.sweeps import (
    Listing,
    Recovery,
    Redrivable,
    RedriveFilter,
    Stopped,
    Tidied,
    UnknownObject,
)
from pulsedocs.pipeline import Outcome, Step

Made = TypeVar("Made")
Plan = TypeVar("Plan")
StepResult = dict[str, Any]
"""JSON that a step records in the ledger and hands to the state machine; ids and counts only."""


class ObjectStore(Protocol):
    """The stage's bucket. Raises ObjectNotFound, ObjectStoreUnavailable."""

    def describe(self, key: str, *, object_version: str | None = None) -> StoredObject: ...

    def read(self, key: str, *, object_version: str | None = None) -> bytes: ...

    def sha256(self, key: str, *, object_version: str | None = None) -> bytes:
        """Read the object through, a block at a time, and return the digest of its bytes."""
        ...

    def exists(self, key: str) -> bool: ...

    def write(self, key: str, body: bytes, *, content_type: str = "application/json") -> None: ...

    def remove(self, key: str) -> None: ...

    def list_objects(
        self, prefix: str, *, after: str = "", limit: int = 1000
    ) -> "Sequence[StoredKey]":
        """Return the objects below `prefix` whose keys follow `after`, in the order of keys."""
        ...

    def list_uploads(
        self, prefix: str, *, after: str = "", limit: int = 1000
    ) -> "Sequence[StoredKey]":
        """Return the same with the version of each, which costs a longer listing."""
        ...

    def presign_upload(
        self, key: str, *, content_type: str, max_bytes: int, fields: Mapping[str, str]
    ) -> "PresignedUpload": ...

    def presign_download(
        self, key: str, *, object_version: str, filename: str, content_type: str
    ) -> str: ...


class TraceStore(Protocol):
    """Where one request's traces lie. Raises ObjectNotFound, ObjectStoreUnavailable, TimedOut."""

    def exists(self, key: str) -> bool: ...

    def read(self, key: str) -> bytes: ...

    def write(self, key: str, body: bytes) -> None: ...


class ObjectArchive(ObjectStore, Protocol):
    """The bucket with its past: versions that newer ones hide, and delete markers."""

    def versions(self, prefix: str) -> Iterator[ObjectVersion]:
        """Yield every version and delete marker of every key that starts with `prefix`."""
        ...

    def erase(self, versions: Sequence[ObjectVersion]) -> None:
        """Remove these versions for good; one that is gone already is no error."""
        ...


class StoredKey(Protocol):
    """An object as a listing shows it; the version is empty where it was not asked for."""

    @property
    def key(self) -> str: ...

    @property
    def object_version(self) -> str: ...

    @property
    def last_modified(self) -> datetime: ...


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
    ) -> None:
        """Copy without reading; raise Conflict when the bytes changed since they were found."""
        ...

    def put(
        self, key: str, body: bytes, *, content_type: str, metadata: Mapping[str, str]
    ) -> None: ...

    def exists(self, key: str) -> bool: ...

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


class RequestLog(Protocol):
    """Remembers requests by their Idempotency-Key for a day."""

    def remember(
        self, tenant_id: UUID, key: str, *, request_hash: bytes
    ) -> Mapping[str, Any] | None:
        """Start an idempotent request; return the recorded response of a finished one.

        Raises IdempotencyKeyReused (another body) and RequestInProgress.
        """
        ...

    def record_response(
        self, tenant_id: UUID, key: str, *, status: int, body: Mapping[str, Any]
    ) -> None: ...

    def forget(self, tenant_id: UUID, key: str) -> None:
        """Release a key whose request failed, so that the same request can be tried again."""
        ...


class PresignedUpload(Protocol):
    """A POST form: the client sends `fields`, then `file`, to `url` before `expires_at`."""

    @property
    def url(self) -> str: ...

    @property
    def fields(self) -> Mapping[str, str]: ...

    @property
    def expires_at(self) -> datetime: ...


class OpenedFile(Protocol):
    """A stranger's file that is being read; its pages come once, in order."""

    @property
    def page_count(self) -> int:
        """How many pages the file has, whichever of them are asked for."""
        ...

    @property
    def pages(self) -> Iterator[Page]: ...


class PageExtractor(Protocol):
    """Reads a stranger's file within budgets. Raises DocumentRejected and what is below it."""

    def open(
        self, body: bytes, *, content_type: str, first: int = 1, last: int | None = None
    ) -> AbstractContextManager[OpenedFile]:
        """Open a file to read its pages `first` to `last`, or to the end.

        A page is the same in whichever range it is read. Leaving the context ends the reading.
        """
        ...


class TokenCounter(Protocol):
    def __call__(self, text: str) -> int: ...


class Embedder(Protocol):
    """Turns texts into vectors. Raises the Provider* errors."""

    @property
    def model(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch: ...

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]: ...


class Reranker(Protocol):
    """Scores passages against a query on the model's own scale; `relevance` maps it to 0-1."""

    @property
    def model(self) -> str: ...

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]: ...


class ChatModel(Protocol):
    @property
    def model(self) -> str: ...

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        temperature: float,
        max_tokens: int,
        deadline: Deadline,
        reply_schema: ReplySchema | None = None,
    ) -> Completion: ...

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        temperature: float,
        max_tokens: int,
        deadline: Deadline,
    ) -> Generator[str, None, Completion]:
        """Yield the reply piece by piece as it is written; return all of it, with its cost.

        An empty piece may come at any time: whoever reads can then stop, while nothing is said.
        Closing the generator ends the call, and the provider sees its connection closed.
        """
        ...


class QueryCache(Protocol):
    """What was made of a question lately, in this process; bounded in number and in age."""

    def remember(self, key: QueryKey, make: Callable[[], Made]) -> Made:
        """Return what was made for the same key before, or make it; errors are not kept."""
        ...


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


class DocumentCatalogue(RequestLog, Protocol):
    """What the documents API reads and writes, always within one tenant."""

    def register(
        self,
        tenant_id: UUID,
        registration: Registration,
        *,
        default_model: str,
        default_profile: str = "classic",
    ) -> Registered:
        """Register; the defaults are those of a collection that this makes."""
        ...

    def status(self, tenant_id: UUID, document_id: UUID) -> DocumentStatus: ...

    def list_documents(
        self,
        tenant_id: UUID,
        *,
        collection: str | None,
        state: str | None,
        filters: Mapping[str, Any] | None,
        after: tuple[datetime, UUID] | None,
        limit: int,
    ) -> list[DocumentStatus]: ...

    def page(self, tenant_id: UUID, document_id: UUID, number: int) -> Mapping[str, Any]: ...

    def chunks(
        self, tenant_id: UUID, document_id: UUID, *, after: int, limit: int
    ) -> list[Mapping[str, Any]]: ...

    def object_of(self, tenant_id: UUID, document_id: UUID) -> StoredObject: ...

    def page_failures(self, tenant_id: UUID, document_id: UUID) -> list[PageFailure]: ...


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


class DocumentOperations(Protocol):
    """What people do about documents that run, stopped or wait; audited under `actor`."""

    def cancel(self, tenant_id: UUID, document_id: UUID, *, actor: str) -> Stopped:
        """End every version under way; raise DocumentNotFound, NothingToCancel."""
        ...

    def retry(self, tenant_id: UUID, document_id: UUID, *, actor: str) -> Stopped:
        """Allow the version that failed or is parked to go on; raise NothingToRetry."""
        ...

    def redrivable(self, tenant_id: UUID, wanted: RedriveFilter) -> list[Redrivable]: ...

    def redrive(self, tenant_id: UUID, wanted: RedriveFilter, *, actor: str) -> list[Redrivable]:
        """Allow all that `redrivable` lists to go on; return them."""
        ...


class SweepStore(Protocol):
    """What a sweep reads and decides: ids across tenants, rows of one tenant at a time."""

    def listed(
        self, listing: Listing, *, after: tuple[UUID, UUID], limit: int
    ) -> list[tuple[UUID, UUID]]:
        """Return (tenant, subject) pairs in order, beginning behind `after`."""
        ...

    def recover(
        self, tenant_id: UUID, document_id: UUID, *, newest_object: str | None
    ) -> Recovery: ...

    def resume(self, tenant_id: UUID, document_id: UUID, *, probed: set[str]) -> bool:
        """Let a parked document go on unless its reason is among those probed already."""
        ...

    def unknown_objects(
        self, tenant_id: UUID, objects: Sequence[tuple[UUID, str]]
    ) -> list[UnknownObject]: ...

    def tidy(self, tenant_id: UUID) -> Tidied: ...


class Schema(Protocol):
    """The structure of the database, changed by the role that owns it."""

    def vector_version(self) -> str:
        """Return pgvector's version; raise PgvectorTooOld below 0.8."""
        ...

    def apply_pending(self) -> tuple[str, ...]:
        """Run the migrations that have not run yet and return their names."""
        ...

    def let_roles_sign_in(self) -> tuple[str, ...]:
        """Let the application's roles sign in by token, where there are tokens; return them."""
        ...


class ModelStore(Protocol):
    """Embedding models of a tenant. Raises ModelNotFound and CollectionNotFoundError."""

    def models(self, tenant_id: UUID) -> list[RegisteredModel]: ...

    def model(self, tenant_id: UUID, model: str) -> RegisteredModel: ...

    def register(
        self, tenant_id: UUID, model: str, *, actor: str
    ) -> tuple[RegisteredModel, UUID | None]:
        """Register a model; the id is that of the probe it waits for, None for a usable one."""
        ...

    def coverage(self, tenant_id: UUID, model: str, *, collection: str | None = None) -> Coverage:
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
    ) -> tuple[Migration, UUID]:
        """Try a model beside the active one; return the backfill that fills it in.

        Raises ModelNotFound, ModelNotReady, MigrationUnderWay.
        """
        ...

    def migration(self, tenant_id: UUID, collection: str) -> Migration: ...

    def promote(self, tenant_id: UUID, collection: str, *, actor: str) -> Migration:
        """Search by the model that was tried; raise CoverageIncomplete, ModelNotReady."""
        ...

    def roll_back(self, tenant_id: UUID, collection: str, *, actor: str) -> Migration:
        """Search by the former model; raise NothingToRollBack, CoverageIncomplete."""
        ...

    def sample(self, tenant_id: UUID, migration: Migration, *, limit: int) -> list[SampledChunk]:
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


class DatabaseProbe(Protocol):
    def ping(self, tenant_id: UUID) -> None:
        """Ask the database for nothing; raises what its stores raise. It wakes a paused one."""
        ...


class VectorIndexes(Protocol):
    def build_due(self) -> list[str]:
        """Index each model whose vectors have outgrown scanning; return their names."""
        ...


class RetrievalStore(Protocol):
    """The database side of a question: a few calls, each one transaction."""

    def prepare(
        self, scope: Scope, *, model: str | None, method: str, conversation_id: UUID | None = None
    ) -> Prepared: ...

    def reserve(self, tenant_id: UUID, reservation_id: UUID, amounts: Amounts) -> None:
        """Hold what the question may cost at most, until it is settled; raise BudgetExceeded."""
        ...

    def search(self, query: CandidateQuery) -> Candidates: ...

    def settle(
        self,
        tenant_id: UUID,
        reservation_id: UUID | None,
        usage: Usage,
        *,
        turn: NewTurn | None = None,
    ) -> None: ...

    def page_texts(
        self, tenant_id: UUID, pages: Sequence[tuple[UUID, int, int]]
    ) -> Mapping[tuple[UUID, int, int], tuple[str, str | None]]:
        """Return cleaned text and printed label by (document, version, page)."""
        ...

    def standing(self, asked: PageQuery) -> PageStanding | None:
        """Return what is stored of a page, None where its document is not there."""
        ...

    def defined_profile(self, tenant_id: UUID, collection: str, name: str) -> Profile | None:
        """Return the newest revision of a policy that a collection has defined."""
        ...


class PageLocator(Protocol):
    def place(
        self, tenant_id: UUID, document_id: UUID, page: int, *, start: int, end: int
    ) -> PagePlace:
        """Return where in the stored file the words of a page's text lie.

        Raises DocumentNotFound, PageNotFound, InvalidRequest and NoBoxes.
        """
        ...


class BoxFinder(Protocol):
    def find(self, place: PagePlace) -> Highlight:
        """Return the rectangles of the words. Raises NoBoxes and ObjectNotFound."""
        ...


class BoxReader(Protocol):
    """Measures a stranger's file within budgets. Raises NoBoxes."""

    def boxes(
        self,
        body: bytes,
        *,
        content_type: str,
        page: int,
        ranges: Sequence[tuple[int, int]],
        text_sha256: str,
    ) -> Highlight: ...


class RetrievalDatabase(RetrievalStore, PageLocator, DatabaseProbe, Protocol):
    """The store where it lies: what `query` asks through it when an answer was too large."""

    def candidate_texts(
        self, tenant_id: UUID, chunks: Sequence[tuple[UUID, int, UUID]]
    ) -> Mapping[UUID, str]:
        """Return the texts of chunks named by (document, version, chunk)."""
        ...


class ConversationStore(Protocol):
    """Kept conversations of a tenant. Raises ConversationNotFound, also for one that expired."""

    def conversation(self, tenant_id: UUID, conversation_id: UUID) -> Conversation:
        """Return it with its turns, without those written from documents that are deleted."""
        ...

    def delete_conversation(self, tenant_id: UUID, conversation_id: UUID) -> None: ...


class DocumentChanges(Protocol):
    """Changes to documents that exist, each one transaction that leaves all or nothing."""

    def describe(self, tenant_id: UUID, document_id: UUID, description: Description) -> None: ...

    def update(self, tenant_id: UUID, update: Update, *, actor: str) -> UpdateResult:
        """Raise CollectionNotFoundError, NoDocumentsFoundError, DocumentNotReady."""
        ...

    def delete(self, tenant_id: UUID, document_id: UUID, *, actor: str) -> UUID:
        """Make a document unsearchable and its runs powerless; return the receipt's id."""
        ...

    def receipt(self, tenant_id: UUID, receipt_id: UUID) -> Receipt: ...

    def ask(self, tenant_id: UUID, receipt_id: UUID, sample: Sample) -> None:
        """Leave hashes of a client's own copy, for the purge to look for."""
        ...


class CollectionStore(Protocol):
    """Collections by name, always within one tenant."""

    def list_collections(self, tenant_id: UUID) -> list[Collection]: ...

    def collection(self, tenant_id: UUID, name: str) -> Collection: ...

    def create(self, tenant_id: UUID, name: str, choices: CollectionChoices) -> Collection:
        """Raise CollectionExists, and InvalidRequest for a language that PostgreSQL lacks."""
        ...

    def change(self, tenant_id: UUID, name: str, changed: Mapping[str, str]) -> Collection:
        """Raise CollectionNotEmpty when documents were indexed by what would change."""
        ...

    def delete(
        self, tenant_id: UUID, name: str, *, is_cascading: bool, actor: str
    ) -> tuple[UUID, ...]:
        """Give the name away; return the receipts of the documents deleted with it."""
        ...


class ProfileStore(Protocol):
    """Retrieval policies of collections; revisions are added and never change."""

    def profiles(
        self, tenant_id: UUID, collection: str, name: str | None = None
    ) -> list[DefinedProfile]:
        """Return all revisions, newest first by name; raise CollectionNotFoundError."""
        ...

    def define(
        self, tenant_id: UUID, collection: str, profile: Profile, *, actor: str
    ) -> DefinedProfile:
        """Add a revision unless the newest is equal; raise CollectionNotFoundError, Conflict."""
        ...


class UsageLedger(Protocol):
    """What calls took and what is kept, always within one tenant."""

    def report(self, tenant_id: UUID, asked: UsageQuery) -> UsageReport: ...


class BudgetStore(Protocol):
    """What a tenant may take in a day, and what it has taken."""

    def budget(self, tenant_id: UUID) -> Budget: ...

    def choose(self, tenant_id: UUID, limits: Limits | None, *, actor: str) -> Budget:
        """Give a tenant limits of its own, or with None those of the stage."""
        ...


class PurgeStore(Protocol):
    """What a purge does in the database: many short transactions, each of which may be the last."""

    def begin(self, tenant_id: UUID, receipt_id: UUID, *, most: int) -> list[Purge]:
        """Take the named receipt, and others of the tenant that no purge works on."""
        ...

    def texts(self, purge: Purge) -> Iterator[str]:
        """Yield what is still stored of a document's text, page by page."""
        ...

    def keep_sample(self, purge: Purge, sample: Sample) -> None: ...

    def named_source(self, purge: Purge) -> tuple[str, str] | None:
        """Return collection and source of the deleted document while its row is there."""
        ...

    def remove_rows(self, purge: Purge) -> None:
        """Delete everything of the document, a bounded number of rows at a time."""
        ...

    def count_rows(self, purge: Purge) -> Counts:
        """Count what is left by table, in every table that names documents."""
        ...

    def search(self, tenant_id: UUID, matcher: Matcher) -> Searched:
        """Read every text of every table of the tenant."""
        ...

    def existing(self, tenant_id: UUID, document_ids: Iterable[UUID]) -> set[UUID]:
        """Return which of these are documents that were not deleted."""
        ...

    def finish(self, purge: Purge, result: PurgeResult) -> None: ...

    def pending(self, tenant_id: UUID) -> list[UUID]:
        """Return the receipts that wait for a purge, oldest first."""
        ...


__all__ = [
    "BatchItem",
    "ChatModel",
    "CollectionStore",
    "ContentDecision",
    "DocumentCatalogue",
    "DocumentChanges",
    "DocumentOperations",
    "Embedder",
    "IngestionStore",
    "Intake",
    "ObjectArchive",
    "ObjectStore",
    "OpenedFile",
    "PageExtractor",
    "PresignedUpload",
    "ProfileStore",
    "PurgeStore",
    "RequestLog",
    "Reranker",
    "RetrievalDatabase",
    "RetrievalStore",
    "StepResult",
    "StepWriter",
    "StoredKey",
    "SweepStore",
    "TokenCounter",
    "UsageLedger",
    "VectorIndexes",
    "WebFetcher",
]
