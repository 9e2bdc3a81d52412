"""Cohere's rerankers: "Rerank API (v2)" of its reference.

A passage longer than the model reads is cut by Cohere (`max_tokens_per_doc`, 4,096 by default).
"""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import BaseModel, Field

from pulsedocs.adapters.cohere.calls import CohereCalls
from pulsedocs.calls.parsing import parse
from pulsedocs.calls.scores import scored
from pulsedocs.model.deadline import Deadline

_MAX_BYTES: Final = 8 * 1024 * 1024


class _Result(BaseModel):
    index: Annotated[int, Field(ge=0)]
    relevance_score: float


class _Reply(BaseModel):
    results: list[_Result]


class CohereReranker:
    """Implements `ports.providers.Reranker`; scores are from 0 to 1."""

    def __init__(
        self,
        name: str,
        *,
        api_key: str,
        base_url: str | None = None,
        timeout_seconds: float = 5.0,
    ) -> None:
        self._name = name
        self._calls = CohereCalls(
            api_key=api_key,
            base_url=base_url,
            timeout_seconds=timeout_seconds,
            max_bytes=_MAX_BYTES,
        )

    @property
    def model(self) -> str:
        return f"cohere:{self._name}"

    def close(self) -> None:
        """Give the connections back; a closed reranker cannot be used again."""
        self._calls.close()

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        deadline.timeout(1)
        return scored(query, passages, lambda asked, texts: self._ask(asked, texts, deadline))

    def _ask(self, query: str, texts: Sequence[str], deadline: Deadline) -> list[tuple[int, float]]:
        request = {
            "model": self._name,
            "query": query,
            "documents": list(texts),
            "top_n": len(texts),
        }
        body = self._calls.whole("/v2/rerank", request, deadline=deadline).body
        reply = parse(_Reply, body, otherwise="Cohere's answer is no list of scores")
        return [(found.index, found.relevance_score) for found in reply.results]
