"""What adding documents came to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

_SEARCHABLE = frozenset({"PUBLISHED", "DUPLICATE", "SUPERSEDED"})


@dataclass(frozen=True, slots=True)
class ProcessingStats:
    """Sums over the documents; times in milliseconds of the stage, without waiting."""

    total_tokens: int
    embedding_time_ms: int
    chunking_time_ms: int
    upload_time_ms: int
    failed_chunks: int


@dataclass(frozen=True, slots=True)
class AddedDocuments:
    """`documents` are the statuses by id, `chunks` as `GET /documents/{id}/chunks` shows them.

    `success` means that every document can be searched, be it through the one it repeats.
    """

    success: bool
    documents_processed: int
    total_chunks: int
    chunks: Sequence[Mapping[str, Any]]
    processing_stats: ProcessingStats
    errors: Sequence[str]
    documents: Mapping[UUID, Mapping[str, Any]]

    @property
    def chunk_ids(self) -> list[str]:
        return [chunk["chunk_id"] for chunk in self.chunks]


def added(
    statuses: Sequence[Mapping[str, Any]],
    chunks: Sequence[Mapping[str, Any]],
    refusals: Sequence[str],
) -> AddedDocuments:
    """Put together what each document came to; `refusals` never became documents."""
    errors = [*refusals, *failures(statuses)]
    return AddedDocuments(
        success=not errors,
        documents_processed=len(statuses),
        total_chunks=sum(status["chunks"] for status in statuses),
        chunks=chunks,
        processing_stats=_stats(statuses),
        errors=errors,
        documents={UUID(status["document_id"]): status for status in statuses},
    )


def failures(statuses: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return one line for each document that cannot be searched: which, why, what to do."""
    return [_failure(status) for status in statuses if status["outcome"] not in _SEARCHABLE]


def _failure(status: Mapping[str, Any]) -> str:
    error: Mapping[str, Any] = status["error"] or {}
    reason = error.get("code") or status["outcome"] or "STILL_RUNNING"
    told = f"{error.get('message', '')}. {error.get('guidance', '')}".strip(". ")
    return f"{status['source']}: {reason}: {told}" if told else f"{status['source']}: {reason}"


def _stats(statuses: Sequence[Mapping[str, Any]]) -> ProcessingStats:
    return ProcessingStats(
        **{
            name: sum(status["stats"].get(name, 0) for status in statuses)
            for name in ProcessingStats.__dataclass_fields__
        }
    )
