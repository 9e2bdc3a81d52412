"""What adding documents came to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from pulsedocs.errors import PulseDocsError, branch

_SEARCHABLE = frozenset({"PUBLISHED", "DUPLICATE", "SUPERSEDED"})


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
class AddedDocuments:
    """`documents` are the statuses by id, `chunks` as `GET /documents/{id}/chunks` shows them.

    `success` means that every document can be searched, be it through the one it repeats, or is
    held as asked. A document that is still on its way when time is up is in `documents` too.
    """

    success: bool
    documents_processed: int
    total_chunks: int
    chunks: Sequence[Mapping[str, Any]]
    processing_stats: ProcessingStats
    errors: Sequence[str]
    documents: Mapping[UUID, Mapping[str, Any]]
    exceptions: Sequence[Exception]
    """One for each line of `errors`."""

    def raise_for_errors(self) -> Self:
        """Raise the first error by its class of `pulsedocs.errors`, such as PDFEncryptedError.

        A document that was refused at the door is RequestRefused, one without an outcome yet
        TimeoutError. The ids of all others stay in `documents`.
        """
        if not self.exceptions:
            return self
        first, others = self.exceptions[0], len(self.exceptions) - 1
        if others:
            first.add_note(f"{others} more documents failed: see `errors`")
        raise first

    @property
    def chunk_ids(self) -> list[str]:
        return [chunk["chunk_id"] for chunk in self.chunks]


def added(
    statuses: Sequence[Mapping[str, Any]],
    chunks: Sequence[Mapping[str, Any]],
    refusals: Sequence[tuple[str, Exception]],
) -> AddedDocuments:
    """Put together what each document came to; `refusals` are names that never became documents."""
    # A held document ends EMBEDDED, without an outcome: it waits for an update to publish it.
    unusable = [
        status
        for status in statuses
        if status["outcome"] not in _SEARCHABLE
        and not (status["outcome"] is None and status["state"] == "EMBEDDED")
    ]
    errors = [f"{name}: {error}" for name, error in refusals]
    errors += [f"{status['source']}: {_reason(status)}" for status in unusable]
    return AddedDocuments(
        success=not errors,
        documents_processed=sum(map(is_over, statuses)),
        total_chunks=sum(status["chunks"] for status in statuses),
        chunks=chunks,
        processing_stats=ProcessingStats(
            **{
                name: sum(status["stats"].get(name, 0) for status in statuses)
                for name in ProcessingStats.__dataclass_fields__
            }
        ),
        errors=errors,
        documents={UUID(status["document_id"]): status for status in statuses},
        exceptions=[*(error for _, error in refusals), *map(_exception, unusable)],
    )


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
    }


def is_over(status: Mapping[str, Any]) -> bool:
    """Say whether nothing more happens by itself: it has an outcome, or is held for an update."""
    return status["outcome"] is not None or status["state"] == "EMBEDDED"


def _reason(status: Mapping[str, Any]) -> str:
    """Return why a document cannot be searched, and what to do."""
    error: Mapping[str, Any] = status["error"] or {}
    reason = error.get("code") or status["outcome"] or "STILL_RUNNING"
    told = f"{error.get('message', '')}. {error.get('guidance', '')}".strip(". ")
    return f"{reason}: {told}" if told else str(reason)


def _exception(status: Mapping[str, Any]) -> Exception:
    told = f"{status['source']}: {_reason(status)}"
    if status["outcome"] is None:
        return TimeoutError(told)
    report: Mapping[str, Any] = status["error"] or {}
    kinds = (each for each in branch(PulseDocsError) if each.code == report.get("code"))
    error = next(kinds, PulseDocsError)(told)
    error.context |= {"document_id": status["document_id"]}
    return error
