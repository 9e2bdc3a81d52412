"""What operations return, as the Doc Directors design names it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, Self, TypedDict
from uuid import UUID

from pulsedocs.client.refusals import RequestRefused, StageUnreachable, error_of_code
from pulsedocs.errors import DocumentNotFound, PulseDocsError, StillRunning

_SEARCHABLE = frozenset({"PUBLISHED", "DUPLICATE", "SUPERSEDED"})


class ChunkMetadata(TypedDict):
    document_id: str
    source: str
    chunk_index: int
    total_chunks: int
    pages: list[int]
    section: list[str]
    token_count: int
    char_count: int
    chunking_method: str
    extraction_date: str
    flags: list[str]
    custom_fields: dict[str, Any]


class Chunk(TypedDict):
    chunk_id: str
    version: int
    alias: str
    vector_id: str
    content: str
    embedding_dimensions: int | None
    metadata: ChunkMetadata


class Place(TypedDict):
    """Words on a page of one version: `start` and `end` are offsets into the page's text."""

    document_id: str
    version: int | None
    source: str
    title: str | None
    page: int
    page_label: str | None
    quote: str
    start: int
    end: int


class Citation(Place):
    """`markers` says which `[n]` of the answer it bears out: 0 is the first of the text.

    `ocr` says that the words were recognised on a picture, with what confidence.
    `doubtful_words` are those of them that may be misread.
    """

    n: int
    markers: list[int]
    status: str
    ocr: NotRequired[bool]
    confidence: NotRequired[float | None]
    doubtful_words: NotRequired[list[str]]


class Abstained(TypedDict):
    reason: str
    message: str
    detail: str
    nearest: NotRequired[Place | None]


class RetrievedChunk(TypedDict):
    chunk_id: str
    document_id: str
    source: str
    title: str | None
    content: str
    pages: list[int]
    section: str | None
    relevance_score: float | None
    vector_score: float | None
    keyword_score: float | None
    rank: int
    chunk_index: int
    total_chunks: int
    token_count: int
    char_count: int
    chunking_method: str
    extraction_date: str | None
    metadata: dict[str, Any]


class RetrievalStats(TypedDict):
    total_chunks_retrieved: int
    vector_search_chunks: int
    keyword_search_chunks: int
    chunks_after_dedup: int
    chunks_after_reranking: int
    timings_ms: dict[str, float]


class SourceInfo(TypedDict):
    source: str
    document_id: str
    chunks_count: int
    avg_relevance: float | None


class QueriesGenerated(TypedDict):
    standard: str | None
    hyde: str | None


class RetrievalResponse(TypedDict):
    success: bool
    query_original: str
    queries_generated: QueriesGenerated
    abstained: Abstained | None
    chunks: list[RetrievedChunk]
    retrieval_stats: RetrievalStats
    sources: list[SourceInfo]
    coverage: list[dict[str, Any]]
    degraded: list[str]
    trace_id: str
    candidates: NotRequired[list[dict[str, Any]] | None]


class AnswerSource(TypedDict):
    title: str | None
    source: str
    document_id: str
    relevance: float | None


class TokensUsed(TypedDict):
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class Note(TypedDict):
    kind: Literal["yes_no", "count", "comparison", "sum", "part", "overview", "cut"]
    message: str


class Answer(TypedDict):
    answer: str
    abstained: Abstained | None
    note: NotRequired[Note | None]
    citations: list[Citation]
    sources: list[AnswerSource]
    rewritten_question: str | None
    coverage: list[dict[str, Any]]
    usage: TokensUsed
    model: str
    degraded: list[str]
    trace_id: str
    candidates: NotRequired[list[dict[str, Any]] | None]


class LeftAlone(TypedDict):
    """A document that an update could not change."""

    document_id: str
    code: str
    message: str


class UpdateDocumentsResponse(TypedDict):
    success: bool
    strategy_used: str
    documents_affected: int
    chunks_deleted: int
    chunks_added: int
    chunks_updated: int
    updated_document_ids: list[str]
    deleted_document_ids: list[str]
    reprocessed_document_ids: list[str]
    receipt_ids: list[str]
    kept_document_ids: list[str]
    errors: list[LeftAlone]


@dataclass(frozen=True, slots=True)
class ProcessingStats:
    """Sums over the documents; times in milliseconds of the stage, without waiting.

    `upload_time_ms` is that of the vectors into the database.
    """

    total_tokens: int
    embedding_time_ms: int
    chunking_time_ms: int
    upload_time_ms: int
    failed_chunks: int


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """What became of one document. Without an id it was refused at the door.

    `status` is as `GET /documents/{id}` shows it, or the last that was heard of it; `error` is of
    its class of `pulsedocs.errors`, None where the document can be searched or is held as asked.
    """

    name: str
    document_id: UUID | None
    status: Mapping[str, Any] | None
    error: Exception | None

    @property
    def line(self) -> str:
        """Say what went wrong in a line, with what to do."""
        reason = str(self.error) if self.status is None else _reason(self.status)
        return f"{self.name.encode(errors='backslashreplace').decode()}: {reason}"

    @property
    def is_held(self) -> bool:
        """Say whether the document waits for an update that publishes it."""
        return self.status is not None and _is_held(self.status)


@dataclass(frozen=True, slots=True)
class AddDocumentsResponse:
    """`results` are in the order given; `chunks` as `GET /documents/{id}/chunks` shows them.

    `success` means that every document can be searched, be it through the one it repeats, or is
    held as asked. A document that is still on its way when time is up has its last status.
    `replaced` is what the update did that published the documents in the place of others.
    """

    results: Sequence[DocumentResult]
    chunks: Sequence[Chunk]
    replaced: UpdateDocumentsResponse | None = None

    @property
    def success(self) -> bool:
        return not self.exceptions

    @property
    def documents_processed(self) -> int:
        return sum(map(is_over, self.documents.values()))

    @property
    def total_chunks(self) -> int:
        return sum(status["chunks"] for status in self.documents.values())

    @property
    def chunk_ids(self) -> list[str]:
        return [chunk["chunk_id"] for chunk in self.chunks]

    @property
    def documents(self) -> Mapping[UUID, Mapping[str, Any]]:
        """The statuses by id; of bytes that were given twice there is one."""
        return {
            each.document_id: each.status
            for each in self.results
            if each.document_id is not None and each.status is not None
        }

    @property
    def processing_stats(self) -> ProcessingStats:
        return ProcessingStats(
            **{
                name: sum(status["stats"].get(name, 0) for status in self.documents.values())
                for name in ProcessingStats.__dataclass_fields__
            }
        )

    @property
    def errors(self) -> Sequence[str]:
        return [each.line for each in self.results if each.error is not None]

    @property
    def exceptions(self) -> Sequence[Exception]:
        """One for each line of `errors`."""
        return [each.error for each in self.results if each.error is not None]

    def raise_for_errors(self) -> Self:
        """Raise the first error by its class of `pulsedocs.errors`, such as PDFEncryptedError.

        A document that was refused at the door is RequestRefused, one without an outcome yet
        StillRunning. The ids of all others stay in `documents`.
        """
        if self.success:
            return self
        first, others = self.exceptions[0], len(self.exceptions) - 1
        if others:
            first.add_note(f"{others} more documents failed: see `errors`")
        raise first


def result_of(name: str, status: Mapping[str, Any]) -> DocumentResult:
    return DocumentResult(name, UUID(status["document_id"]), status, _error(status))


def refused(name: str, error: Exception) -> DocumentResult:
    return DocumentResult(name, None, None, error)


def unheard(
    name: str, last: Mapping[str, Any], error: RequestRefused | StageUnreachable
) -> DocumentResult:
    """Return a document that was sent and that the stage says nothing more of."""
    document_id = last["document_id"]
    error.context["document_id"] = document_id
    is_gone = isinstance(error, DocumentNotFound)
    later = f"Ask for its status later: document {document_id}"
    guidance = error.guidance if is_gone else later
    report = {"code": error.code, "message": error.message, "guidance": guidance}
    return DocumentResult(name, UUID(document_id), {**last, "error": report}, error)


def unknown(document_id: UUID, *, source: str) -> dict[str, Any]:
    """Return the status of a document of which nothing has been heard yet."""
    return {
        "document_id": str(document_id),
        "source": source,
        "state": None,
        "outcome": None,
        "error": None,
        "chunks": 0,
        "stats": {},
        "warnings": [],
    }


def is_over(status: Mapping[str, Any]) -> bool:
    """Say whether nothing more happens by itself: it has an outcome, or is held for an update."""
    return status["outcome"] is not None or _is_held(status)


def reached(status: Mapping[str, Any]) -> str:
    """Return what a document has come to; one that was sent again unchanged is as it was."""
    is_served = status["outcome"] == "DUPLICATE" and status["published_version"] is not None
    return "PUBLISHED" if is_served else status["outcome"] or status["state"]


def _is_held(status: Mapping[str, Any]) -> bool:
    return status["outcome"] is None and status["state"] == "EMBEDDED"


def _reason(status: Mapping[str, Any]) -> str:
    """Return why a document cannot be searched, and what to do."""
    error: Mapping[str, Any] = status["error"] or {}
    reason = error.get("code") or status["outcome"] or "STILL_RUNNING"
    told = f"{error.get('message', '')}. {error.get('guidance', '')}".strip(". ")
    return f"{reason}: {told}" if told else str(reason)


def _error(status: Mapping[str, Any]) -> Exception | None:
    if status["outcome"] in _SEARCHABLE or _is_held(status):
        return None
    told = f"{status['source']}: {_reason(status)}"
    if status["outcome"] is None:
        return StillRunning(told, document_id=status["document_id"])
    report: Mapping[str, Any] = status["error"] or {}
    error = (error_of_code(str(report.get("code"))) or PulseDocsError)(told)
    error.message = f"{status['source']}: {report.get('message', '')}"
    error.guidance = str(report.get("guidance", error.guidance))
    error.context |= {**report.get("context", {}), "document_id": status["document_id"]}
    return error
