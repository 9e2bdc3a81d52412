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
class Context:
    """Words that a passage is embedded and matched with, never shown or cited as its own."""

    before: str = ""
    after: str = ""

    def around(self, text: str) -> str:
        return "\n".join(part for part in (self.before, text, self.after) if part)


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
    context: Context = Context()

    @property
    def indexed_text(self) -> str:
        """Return what is embedded, and whose words the keyword index holds."""
        return self.context.around(self.text)

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
