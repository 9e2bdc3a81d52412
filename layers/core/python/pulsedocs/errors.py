"""Everything that can go wrong, whose fault it is, and whether trying again can help.

PulseDocsError
├── RetryableError            Step Functions backs off and tries again
├── ParkedError               the run waits for a person, then resumes where it was
├── RunEnded                  nothing is wrong: another run, or a delete, came first
├── NoAnswer                  a client waited, and cannot know what its stage does
└── PermanentError            trying the same thing again cannot help
    ├── DocumentRejected      the file is at fault; the person who uploaded it can act
    ├── RequestRejected       the caller is at fault
    │   ├── NotFound
    │   └── Conflict
    └── ProcessingFailed      we, or something we depend on, are at fault
        └── ConfigurationError

The code that clients see is the name of its class, where it does not say another: to rename a class
changes the contract, which docs/reference/errors.md then shows.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic_core import ErrorDetails


_CONTEXT: Final = "\ncontext: "
_WORD: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class PulseDocsError(Exception):
    """Base of all; `message` says what happened, `guidance` what to do next.

    `context` holds identifiers and numbers only, never document text: it reaches logs,
    problem documents and the database.
    """

    code: ClassVar[str] = "INTERNAL"
    guidance: str = "Try again; if it persists, report the request id."

    def __init_subclass__(cls) -> None:
        # The branches of the tree have no code of their own: nothing is raised as one of them.
        if "code" not in vars(cls) and cls.__base__ is not PulseDocsError:
            cls.code = _WORD.sub("_", cls.__name__.removesuffix("Error")).upper()

    def __init__(self, message: str, **context: str | float | None) -> None:
        super().__init__(message)
        self.message = message
        self.context = context


class RetryableError(PulseDocsError):
    """Trying the same thing again later can succeed."""


class StoreUnavailable(RetryableError):
    # Connection lost, restarting, deadlock, full.
    guidance = "The database is restarting or busy; try again in a few seconds."


class StatementTimedOut(RetryableError):
    # One statement ran into the database's time limit.
    guidance = "The database is busy; try again in a minute, or ask for less at once."


class DatabaseWarming(RetryableError):
    # It resumes from a pause (about 15 s), or a function that nobody called for weeks comes back
    # (about a minute).
    code = "WARMING"
    guidance = "The stage is resuming from a pause; try again after `Retry-After` seconds."


class Throttled(RetryableError):
    # 429 of what stands before the functions: API Gateway's rate, the firewall's addresses.
    guidance = "Too many requests reach this stage; try again after `Retry-After`."


class ObjectStoreUnavailable(RetryableError):
    guidance = "Object storage did not answer; try again in a few seconds."


class SecretsUnavailable(RetryableError):
    guidance = "AWS Systems Manager did not answer; try again in a few seconds."


class ProviderThrottled(RetryableError):
    # 429; carries the provider's own delay.
    guidance = "The model provider limits the rate; try again later or raise the quota."

    def __init__(self, message: str, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(message, retry_after_seconds=retry_after_seconds)
        self.retry_after_seconds = retry_after_seconds


class ProviderUnavailable(RetryableError):
    # 5xx, refused connection, timeout.
    guidance = "The model provider did not answer; try again later."


class ProviderMalformed(RetryableError):
    # An answer cut off, or with too few, too short or empty vectors.
    guidance = "The provider's answer was unusable; try again or choose another model."


class DuplicateInProgress(RetryableError):
    guidance = "The same bytes are being ingested in another run; wait for it to end."


class ParkedError(PulseDocsError):
    """Waits for a person; the run resumes where it stopped."""


class ProviderQuotaExhausted(ParkedError):
    guidance = "Raise the quota or the balance at the provider, then retry the document."


class ProviderKeyRefused(ParkedError):
    guidance = "Replace the provider's key, then retry the document."


class ModelNotEnabled(ParkedError):
    # 403: a permission, an organisation's policy, a subscription or Anthropic's form is missing.
    guidance = "`pulsedocs deploy-check` with the deployment's options says what is missing; retry."


class BudgetExceeded(ParkedError):
    guidance = "Raise the tenant's budget or wait for the next day, then retry."


class RunEnded(PulseDocsError):
    """Another run or a delete came first; this run stops without an outcome of its own."""


class FencedOut(RunEnded):
    guidance = "Nothing to do: a newer run holds this document."


class Cancelled(RunEnded):
    guidance = "Nothing to do: the document was cancelled; upload it again to ingest it."


class DocumentDeleted(RunEnded):
    guidance = "Nothing to do: the document was deleted."


class NoAnswer(PulseDocsError):
    """A client waited in vain; what it asked for may be done, or be done later."""


class StageUnreachable(NoAnswer):
    guidance = "Check the address, and that its stage runs (`pulsedocs up` here); then try again."


class StillRunning(NoAnswer, TimeoutError):
    guidance = "It goes on by itself; look at it again later by its id."


class PermanentError(PulseDocsError):
    """Trying the same thing again cannot help."""


class DocumentRejected(PermanentError):
    guidance = "Correct the file and upload it again."


class PDFEncryptedError(DocumentRejected):
    guidance = "Remove the password (for example by printing to PDF) and upload it again."


class PDFCorruptedError(DocumentRejected):
    guidance = "Open the file in a PDF viewer, save it anew and upload that copy."


class PDFEmptyError(DocumentRejected):
    guidance = (
        "The file has no readable text; if it was scanned, scan it anew with 300 dots an inch."
    )


class FileUnreadable(DocumentRejected):
    guidance = "The parser of its format gives up; correct the file, or upload it as plain text."


class PictureTooLarge(DocumentRejected):
    guidance = "A picture may have 100 million dots, and 20,000 on a side; save it in fewer."


class NotAPDF(DocumentRejected):
    code = "NOT_A_PDF"
    guidance = "The bytes are not a PDF; upload the file under its real content type."


class FileEmpty(DocumentRejected):
    guidance = "The file has no bytes; check the source and upload it again."


class FileTooLarge(DocumentRejected):
    guidance = "Split the file, or ask the operator to raise MAX_UPLOAD_MB."


class TooManyPages(DocumentRejected):
    guidance = "Split the file into parts below the page limit."


class TooMuchText(DocumentRejected):
    guidance = "Split the file into parts below the character limit."


class TextNotUTF8(DocumentRejected):
    guidance = (
        "Save the file as UTF-8 without NUL characters and upload it again; where its encoding is"
        " known (WINDOWS-1252 in Western Europe, WINDOWS-1251 for Russian, GB18030, SHIFT_JIS),"
        " `pulsedocs add FILE --encoding windows-1251` sends it so, and"
        " `iconv -f ENCODING -t UTF-8 FILE` writes it anew."
    )


class UnsupportedContentType(DocumentRejected):
    guidance = "Upload a PDF, text, Office file, PNG, JPEG, TIFF, WebP or GIF by its extension."


class ContentTypeMismatch(DocumentRejected):
    guidance = "The bytes are of another type than announced; upload the file that was meant."


class ChecksumMismatch(DocumentRejected):
    guidance = "The bytes that arrived are not the ones announced; upload the file again."


class SizeMismatch(DocumentRejected):
    guidance = "More or fewer bytes arrived than were announced; register and upload them again."


class DuplicateRejected(DocumentRejected):
    guidance = "The same bytes exist already; use `on_duplicate` skip to have a copy of its own."


class ResourceExhausted(DocumentRejected):
    guidance = "Reading the file takes more time or memory than allowed; simplify or split it."


class TooManyPagesFailed(DocumentRejected):
    guidance = "No page could be read; save the file anew and upload that copy."


class UploadExpired(DocumentRejected):
    guidance = "The bytes did not arrive within an hour; register the document and upload it again."


class RequestRejected(PermanentError):
    guidance = "Correct the request."


class InvalidRequest(RequestRejected):
    guidance = "Correct the named field; the contract is at /docs."


class UnknownModel(InvalidRequest):
    # Before anything is stored: the first document would find it after minutes.
    guidance = "Name a model that this stage can embed with; the message lists what it knows."


class UnknownRecognition(InvalidRequest):
    # A language whose data is not in the layer would fail every scan of the collection.
    code = "UNKNOWN_OCR_LANGUAGE"
    guidance = "Name languages that are recognised on pictures; the message lists them."


class BodyTooLarge(RequestRejected):
    # Lambda takes 6 MB, what API Gateway writes around the body included.
    code = "REQUEST_TOO_LARGE"
    guidance = "Send it in parts; the bytes of a file go by its upload form, which takes more."


class AnswerTooLarge(RequestRejected):
    # Lambda gives 6 MB at most; what is beyond would be a 502 without a reason.
    guidance = "Ask for less at once: a smaller `limit`, or one page at a time."


class UrlRefused(RequestRejected):
    # The address could lead into a private network.
    guidance = "Use a public https address, or upload the file itself."


class SourceUnavailable(RequestRejected):
    # The site that holds a page does not give it.
    guidance = "Open the address in a browser; try again later, or upload the file itself."


class IdempotencyKeyReused(RequestRejected):
    guidance = "Use a new Idempotency-Key for a request with another body."


class Unauthenticated(RequestRejected):
    guidance = "Send a valid access token as `Authorization: Bearer <token>`."


class Forbidden(RequestRejected):
    guidance = "The token lacks the scope for this operation."


class NotFound(RequestRejected):
    guidance = "Check the identifier."


class DocumentNotFound(NotFound):
    guidance = "Check the id, and the collection that is asked; a deleted document is gone."


class PageNotFound(NotFound):
    guidance = (
        "Page numbers start at 1 and end at the document's page total;"
        " `GET /documents/{id}/versions` says of which earlier versions the pages are still stored."
    )


class CollectionNotFoundError(NotFound):
    guidance = "Create the collection, or ingest a document into it."


class NoDocumentsFoundError(NotFound):
    guidance = (
        "No document matches the ids or filters; widen them. Those that the context counts as"
        " `kept` go with `include_standalone: true`."
    )


class TraceNotFound(NotFound):
    guidance = "Traces are kept for 30 days."


class EvaluationNotFound(NotFound):
    guidance = "Evaluations are kept for 90 days; `POST /evaluations` starts one."


class ConversationNotFound(NotFound):
    guidance = "A conversation begins with the first answer to its id, and ends when unused."


class ModelNotFound(NotFound):
    guidance = "Register the model first; `GET /models` lists those known."


class MigrationNotFound(NotFound):
    guidance = "Start one with `POST /collections/{name}/migration`, naming the model to try."


class BatchNotFound(NotFound):
    guidance = "Check the id: `POST /ingest/batch` answers with it, and each tenant has its own."


class DeletionNotFound(NotFound):
    guidance = "Check the receipt id: the answer to a DELETE names it."


class ProfileNotFound(NotFound):
    guidance = "Use one of the named retrieval or chunk profiles."


class SourceNotFound(NotFound):
    guidance = "The site has no such page; check the address."


class ObjectNotFound(NotFound):
    guidance = "The object does not exist or was overwritten; upload the file again."


class Conflict(RequestRejected):
    guidance = "Read the current state and try again."


class DuplicateDocument(Conflict):
    guidance = (
        "Where the name is taken, send it with the `document_id` of the context: it becomes that"
        " document's next version. Where the bytes are there already, use that document."
    )


class DocumentNotReady(Conflict):
    guidance = "Upload with `hold: true` and wait until the named document's state is EMBEDDED."


class CollectionExists(Conflict):
    guidance = "Choose another name, or change the collection with PATCH."


class CollectionNotEmpty(Conflict):
    guidance = (
        "Delete its documents first, or with it (`cascade`); or make a collection and ingest anew."
    )


class ConversationTaken(Conflict):
    guidance = "It belongs to somebody else: begin one of your own, with a new `conversation_id`."


class NothingToCancel(Conflict):
    guidance = "The document has ended already; delete it if it should go."


class NothingToRetry(Conflict):
    guidance = "Only FAILED and PARKED documents are retried; upload the file again instead."


class NoBoxes(Conflict):
    # A page whose words have no places on paper.
    guidance = "Show the page's text instead; `start` and `end` are offsets into it."


class BatchRunning(Conflict):
    guidance = "Nothing to do: the batch is being worked on; `GET /batches/{id}` shows how far."


class ModelNotReady(Conflict):
    guidance = "Wait while `GET /models` says PROBING; else remove the cause and register it again."


class ModelInUse(Conflict):
    guidance = "Promote the named collections to another model, or delete them, then try again."


class MigrationUnderWay(Conflict):
    guidance = "Promote the shadow model or retire it, then start the next migration."


class CoverageIncomplete(Conflict):
    guidance = "Backfill the model with `POST /models/{model}/backfill`, then try again."


class NothingToRollBack(Conflict):
    guidance = "Only a promotion can be rolled back; the collection shows its present model."


class RequestInProgress(Conflict):
    guidance = "A request with this Idempotency-Key is still running; try again shortly."


class ProcessingFailed(PermanentError):
    """We, or something we depend on, are at fault."""


class ConfigurationError(ProcessingFailed):
    code = "CONFIGURATION_INVALID"
    guidance = "Correct the named setting and deploy again."


class SecretMissing(ConfigurationError):
    # A parameter that nobody has written.
    guidance = "Write the named parameter; the next request reads it, without a deployment."


class PgvectorTooOld(ConfigurationError):
    # Found when the schema is migrated.
    guidance = "Update the extension or choose a newer engine version, then deploy again."


class IllegalTransition(ProcessingFailed):
    guidance = "A step ran out of order; report the document id."


class ChunkingError(ProcessingFailed):
    code = "CHUNKING_FAILED"
    guidance = "Choose another chunk profile and retry the document."


class EmbeddingError(ProcessingFailed):
    code = "EMBEDDING_FAILED"
    guidance = "Check the embedding model's configuration and retry the document."


class ModelChanged(ProcessingFailed):
    # The collection was promoted to another model on the way.
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
    guidance = "The provider does not accept this input; shorten it or choose another model."


class ArtifactInvalid(ProcessingFailed):
    guidance = "An intermediate object is damaged; retry the document."


class DeletionIncomplete(ProcessingFailed):
    guidance = "The receipt names what is left; remove the cause, and the purge runs again."


class StageNotReady(ProcessingFailed):
    # Something that answering needs does not answer.
    code = "NOT_READY"
    guidance = "The context names what does not answer, and why; try again once it does."


class Stuck(ProcessingFailed):
    guidance = "Its runs vanish without an error; retry it, and report the document's id."


class TimedOut(ProcessingFailed):
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
        if child.__name__ != kind.__name__:  # a client joins an error with a refusal of its name
            yield from branch(child)


def error_named(name: str) -> type[PulseDocsError] | None:
    """Return the error class that a failed state reports by name, or None for a foreign name."""
    return next((error for error in branch(PulseDocsError) if error.__name__ == name), None)


_MUST: Final = {
    "string_type": "be a text",
    "int_type": "be a whole number",
    "int_parsing": "be a whole number",
    "int_from_float": "be a whole number",
    "float_type": "be a number",
    "float_parsing": "be a number",
    "bool_type": "be true or false",
    "bool_parsing": "be true or false",
    "list_type": "be a list",
    "dict_type": "be an object",
    "model_type": "be an object",
    "model_attributes_type": "be an object",
    "uuid_type": "be a UUID",
    "uuid_parsing": "be a UUID",
    "enum": "be {expected}",
    "literal_error": "be {expected}",
    "greater_than": "be more than {gt}",
    "greater_than_equal": "be {ge} or more",
    "less_than": "be less than {lt}",
    "less_than_equal": "be {le} or less",
    "string_too_short": "have {min_length} or more characters",
    "string_too_long": "have {max_length} or fewer characters",
    "string_pattern_mismatch": "match {pattern}",
    "too_short": "have {min_length} or more items",
    "too_long": "have {max_length} or fewer items",
}
"""What is asked of a value that pydantic refuses, by the type of its error."""
_SAID: Final = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "value_error": "{error}",
}
_MEMBER_OF_UNION: Final = re.compile(r"str|int|float|bool|[a-z-]+\[.*\]")
"""What pydantic puts into a value's place for each kind of value that it may be."""


def what_is_wrong(found: Iterable[ErrorDetails]) -> str:
    """Return what is wrong with each value, behind its place."""
    wrong: dict[str, list[str]] = {}
    for item in found:
        wrong.setdefault(place_of(item), []).append(_said_of(item))
    return "; ".join(
        ": ".join(filter(None, (place, " or ".join(dict.fromkeys(said)))))
        for place, said in wrong.items()
    )


def _said_of(item: ErrorDetails) -> str:
    context = item.get("ctx", {})
    if context.get("min_length") == 1:
        return "must not be empty"
    if item["type"] in _MUST:
        return "must " + _MUST[item["type"]].format_map(context)
    said = _SAID.get(item["type"])
    return item["msg"] if said is None else said.format_map(context)


def place_of(item: ErrorDetails) -> str:
    """Return where a value stands, as whoever wrote it would name it."""
    place = ""
    for step in item["loc"]:
        if isinstance(step, int):
            place += f"[{step}]"
        elif not _MEMBER_OF_UNION.fullmatch(step) or item["type"] == "extra_forbidden":
            place += f".{step}"
    return place.removeprefix(".")


def with_context(error: PulseDocsError) -> str:
    """Return an error's message with its context below: Lambda hands on a class and a text."""
    if not error.context:
        return error.message
    return error.message + _CONTEXT + json.dumps(error.context, ensure_ascii=False, default=str)


def without_context(text: str) -> tuple[str, dict[str, Any]]:
    """Return the message and the context that `with_context` made a text of."""
    message, _, below = text.rpartition(_CONTEXT)
    try:
        context: Any = json.loads(below)
    except ValueError:
        return text, {}
    return (message, {**context}) if message and isinstance(context, dict) else (text, {})
