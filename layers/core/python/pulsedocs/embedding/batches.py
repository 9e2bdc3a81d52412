"""Cut a document's texts into provider calls, named so that a repeated call is recognised."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from pulsedocs.model.embeddings import BatchItem, EmbeddingBatch

_BYTES_PER_TOKEN: Final = 4  # English in cl100k_base; other scripts have fewer
_HASH_CHARACTERS: Final = 32


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` has, without a tokenizer; at least 1.

    Good enough to size a batch: where it is too low, the provider refuses the batch and the
    adapter halves it.
    """
    return len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN + 1


def batches(
    items: Iterable[BatchItem],
    *,
    model: str,
    max_items: int = 96,
    max_tokens: int = 100_000,
    count_tokens: Callable[[str], int] = estimate_tokens,
) -> list[EmbeddingBatch]:
    """Group items in their order; a text above `max_tokens` travels alone.

    96 texts are the limit of Cohere's API and the default of the acceptance list (S2-05); 100,000
    tokens are a third of what OpenAI takes in one request.
    """
    return [
        EmbeddingBatch(_batch_hash(model, group), tuple(group))
        for group in _groups(
            items, max_items=max_items, max_tokens=max_tokens, count_tokens=count_tokens
        )
    ]


def _groups(
    items: Iterable[BatchItem],
    *,
    max_items: int,
    max_tokens: int,
    count_tokens: Callable[[str], int],
) -> Iterator[list[BatchItem]]:
    group: list[BatchItem] = []
    total = 0
    for item in items:
        tokens = count_tokens(item.text)
        if group and (len(group) >= max_items or total + tokens > max_tokens):
            yield group
            group, total = [], 0
        group.append(item)
        total += tokens
    if group:
        yield group


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
