"""What a plug-in implements: four small interfaces, their values, and nothing of the product.

A plug-in is a class with a `plugin_name`, found through the entry point group
`pulsedocs.plugins` or named by the setting PLUGINS (`package.module:Class`). One that says
`is_experimental = True` is loaded only where the setting EXPERIMENTAL_PLUGINS allows it.
`pulsedocs.contracts` has a suite of tests for each interface.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

GROUP: Final = "pulsedocs.plugins"
"""The group of entry points under which an installed package offers its plug-ins."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters `start` to `end` (exclusive) of the text: a chunk is always a quotation."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Point:
    """A vector with the text that it stands for; `id` is chosen by whoever stores it."""

    id: str
    vector: tuple[float, ...]
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Match:
    """A point that was found, with its cosine similarity to the question."""

    id: str
    score: float
    text: str
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScoredChunk:
    """The place of a chunk among those given, and its score; higher is better."""

    index: int
    score: float


@runtime_checkable
class BaseChunker(Protocol):
    """Chosen by a document as the chunk profile `plugin:<plugin_name>`. Made without arguments."""

    def chunk(self, text: str, config: Mapping[str, Any]) -> Sequence[Piece]:
        """Return pieces of at most 8,000 characters, in order, that hold all of the text."""
        ...

    def validate_config(self, config: Mapping[str, Any]) -> bool:
        """Return whether a document may be cut with these options; asked when it is registered."""
        ...


@runtime_checkable
class BaseEmbedder(Protocol):
    """Chosen as the model `<plugin_name>:<name>@<dimensions>`; made with `name`, `dimensions`."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector per text, in their order; an empty one for a text it refuses."""
        ...

    def get_dimensions(self) -> int: ...


@runtime_checkable
class BaseReranker(Protocol):
    """Chosen by RERANKER_MODEL as `<plugin_name>:<name>`; made with `name`."""

    def rerank(self, query: str, chunks: Sequence[str], top_k: int) -> Sequence[ScoredChunk]:
        """Return the best `top_k`, best first; scores from 0 to 1 are taken as relevance."""
        ...


@runtime_checkable
class BaseVectorDB(Protocol):
    """Vectors under names, for programs that want no more of a store than that."""

    def create_collection(self, name: str, dimensions: int) -> None:
        """Make a collection; one that is there with the same dimensions is left as it is."""
        ...

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        """Write points; one whose id is there is replaced."""
        ...

    def search(
        self,
        collection: str,
        query_vector: Sequence[float],
        filters: Mapping[str, Any] | None = None,
        limit: int = 10,
    ) -> Sequence[Match]:
        """Return the nearest points whose metadata equals the filters, nearest first."""
        ...

    def delete(self, collection: str, filters: Mapping[str, Any]) -> int:
        """Delete the points whose metadata equals the filters; return how many there were."""
        ...
