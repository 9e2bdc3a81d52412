"""The models that answering a question may need."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pulsedocs.model.queries import QueryKey
from pulsedocs.ports.providers import ChatModel, Embedder, LanguageReader, Reranker, Vocabulary
from pulsedocs.questions.ports import QueryCache

_Made = TypeVar("_Made")


def _nothing() -> None:
    """Stand for a model that a stage is configured without."""


@dataclass(frozen=True, slots=True)
class Providers:
    """The models of a stage, built when first used: a policy without one never loads it.

    `reranker`, `chat` and `rewriter` return None where the stage is configured without.
    """

    embedder: Callable[[str], Embedder]
    reranker: Callable[[], Reranker | None]
    chat: Callable[[], ChatModel | None]
    rewriter: Callable[[], ChatModel | None] = _nothing
    """The cheap model that rewrites questions before a search."""
    cache: QueryCache | None = None
    abbreviations: Mapping[str, str] = field(default_factory=dict[str, str])
    languages: Callable[[], LanguageReader | None] = _nothing
    """Who tells in which language a text is; None where nobody can."""
    vocabulary: Callable[[], Vocabulary | None] = _nothing
    """Who tells common words from others; without it no word is held to be misspelt."""
    answer_judge: Callable[[str], Reranker | None] = lambda _model: None
    """Who tells sentences that answer from those that speak of the same, where the named model
    scores them; None where nobody can."""
    temperature: float = 0.2
    max_tokens: int = 1024

    def remembered(self, key: QueryKey, make: Callable[[], _Made]) -> _Made:
        return make() if self.cache is None else self.cache.remember(key, make)
