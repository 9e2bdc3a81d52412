"""Cohere's rerankers: "Rerank API (v2)" of its reference.

A passage longer than the model reads is cut by Cohere (`max_tokens_per_doc`, 4,096 by default).
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from pulsedocs.adapters.cohere.calls import CohereCalls
from pulsedocs.calls.parsing import parse
from pulsedocs.calls.provider import ProviderModel
from pulsedocs.calls.scores import scored
from pulsedocs.model.deadline import Deadline


class _Result(BaseModel):
    index: Annotated[int, Field(ge=0)]
    relevance_score: float


class _Reply(BaseModel):
    results: list[_Result]


class CohereReranker(ProviderModel[CohereCalls]):
    """Implements `ports.providers.Reranker`; scores are from 0 to 1."""

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        deadline.timeout(1)

        def ask(asked: str, texts: Sequence[str]) -> list[tuple[int, float]]:
            request = {
                "model": self._name,
                "query": asked,
                "documents": list(texts),
                "top_n": len(texts),
            }
            body = self._calls.whole("/v2/rerank", request, deadline=deadline).body
            reply = parse(_Reply, body, otherwise="Cohere's answer is no list of scores")
            return [(found.index, found.relevance_score) for found in reply.results]

        return scored(query, passages, ask)
