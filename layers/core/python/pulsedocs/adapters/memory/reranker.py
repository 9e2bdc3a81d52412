"""A reranker without a model: the share of the question's words that a passage has."""

from collections.abc import Sequence

from pulsedocs.adapters.memory.words import words_of
from pulsedocs.model.deadline import Deadline


class OverlapReranker:
    """Implements `ports.providers.Reranker`; scores are from 0 to 1."""

    @property
    def model(self) -> str:
        return "memory:overlap"

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        deadline.timeout(1)
        asked = set(words_of(query))
        return tuple(
            len(asked & set(words_of(passage))) / len(asked) if asked else 0.0
            for passage in passages
        )
