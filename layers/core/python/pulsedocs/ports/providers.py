"""What models do: count, embed, order and write."""

from collections.abc import Callable, Generator, Sequence
from typing import Protocol

from pulsedocs.model.answers import ChatMessage, Completion, ReplySchema
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch
from pulsedocs.model.queries import QueryKey
from pulsedocs.ports.ingestion import Made


class TokenCounter(Protocol):
    def __call__(self, text: str) -> int: ...


class Embedder(Protocol):
    """Turns texts into vectors. Raises the Provider* errors."""

    @property
    def model(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch: ...

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]: ...


class Reranker(Protocol):
    """Scores passages against a query on the model's own scale; `relevance` maps it to 0-1."""

    @property
    def model(self) -> str: ...

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]: ...


class ChatModel(Protocol):
    @property
    def model(self) -> str: ...

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        temperature: float,
        max_tokens: int,
        deadline: Deadline,
        reply_schema: ReplySchema | None = None,
    ) -> Completion: ...

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        temperature: float,
        max_tokens: int,
        deadline: Deadline,
    ) -> Generator[str, None, Completion]:
        """Yield the reply piece by piece as it is written; return all of it, with its cost.

        An empty piece may come at any time: whoever reads can then stop, while nothing is said.
        Closing the generator ends the call, and the provider sees its connection closed.
        """
        ...


class QueryCache(Protocol):
    """What was made of a question lately, in this process; bounded in number and in age."""

    def remember(self, key: QueryKey, make: Callable[[], Made]) -> Made:
        """Return what was made for the same key before, or make it; errors are not kept."""
        ...
