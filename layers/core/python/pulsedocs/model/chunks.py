"""Chunks: the passages that are embedded, found and cited."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class PageSpan:
    """Characters `start` to `end` (exclusive) of the cleaned text of one page."""

    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage. `text` is the newline-joined text of its `spans`, character for character."""

    index: int
    text: str
    spans: tuple[PageSpan, ...]
    section: tuple[str, ...]
    tokens: int
    profile: str
    method: str
    parameters: Mapping[str, Any]
    flags: tuple[str, ...] = ()

    @property
    def page_start(self) -> int:
        return self.spans[0].page

    @property
    def page_end(self) -> int:
        return self.spans[-1].page


@dataclass(frozen=True, slots=True)
class IdentifiedChunk:
    """A chunk with the identity that a re-run, a digest, a tie and a citation agree on."""

    chunk_id: UUID
    chunk_hash: bytes
    content_hash: bytes
    chunk: Chunk
