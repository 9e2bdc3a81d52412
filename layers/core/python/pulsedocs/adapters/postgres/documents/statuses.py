"""Turn rows of the documents queries into what the API shows."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import Connection
from psycopg.rows import dict_row

from pulsedocs.adapters.postgres.queries import query
from pulsedocs.model.documents import DocumentStatus, ErrorReport, PageCounts, PageFailure
from pulsedocs.model.pages import LOW_CONFIDENCE, PageOutcome
from pulsedocs.pipeline import Outcome, State, Step

Row = Mapping[str, Any]

_AS_THEY_ARE = (
    "document_id",
    "collection",
    "source",
    "title",
    "content_type",
    "size",
    "sha256",
    "version",
    "received_at",
    "chunks",
    "embeddings",
    "metadata",
    "content_date",
    "created_at",
    "updated_at",
    "timings_ms",
    "duplicate_of",
    "published_version",
)


def read_statuses(
    tx: Connection[Any], tenant_id: UUID, document_ids: Sequence[UUID]
) -> list[DocumentStatus]:
    """Return the statuses of those that exist, newest first."""
    wanted = {
        "tenant_id": tenant_id,
        "document_ids": [*document_ids],
        "low_confidence": LOW_CONFIDENCE,
    }
    with tx.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(query("document_statuses"), wanted).fetchall()
    return [_status_of(row) for row in rows]


def _status_of(row: Row) -> DocumentStatus:
    outcomes, methods, timings = row["page_outcomes"], row["methods"], row["timings_ms"]
    flags: Mapping[str, int] = row["flags"]
    # What was asked for, with the methods that really made the chunks.
    chunking = row["chunking"] | ({"method": ", ".join(methods)} if methods else {})
    # Chunks with a flag are kept and found nevertheless, so that a flag is a warning only.
    doubts = (f"CHUNKS_{flag}: {chunks}" for flag, chunks in sorted(flags.items()) if chunks)
    return DocumentStatus(
        **{name: row[name] for name in _AS_THEY_ARE},
        state=State(row["state"]),
        outcome=None if row["outcome"] is None else Outcome(row["outcome"]),
        pages=PageCounts(
            total=row["page_count"],
            text=outcomes.get(PageOutcome.TEXT, 0),
            empty=outcomes.get(PageOutcome.EMPTY, 0),
            hidden_only=outcomes.get(PageOutcome.HIDDEN_ONLY, 0),
            failed=outcomes.get(PageOutcome.FAILED, 0),
            failures=tuple(PageFailure(page, code) for page, code in row["page_failures"]),
            ocr=outcomes.get(PageOutcome.OCR, 0),
            furniture_lines=row["furniture"],
            low_confidence=row["low_confidence"],
        ),
        chunking=chunking,
        error=None if row["error"] is None else ErrorReport(**row["error"]),
        warnings=(*row["warnings"], *doubts),
        history=tuple(
            (entry["state"], datetime.fromisoformat(entry["at"])) for entry in row["history"]
        ),
        stats={
            "total_tokens": int(row["tokens"]),
            "failed_chunks": row["failed_chunks"],
            "embedding_time_ms": timings.get(Step.EMBED, 0),
            "chunking_time_ms": timings.get(Step.CHUNK, 0),
            "upload_time_ms": timings.get("upload", 0),
        },
    )


def chunk_view(document_id: UUID, row: Row) -> dict[str, Any]:
    """Return a chunk as the contract names its fields."""
    dimensions = row["embedding_dimensions"]
    vector_id = None if dimensions is None else f"{row['chunk_id']}:{row['active_model']}"
    return {
        "chunk_id": str(row["chunk_id"]),
        "version": row["version"],
        "alias": f"{row['source']}::chunk_{row['chunk_index']}",
        "vector_id": vector_id,
        "content": row["content"],
        "embedding_dimensions": dimensions,
        "metadata": {
            "document_id": str(document_id),
            "source": row["source"],
            "chunk_index": row["chunk_index"],
            "total_chunks": row["total_chunks"],
            "pages": sorted({page for page, _start, _end in row["spans"]}),
            "section": row["section"],
            "token_count": row["tokens"],
            "char_count": row["characters"],
            "chunking_method": row["method"],
            "chunking_parameters": row["parameters"],
            # What the chunk is embedded and matched with; it is no part of its content.
            "context": {"before": row["context_before"], "after": row["context_after"]},
            "extraction_date": row["created_at"].isoformat(),
            "flags": row["flags"],
            "custom_fields": row["metadata"],
        },
    }
