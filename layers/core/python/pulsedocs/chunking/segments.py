"""The sentences of a document in the batches that a provider is sent, named by their content."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from pulsedocs.chunking.profiles import SEMANTIC, ChunkProfile
from pulsedocs.chunking.semantic import is_single
from pulsedocs.chunking.sentences import split_sentences
from pulsedocs.chunking.stream import Stream
from pulsedocs.model.pages import CleanedPage

MOST_BATCHES: Final = 2_000
"""A reference is 61 bytes in the state machine, whose state holds 256 KB."""

_HASH_CHARACTERS: Final = 32  # 128 bits: no two batches of a tenant collide
_BYTES_PER_TOKEN: Final = 4  # English in cl100k_base; other scripts have fewer
_MAX_TOKENS: Final = 100_000  # a third of what OpenAI takes in one request


@dataclass(frozen=True, slots=True)
class SentenceBatch:
    """Sentences for one provider call; the first is the last of the batch before."""

    batch_hash: str
    texts: tuple[str, ...]


def sentence_batches(
    pages: Sequence[CleanedPage],
    *,
    profile: ChunkProfile,
    count_tokens: Callable[[str], int],
    model: str,
    max_items: int,
) -> list[SentenceBatch]:
    """Return what has to be measured: nothing of another profile, of a short or endless text.

    Each batch overlaps its neighbour by one sentence, so every distance lies within a batch.
    """
    if profile.method != SEMANTIC:
        return []
    text = Stream.of(pages).text
    if is_single(text, max_tokens=profile.parameters["max_tokens"], count_tokens=count_tokens):
        return []
    sentences = [text[start:end].strip() for start, end in split_sentences(text)]
    batches: list[SentenceBatch] = []
    start = 0
    while start < len(sentences) - 1:
        end, tokens = start, 0
        while end < len(sentences) and end - start < max(2, max_items):
            tokens += len(sentences[end].encode("utf-8", "replace")) // _BYTES_PER_TOKEN + 1
            if tokens > _MAX_TOKENS:  # after some 25 of the longest sentences at the earliest
                break
            end += 1
        texts = tuple(sentences[start:end])
        # A batch is named by model and texts; each is hashed first, so no two lists run together.
        digest = hashlib.sha256(hashlib.sha256(model.encode()).digest())
        for text in texts:
            digest.update(hashlib.sha256(text.encode("utf-8", "replace")).digest())
        batches.append(SentenceBatch(digest.hexdigest()[:_HASH_CHARACTERS], texts))
        start = end - 1
    return batches if len(batches) <= MOST_BATCHES else []
