"""Cut a document's texts into provider calls, named so that a repeated call is recognised."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from math import ceil
from typing import Final

from pulsedocs.model.embeddings import BatchItem, EmbeddingBatch
from pulsedocs.model.tokens import tokens_about

MOST_BATCHES: Final = 500
"""Of one list of items, as far as their number goes. A state holds 256 KB and an execution 25,000
events: a batch takes 62 bytes of the one and 12 of the other. Two lists may be under way, for the
collection's model and for the one beside it, behind the sentences and the scans of a document."""
_HASH_CHARACTERS: Final = 32  # 128 bits: no two batches share a name, and it travels in a state


def batches(
    items: Iterable[BatchItem],
    *,
    model: str,
    max_items: int = 96,
    max_tokens: int = 100_000,
    count_tokens: Callable[[str], int] = tokens_about,
) -> list[EmbeddingBatch]:
    """Group items in their order; a text above `max_tokens` travels alone.

    Beyond `MOST_BATCHES` times `max_items`, a batch holds more items instead.

    96 texts are the limit of Cohere's API and the default of the acceptance list (S2-05); 100,000
    tokens are a third of what OpenAI takes in one request.
    """
    listed = list(items)
    max_items = max(max_items, ceil(len(listed) / MOST_BATCHES))
    groups: list[list[BatchItem]] = []
    total = 0
    for item in listed:
        tokens = count_tokens(item.text)
        if not groups or len(groups[-1]) >= max_items or total + tokens > max_tokens:
            groups.append([])
            total = 0
        groups[-1].append(item)
        total += tokens
    return [EmbeddingBatch(_batch_hash(model, group), tuple(group)) for group in groups]


def _batch_hash(model: str, items: Sequence[BatchItem]) -> str:
    """Name a batch by model, texts and chunks, in order.

    The chunk ids belong to it: two chunks of equal text must not share one batch's answer file.
    Every part is hashed first, so that no two lists of parts run together into the same bytes.
    """
    digest = hashlib.sha256(hashlib.sha256(model.encode()).digest())
    for item in items:
        digest.update(hashlib.sha256(item.content_hash).digest())
        digest.update(item.chunk_id.bytes)
    return digest.hexdigest()[:_HASH_CHARACTERS]
