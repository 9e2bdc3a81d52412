"""What models do: count, embed, order and write."""

from collections.abc import Generator, Sequence
from typing import Protocol

from pulsedocs.extraction.recognition import RecognisedText
from pulsedocs.model.answers import ChatMessage, Completion, ReplySchema
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch


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


class PictureReader(Protocol):
    """Recognises words on a picture, a PNG, with boxes on a page of that size.

    Raises RetryableError, ParkedError, and DocumentRejected for a picture that it does not take.
    """

    @property
    def name(self) -> str: ...

    def read(self, png: bytes, *, width: float, height: float) -> RecognisedText: ...


class LanguageReader(Protocol):
    def __call__(self, text: str, *, expected: str | None) -> str | None:
        """Return the ISO 639-1 code of a text's language: the expected one in case of doubt."""
        ...


class Vocabulary(Protocol):
    def __call__(self, word: str) -> bool:
        """Say whether a word, in small letters, is a common one."""
        ...


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
