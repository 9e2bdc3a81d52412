"""Everything that can go wrong, whose fault it is, and whether trying again can help.

PulseDocsError
├── RetryableError                 Step Functions backs off and tries again
│   ├── StoreUnavailable           database: connection lost, restarting, deadlock, full
│   ├── StatementTimedOut          one statement ran into the database's time limit
│   ├── DatabaseWarming            database resumes from a pause (about 15 s), or a function
│   │                              that nobody called for weeks comes back (about a minute)
│   ├── ObjectStoreUnavailable
│   ├── SecretsUnavailable         AWS Systems Manager, which keeps the keys
│   ├── ProviderThrottled          429; carries the provider's own delay
│   ├── ProviderUnavailable        5xx, refused connection, timeout
│   ├── ProviderMalformed          an answer cut off, or with too few, too short, empty vectors
│   └── DuplicateInProgress        the same bytes are being ingested under another document
├── ParkedError                    the run waits for a person, then resumes where it was
│   ├── ProviderQuotaExhausted
│   ├── ProviderKeyRefused
│   ├── ModelNotEnabled            Bedrock: nobody has opened the model to the account
│   └── BudgetExceeded
├── RunEnded                       nothing is wrong: another run, or a delete, came first
│   ├── FencedOut
│   ├── Cancelled
│   └── DocumentDeleted
└── PermanentError
    ├── DocumentRejected           the file is at fault; the person who uploaded it can act
    │   ├── PDFEncryptedError
    │   ├── PDFCorruptedError
    │   ├── PDFEmptyError
    │   ├── FileUnreadable
    │   ├── NotAPDF
    │   ├── FileEmpty
    │   ├── FileTooLarge
    │   ├── TooManyPages
    │   ├── TooMuchText
    │   ├── TextNotUTF8
    │   ├── UnsupportedContentType
    │   ├── ContentTypeMismatch
    │   ├── ChecksumMismatch
    │   ├── SizeMismatch
    │   ├── DuplicateRejected
    │   ├── ResourceExhausted
    │   ├── TooManyPagesFailed
    │   └── UploadExpired
    ├── RequestRejected            the caller is at fault
    │   ├── InvalidRequest
    │   ├── UrlRefused             the address could lead into a private network
    │   ├── SourceUnavailable      the site that holds a page does not give it
    │   ├── IdempotencyKeyReused
    │   ├── Unauthenticated
    │   ├── Forbidden
    │   ├── NotFound
    │   │   ├── DocumentNotFound
    │   │   ├── PageNotFound
    │   │   ├── CollectionNotFoundError
    │   │   ├── NoDocumentsFoundError
    │   │   ├── TraceNotFound
    │   │   ├── EvaluationNotFound
    │   │   ├── ConversationNotFound
    │   │   ├── ModelNotFound
    │   │   ├── MigrationNotFound
    │   │   ├── DeletionNotFound
    │   │   ├── BatchNotFound
    │   │   ├── ProfileNotFound
    │   │   ├── SourceNotFound
    │   │   └── ObjectNotFound
    │   └── Conflict
    │       ├── DuplicateDocument
    │       ├── DocumentNotReady
    │       ├── CollectionExists
    │       ├── CollectionNotEmpty
    │       ├── NothingToCancel
    │       ├── NothingToRetry
    │       ├── NoBoxes            a page whose words have no places on paper
    │       ├── BatchRunning
    │       ├── ModelNotReady
    │       ├── ModelInUse
    │       ├── MigrationUnderWay
    │       ├── CoverageIncomplete
    │       ├── NothingToRollBack
    │       └── RequestInProgress
    └── ProcessingFailed           we, or something we depend on, are at fault
        ├── ConfigurationError
        │   ├── SecretMissing          a parameter that nobody has written
        │   └── PgvectorTooOld         found when the schema is migrated
        ├── IllegalTransition
        ├── ChunkingError
        ├── EmbeddingError
        ├── ModelChanged           the collection was promoted to another model on the way
        ├── QueryGenerationError
        ├── RerankingError
        ├── GenerationError
        ├── VectorDBError
        ├── ProviderRefused
        ├── ArtifactInvalid
        ├── DeletionIncomplete
        ├── StageNotReady          something that answering needs does not answer
        ├── Stuck
        └── TimedOut
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

if TYPE_CHECKING:
    from collections.abc import Iterator


class PulseDocsError(Exception):
    """Base of all; `message` says what happened, `guidance` what to do next.

    `context` holds identifiers and numbers only, never document text: it reaches logs,
    problem documents and the database.
    """

    code: ClassVar[str] = "INTERNAL"
    guidance: ClassVar[str] = "Try again; if it persists, report the request id."

    def __init__(self, message: str, **context: str | float | None) -> None:
        super().__init__(message)
        self.message = message
        self.context = context


class RetryableError(PulseDocsError):
    """Trying the same thing again later can succeed."""


class StoreUnavailable(RetryableError):
    code = "STORE_UNAVAILABLE"
    guidance = "The database is restarting or busy; try again in a few seconds."


class StatementTimedOut(RetryableError):
    code = "STATEMENT_TIMED_OUT"
    guidance = "The database is busy; try again in a minute, or ask for less at once."


class DatabaseWarming(RetryableError):
    code = "WARMING"
    guidance = "The stage is resuming from a pause; try again after `Retry-After` seconds."


class ObjectStoreUnavailable(RetryableError):
    code = "OBJECT_STORE_UNAVAILABLE"
    guidance = "Object storage did not answer; try again in a few seconds."


class SecretsUnavailable(RetryableError):
    code = "SECRETS_UNAVAILABLE"
    guidance = "AWS Systems Manager did not answer; try again in a few seconds."


class ProviderThrottled(RetryableError):
    code = "PROVIDER_THROTTLED"
    guidance = "The model provider limits the rate; try again later or raise the quota."

    def __init__(self, message: str, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(message, retry_after_seconds=retry_after_seconds)
        self.retry_after_seconds = retry_after_seconds


class ProviderUnavailable(RetryableError):
    code = "PROVIDER_UNAVAILABLE"
    guidance = "The model provider did not answer; try again later."


class ProviderMalformed(RetryableError):
    code = "PROVIDER_MALFORMED"
    guidance = "The provider's answer was unusable; try again or choose another model."


class DuplicateInProgress(RetryableError):
    code = "DUPLICATE_IN_PROGRESS"
    guidance = "The same bytes are being ingested in another run; wait for it to end."


class ParkedError(PulseDocsError):
    """Waits for a person; the run resumes where it stopped."""


class ProviderQuotaExhausted(ParkedError):
    code = "PROVIDER_QUOTA_EXHAUSTED"
    guidance = "Raise the quota or the balance at the provider, then retry the document."


class ProviderKeyRefused(ParkedError):
    code = "PROVIDER_KEY_REFUSED"
    guidance = "Replace the provider's key, then retry the document."


class ModelNotEnabled(ParkedError):
    code = "MODEL_NOT_ENABLED"
    guidance = "Enable access to the model in the Bedrock console, in that region, then retry."


class BudgetExceeded(ParkedError):
    code = "BUDGET_EXCEEDED"
    guidance = "Raise the tenant's budget or wait for the next day, then retry."


class RunEnded(PulseDocsError):
    """Another run or a delete came first; this run stops without an outcome of its own."""


class FencedOut(RunEnded):
    code = "FENCED_OUT"
    guidance = "Nothing to do: a newer run holds this document."


class Cancelled(RunEnded):
    code = "CANCELLED"
    guidance = "Nothing to do: the document was cancelled; upload it again to ingest it."


class DocumentDeleted(RunEnded):
    code = "DOCUMENT_DELETED"
    guidance = "Nothing to do: the document was deleted."


class PermanentError(PulseDocsError):
    """Trying the same thing again cannot help."""


class DocumentRejected(PermanentError):
    code = "DOCUMENT_REJECTED"
    guidance = "Correct the file and upload it again."


class PDFEncryptedError(DocumentRejected):
    code = "PDF_ENCRYPTED"
    guidance = "Remove the password (for example by printing to PDF) and upload it again."


class PDFCorruptedError(DocumentRejected):
    code = "PDF_CORRUPTED"
    guidance = "Open the file in a PDF viewer, save it anew and upload that copy."


class PDFEmptyError(DocumentRejected):
    code = "PDF_EMPTY"
    guidance = "The file has no readable text; if it was scanned, run OCR and upload the result."


class FileUnreadable(DocumentRejected):
    code = "FILE_UNREADABLE"
    guidance = "The parser of its format gives up; correct the file, or upload it as plain text."


class NotAPDF(DocumentRejected):
    code = "NOT_A_PDF"
    guidance = "The bytes are not a PDF; upload the file under its real content type."


class FileEmpty(DocumentRejected):
    code = "FILE_EMPTY"
    guidance = "The file has no bytes; check the source and upload it again."


class FileTooLarge(DocumentRejected):
    code = "FILE_TOO_LARGE"
    guidance = "Split the file, or ask the operator to raise MAX_UPLOAD_MB."


class TooManyPages(DocumentRejected):
    code = "TOO_MANY_PAGES"
    guidance = "Split the file into parts below the page limit."


class TooMuchText(DocumentRejected):
    code = "TOO_MUCH_TEXT"
    guidance = "Split the file into parts below the character limit."


class TextNotUTF8(DocumentRejected):
    code = "TEXT_NOT_UTF8"
    guidance = "Save the file as UTF-8 without NUL characters and upload it again."


class UnsupportedContentType(DocumentRejected):
    code = "UNSUPPORTED_CONTENT_TYPE"
    guidance = "Upload a PDF, text, Markdown, HTML or reStructuredText file under its extension."


class ContentTypeMismatch(DocumentRejected):
    code = "CONTENT_TYPE_MISMATCH"
    guidance = "The bytes are of another type than announced; upload the file that was meant."


class ChecksumMismatch(DocumentRejected):
    code = "CHECKSUM_MISMATCH"
    guidance = "The bytes that arrived are not the ones announced; upload the file again."


class SizeMismatch(DocumentRejected):
    code = "SIZE_MISMATCH"
    guidance = "More or fewer bytes arrived than were announced; register and upload them again."


class DuplicateRejected(DocumentRejected):
    code = "DUPLICATE_REJECTED"
    guidance = "The same bytes exist already; use `on_duplicate` skip to have a copy of its own."


class ResourceExhausted(DocumentRejected):
    code = "RESOURCE_EXHAUSTED"
    guidance = "Reading the file takes more time or memory than allowed; simplify or split it."


class TooManyPagesFailed(DocumentRejected):
    code = "TOO_MANY_PAGES_FAILED"
    guidance = "No page could be read; save the file anew and upload that copy."


class UploadExpired(DocumentRejected):
    code = "UPLOAD_EXPIRED"
    guidance = "The bytes did not arrive within an hour; register the document and upload it again."


class RequestRejected(PermanentError):
    code = "REQUEST_REJECTED"
    guidance = "Correct the request."


class InvalidRequest(RequestRejected):
    code = "INVALID_REQUEST"
    guidance = "Correct the named field; the contract is at /docs."


class UrlRefused(RequestRejected):
    code = "URL_REFUSED"
    guidance = "Use a public https address, or upload the file itself."


class SourceUnavailable(RequestRejected):
    code = "SOURCE_UNAVAILABLE"
    guidance = "Open the address in a browser; try again later, or upload the file itself."


class IdempotencyKeyReused(RequestRejected):
    code = "IDEMPOTENCY_KEY_REUSED"
    guidance = "Use a new Idempotency-Key for a request with another body."


class Unauthenticated(RequestRejected):
    code = "UNAUTHENTICATED"
    guidance = "Send a valid access token as `Authorization: Bearer <token>`."


class Forbidden(RequestRejected):
    code = "FORBIDDEN"
    guidance = "The token lacks the scope for this operation."


class NotFound(RequestRejected):
    code = "NOT_FOUND"
    guidance = "Check the identifier."


class DocumentNotFound(NotFound):
    code = "DOCUMENT_NOT_FOUND"
    guidance = "Check the id; a deleted document is gone."


class PageNotFound(NotFound):
    code = "PAGE_NOT_FOUND"
    guidance = "Page numbers start at 1 and end at the document's page total."


class CollectionNotFoundError(NotFound):
    code = "COLLECTION_NOT_FOUND"
    guidance = "Create the collection, or ingest a document into it."


class NoDocumentsFoundError(NotFound):
    code = "NO_DOCUMENTS_FOUND"
    guidance = "No document matches the ids or filters; widen them."


class TraceNotFound(NotFound):
    code = "TRACE_NOT_FOUND"
    guidance = "Traces are kept for 30 days."


class EvaluationNotFound(NotFound):
    code = "EVALUATION_NOT_FOUND"
    guidance = "Evaluations are kept for 90 days; `POST /evaluations` starts one."


class ConversationNotFound(NotFound):
    code = "CONVERSATION_NOT_FOUND"
    guidance = "A conversation begins with the first answer to its id, and ends when unused."


class ModelNotFound(NotFound):
    code = "MODEL_NOT_FOUND"
    guidance = "Register the model first; `GET /models` lists those known."


class MigrationNotFound(NotFound):
    code = "MIGRATION_NOT_FOUND"
    guidance = "Start one with `POST /collections/{name}/migration`, naming the model to try."


class BatchNotFound(NotFound):
    code = "BATCH_NOT_FOUND"
    guidance = "Check the id: `POST /ingest/batch` answers with it, and each tenant has its own."


class DeletionNotFound(NotFound):
    code = "DELETION_NOT_FOUND"
    guidance = "Check the receipt id: the answer to a DELETE names it."


class ProfileNotFound(NotFound):
    code = "PROFILE_NOT_FOUND"
    guidance = "Use one of the named retrieval or chunk profiles."


class SourceNotFound(NotFound):
    code = "SOURCE_NOT_FOUND"
    guidance = "The site has no such page; check the address."


class ObjectNotFound(NotFound):
    code = "OBJECT_NOT_FOUND"
    guidance = "The object does not exist or was overwritten; upload the file again."


class Conflict(RequestRejected):
    code = "CONFLICT"
    guidance = "Read the current state and try again."


class DuplicateDocument(Conflict):
    code = "DUPLICATE_DOCUMENT"
    guidance = "Use `on_duplicate` skip or replace, or the document named in the context."


class DocumentNotReady(Conflict):
    code = "DOCUMENT_NOT_READY"
    guidance = "Upload with `hold: true` and wait until the named document's state is EMBEDDED."


class CollectionExists(Conflict):
    code = "COLLECTION_EXISTS"
    guidance = "Choose another name, or change the collection with PATCH."


class CollectionNotEmpty(Conflict):
    code = "COLLECTION_NOT_EMPTY"
    guidance = "Delete its documents first, `?cascade=true`; or make a collection and ingest anew."


class NothingToCancel(Conflict):
    code = "NOTHING_TO_CANCEL"
    guidance = "The document has ended already; delete it if it should go."


class NothingToRetry(Conflict):
    code = "NOTHING_TO_RETRY"
    guidance = "Only FAILED and PARKED documents are retried; upload the file again instead."


class NoBoxes(Conflict):
    code = "NO_BOXES"
    guidance = "Show the page's text instead; `start` and `end` are offsets into it."


class BatchRunning(Conflict):
    code = "BATCH_RUNNING"
    guidance = "Nothing to do: the batch is being worked on; `GET /batches/{id}` shows how far."


class ModelNotReady(Conflict):
    code = "MODEL_NOT_READY"
    guidance = "`GET /models` shows its state; register it again once the cause is gone."


class ModelInUse(Conflict):
    code = "MODEL_IN_USE"
    guidance = "Promote the named collections to another model, or delete them, then try again."


class MigrationUnderWay(Conflict):
    code = "MIGRATION_UNDER_WAY"
    guidance = "Promote the shadow model or retire it, then start the next migration."


class CoverageIncomplete(Conflict):
    code = "COVERAGE_INCOMPLETE"
    guidance = "Backfill the model with `POST /models/{model}/backfill`, then try again."


class NothingToRollBack(Conflict):
    code = "NOTHING_TO_ROLL_BACK"
    guidance = "Only a promotion can be rolled back; the collection shows its present model."


class RequestInProgress(Conflict):
    code = "REQUEST_IN_PROGRESS"
    guidance = "A request with this Idempotency-Key is still running; try again shortly."


class ProcessingFailed(PermanentError):
    code = "PROCESSING_FAILED"


class ConfigurationError(ProcessingFailed):
    code = "CONFIGURATION_INVALID"
    guidance = "Correct the named setting and deploy again."


class SecretMissing(ConfigurationError):
    code = "SECRET_MISSING"
    guidance = "Write the named parameter; the next request reads it, without a deployment."


class PgvectorTooOld(ConfigurationError):
    code = "PGVECTOR_TOO_OLD"
    guidance = "Update the extension or choose a newer engine version, then deploy again."


class IllegalTransition(ProcessingFailed):
    code = "ILLEGAL_TRANSITION"
    guidance = "A step ran out of order; report the document id."


class ChunkingError(ProcessingFailed):
    code = "CHUNKING_FAILED"
    guidance = "Choose another chunk profile and retry the document."


class EmbeddingError(ProcessingFailed):
    code = "EMBEDDING_FAILED"
    guidance = "Check the embedding model's configuration and retry the document."


class ModelChanged(ProcessingFailed):
    code = "MODEL_CHANGED"
    guidance = "Nothing to do: what lacks the collection's new model is embedded first."


class QueryGenerationError(ProcessingFailed):
    code = "QUERY_GENERATION_FAILED"
    guidance = "Check the chat model's configuration, or turn the input stage off."


class RerankingError(ProcessingFailed):
    code = "RERANKING_FAILED"
    guidance = "Check the reranker's configuration, or turn reranking off."


class GenerationError(ProcessingFailed):
    code = "GENERATION_FAILED"
    guidance = "Check the chat model's configuration."


class VectorDBError(ProcessingFailed):
    code = "VECTOR_STORE_FAILED"
    guidance = "The database refused the data; report the request id."


class ProviderRefused(ProcessingFailed):
    code = "PROVIDER_REFUSED"
    guidance = "The provider does not accept this input; shorten it or choose another model."


class ArtifactInvalid(ProcessingFailed):
    code = "ARTIFACT_INVALID"
    guidance = "An intermediate object is damaged; retry the document."


class DeletionIncomplete(ProcessingFailed):
    code = "DELETION_INCOMPLETE"
    guidance = "The receipt names what is left; remove the cause, and the purge runs again."


class StageNotReady(ProcessingFailed):
    code = "NOT_READY"
    guidance = "The context names what does not answer, and why; try again once it does."


class Stuck(ProcessingFailed):
    code = "STUCK"
    guidance = "Its runs vanish without an error; retry it, and report the document's id."


class TimedOut(ProcessingFailed):
    code = "TIMED_OUT"
    guidance = "It took longer than its limit; retry the document, or ask the question again."


FUNCTION_ASLEEP: Final = (
    "ResourceNotReadyException",
    "CodeArtifactUserPendingException",
    "CodeArtifactUserDeletedException",
    "ResourceConflictException",
    "ENINotReadyException",
    "ENILimitReachedException",
    "SubnetIPAddressLimitReachedException",
    "EC2ThrottledException",
    "EC2UnexpectedException",
    "EC2AccessDeniedException",
    "EFSIOException",
    "EFSMountConnectivityException",
    "EFSMountTimeoutException",
    "S3FilesMountConnectivityException",
    "S3FilesMountTimeoutException",
    "SnapStartNotReadyException",
    "SnapStartRegenerationFailureException",
    "SnapStartTimeoutException",
)
"""What Lambda says instead of running a function whose code, network or files it brings back.

Lambda takes them away from a function that nobody calls for weeks; the call that meets one of these
makes it bring them back, in about a minute.
"""


def branch(kind: type[PulseDocsError]) -> Iterator[type[PulseDocsError]]:
    """Yield `kind` and every error below it, parents first."""
    yield kind
    for child in kind.__subclasses__():
        yield from branch(child)


def error_named(name: str) -> type[PulseDocsError] | None:
    """Return the error class that a failed state reports by name, or None for a foreign name."""
    return next((error for error in branch(PulseDocsError) if error.__name__ == name), None)
