"""An embedder without a model: words hashed into a vector, so that texts sharing words are near."""

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pulsedocs.adapters.memory.words import words_of
from pulsedocs.embedding import normalise
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch, ModelName
from pulsedocs.model.tokens import tokens_about

_HASH_BYTES: Final = 8
_SIGN_BIT: Final = 1


class HashingEmbedder:
    """Implements `ports.providers.Embedder`; a text's vector is the same on every machine."""

    def __init__(self, *, dimensions: int = 384) -> None:
        self._name = ModelName("memory", "hashing", dimensions)

    @property
    def model(self) -> str:
        return str(self._name)

    @property
    def dimensions(self) -> int:
        return self._name.dimensions

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        vectors = tuple(self.embed_query(text, deadline=deadline) for text in texts)
        return EmbeddedBatch(vectors, input_tokens=sum(map(tokens_about, texts)))

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        deadline.timeout(1)
        vector = [0.0] * self.dimensions
        for word, count in Counter(words_of(text) or [""]).items():
            place, sign = _place_of(word)
            # The logarithm keeps a word repeated on every line from drowning the others.
            vector[place % self.dimensions] += sign * (1 + math.log(count))
        if not any(vector):  # two words on one place with opposite signs, and no third
            vector[0] = 1.0
        return normalise(vector)


@lru_cache(maxsize=65_536)
def _place_of(word: str) -> tuple[int, float]:
    """Return where a word counts, before the modulus, and with which sign.

    Signs make collisions cancel on average; `hash()` would differ between processes.
    """
    digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=_HASH_BYTES).digest()
    number = int.from_bytes(digest, "big")
    return number >> 1, 1.0 if number & _SIGN_BIT else -1.0
