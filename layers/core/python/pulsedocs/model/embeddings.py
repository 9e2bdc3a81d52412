"""Embedding models and the batches of texts sent to them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

MOST_DIMENSIONS: Final = 4000  # pgvector's HNSW takes halfvec up to 4,000 dimensions


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model as it is written everywhere: `provider:name@dimensions`."""

    provider: str
    name: str
    dimensions: int

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}@{self.dimensions}"


@dataclass(frozen=True, slots=True)
class BatchItem:
    """One text to embed and the chunk it stands for."""

    chunk_id: UUID
    content_hash: bytes
    text: str


@dataclass(frozen=True, slots=True)
class EmbeddedBatch:
    """Vectors of one provider call, in the order of the texts; `refused` counts from 0.

    A refused text has an empty vector and becomes an `embedding_failure` row.
    """

    vectors: tuple[tuple[float, ...], ...]
    input_tokens: int
    refused: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EmbeddingBatch:
    """One provider call's worth of texts; `batch_hash` names it by content and model."""

    batch_hash: str
    items: tuple[BatchItem, ...]


@dataclass(frozen=True, slots=True)
class EmbeddingBatchReference:
    """A batch of a version: its place in the ledger and its name by content."""

    index: int
    hash: str


def references(hashes: Iterable[str], *, first: int = 0) -> tuple[EmbeddingBatchReference, ...]:
    """Return batches by their place, counted from `first`, and their name."""
    return tuple(EmbeddingBatchReference(*each) for each in enumerate(hashes, start=first))


@dataclass(frozen=True, slots=True)
class Unembedded:
    """What a version still lacks; `next_batch` is a number that none of its batches had."""

    items: tuple[BatchItem, ...]
    next_batch: int
