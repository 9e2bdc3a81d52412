"""What models cost: a pinned list in US dollars; no provider is asked.

List prices as known in November 2026. They change: compare with the provider's own page.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType
from typing import Final

_MILLION: Final = 1_000_000
_SEARCH_TEXTS: Final = 100  # of one search of a reranker
_SEARCH_TOKENS: Final = 500  # of one text with the query; a longer one counts as several
_SHORTEST_PIECE: Final = 100  # beside a query that takes up the rest
PASSAGE_TOKENS: Final = 4096
"""What a reranker reads of one passage, and so the most that one can cost."""
_FREE_PROVIDERS: Final = frozenset({"local", "memory", "extractive"})


# An inference profile costs what its model does, but for a few per cent by geography.
_OF_PROFILE: Final = re.compile(r"^bedrock:(apac|au|ca|eu|global|jp|us-gov|us)\.(?=[a-z])")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens; `search` is for one search of a reranker."""

    input: float
    output: float = 0.0
    search: float = 0.0


PRICES: Final = MappingProxyType(
    {
        # Bedrock's and Cohere's are from memory, not from the providers' pages.
        "bedrock:amazon.titan-embed-text-v2:0": Price(0.02),
        "bedrock:amazon.nova-2-lite-v1:0": Price(0.33, 2.75),
        "bedrock:cohere.embed-english-v3": Price(0.10),
        "bedrock:cohere.embed-multilingual-v3": Price(0.10),
        "bedrock:cohere.embed-v4:0": Price(0.12),
        "bedrock:amazon.rerank-v1:0": Price(0.0, search=0.001),
        "bedrock:cohere.rerank-v3-5:0": Price(0.0, search=0.002),
        "cohere:embed-english-v3.0": Price(0.10),
        "cohere:embed-multilingual-v3.0": Price(0.10),
        "cohere:embed-v4.0": Price(0.12),
        "cohere:command-a-03-2025": Price(2.50, 10.00),
        "cohere:rerank-v3.5": Price(0.0, search=0.002),
        "cohere:rerank-english-v3.0": Price(0.0, search=0.002),
        "cohere:rerank-multilingual-v3.0": Price(0.0, search=0.002),
        "openai:text-embedding-3-small": Price(0.02),
        "openai:text-embedding-3-large": Price(0.13),
        "openai:text-embedding-ada-002": Price(0.10),
        "openai:gpt-4o": Price(2.50, 10.00),
        "openai:gpt-4o-mini": Price(0.15, 0.60),
        "openai:gpt-4.1": Price(2.00, 8.00),
        "openai:gpt-4.1-mini": Price(0.40, 1.60),
    }
)


def cost_of(model: str, *, input_tokens: int, output_tokens: int = 0) -> float | None:
    """Return US dollars for one call, or None where the model's price is not known here.

    `model` is `provider:name`, dimensions or not; what runs on this machine costs nothing.
    """
    if is_free(model):
        return 0.0
    price = PRICES.get(_OF_PROFILE.sub("bedrock:", model.partition("@")[0]))
    if price is None:
        return None
    return (price.input * input_tokens + price.output * output_tokens) / _MILLION


def cost_of_reranking(model: str, *, query_tokens: int, passages: Iterable[int]) -> float | None:
    """Return US dollars for ordering passages of so many tokens, None for an unknown price.

    Rerankers are paid by the search: 100 texts of 500 tokens, the query's among them.
    """
    if is_free(model):
        return 0.0
    price = PRICES.get(model)
    if price is None:
        return None
    room = max(_SEARCH_TOKENS - query_tokens, _SHORTEST_PIECE)
    texts = sum(ceil(min(tokens, PASSAGE_TOKENS) / room) for tokens in passages)
    return price.search * ceil(texts / _SEARCH_TEXTS)


def is_free(model: str) -> bool:
    """Say whether a model runs on this machine."""
    return model.partition(":")[0] in _FREE_PROVIDERS
