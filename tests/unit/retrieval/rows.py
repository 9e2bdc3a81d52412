"""Rows of a leg for the tests of what becomes of them, each value stated or plain."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from pulsedocs.retrieval.legs import Found


def row(number: int, **changes: Any) -> Found:
    """Return what a leg found at a rank; its ids and its text follow from the number."""
    plain = Found(
        rank=number,
        score=1 / number,
        chunk_id=UUID(int=number),
        document_id=UUID(int=1000 + number),
        version=1,
        source="file.txt",
        title=None,
        metadata="{}",
        dated_at=None,
        chunk_index=0,
        text=f"text {number}",
        page_start=1,
        page_end=1,
        spans=None,
        section=[],
        tokens=10,
        method="paragraphs",
        chunked_at=datetime(2026, 1, 2, tzinfo=UTC),
        chunk_count=1,
        similarity=None,
    )
    return plain._replace(**changes)
