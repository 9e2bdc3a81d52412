"""Cohere Rerank 3.5 and Amazon Rerank through Bedrock's Rerank.

As "Rerank" of the Agents for Amazon Bedrock Runtime in the API reference has it: one query, up to
1,000 texts of up to 32,000 characters, a relevance score for each.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field

from pulsedocs.adapters.bedrock.calls import BedrockCalls
from pulsedocs.calls.parsing import parse
from pulsedocs.calls.provider import ProviderModel
from pulsedocs.calls.scores import scored
from pulsedocs.model.deadline import Deadline

_MAX_CHARACTERS: Final = 32_000


class _Result(BaseModel):
    index: Annotated[int, Field(ge=0)]
    score: Annotated[float, Field(alias="relevanceScore")]


class _Page(BaseModel):
    results: list[_Result]
    next_token: Annotated[str | None, Field(alias="nextToken")] = None


class BedrockReranker(ProviderModel[BedrockCalls]):
    """Implements `ports.providers.Reranker`; scores are from 0 to 1.

    `name` is the id of a foundation model or a whole ARN.
    """

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        deadline.timeout(1)
        return scored(query, passages, lambda asked, texts: self._ask(asked, texts, deadline))

    def _ask(self, query: str, texts: Sequence[str], deadline: Deadline) -> list[tuple[int, float]]:
        request: dict[str, Any] = {
            "queries": [{"type": "TEXT", "textQuery": {"text": query[:_MAX_CHARACTERS]}}],
            "sources": [
                {
                    "type": "INLINE",
                    "inlineDocumentSource": {
                        "type": "TEXT",
                        "textDocument": {"text": text[:_MAX_CHARACTERS]},
                    },
                }
                for text in texts
            ],
            "rerankingConfiguration": {
                "type": "BEDROCK_RERANKING_MODEL",
                "bedrockRerankingConfiguration": {
                    "numberOfResults": len(texts),
                    "modelConfiguration": {"modelArn": self._calls.arn(self._name)},
                },
            },
        }
        results: list[_Result] = []
        # A page without results, or more of them than texts, would never come to an end.
        page = self._page(request, deadline)
        while page.next_token and page.results and len(results) < len(texts):
            results += page.results
            page = self._page(request | {"nextToken": page.next_token}, deadline)
        return [(found.index, found.score) for found in (*results, *page.results)]

    def _page(self, request: dict[str, Any], deadline: Deadline) -> _Page:
        answer = self._calls.whole(lambda client: client.rerank(**request), deadline=deadline)
        return parse(_Page, answer.body, otherwise="Bedrock's answer is no list of scores")
