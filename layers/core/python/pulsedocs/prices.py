"""What models cost: a pinned list in US dollars; no provider is asked.

List prices as known in November 2026. They change: compare with the provider's own page.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

_MILLION: Final = 1_000_000
_FREE_PROVIDERS: Final = frozenset({"local", "memory", "extractive"})


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    output: float = 0.0


PRICES: Final = MappingProxyType(
    {
        # Bedrock's and Cohere's are from memory, not from the providers' pages.
        "bedrock:amazon.titan-embed-text-v2:0": Price(0.02),
        "bedrock:cohere.embed-english-v3": Price(0.10),
        "bedrock:cohere.embed-multilingual-v3": Price(0.10),
        "bedrock:cohere.embed-v4:0": Price(0.12),
        "cohere:embed-english-v3.0": Price(0.10),
        "cohere:embed-multilingual-v3.0": Price(0.10),
        "cohere:embed-v4.0": Price(0.12),
        "cohere:command-a-03-2025": Price(2.50, 10.00),
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
    name = model.partition("@")[0]
    if name.partition(":")[0] in _FREE_PROVIDERS:
        return 0.0
    price = PRICES.get(name)
    if price is None:
        return None
    return (price.input * input_tokens + price.output * output_tokens) / _MILLION
