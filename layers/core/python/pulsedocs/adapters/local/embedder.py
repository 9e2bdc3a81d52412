"""bge-small-en-v1.5: English text to 384 dimensions, on the CPU."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from pulsedocs.adapters.local.onnx import Callers, OnnxModel
from pulsedocs.embedding import normalise, query_prefix, validate_vectors
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch

_MODEL: Final = "local:bge-small-en-v1.5@384"
_DIMENSIONS: Final = 384
_WORDS: Final = 1_024
"""Single words whose vectors are kept, 12 KB each: a question compares some 50 at 3 ms each, half
of them words of questions before it."""


class LocalEmbedder:
    """Implements `ports.providers.Embedder`; a longer text has the mean vector of its windows."""

    def __init__(self, model_directory: Path) -> None:
        self._onnx = OnnxModel(model_directory, "bge-small-en-v1.5")
        self._callers = Callers()
        self._embed_word = lru_cache(_WORDS)(self._run)

    @property
    def model(self) -> str:
        return _MODEL

    @property
    def dimensions(self) -> int:
        return _DIMENSIONS

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        embedded = self._callers.each(self._embed, texts, deadline=deadline)
        vectors = tuple(vector for vector, _ in embedded)
        validate_vectors(vectors, expected_count=len(texts), dimensions=_DIMENSIONS)
        return EmbeddedBatch(vectors, input_tokens=sum(tokens for _, tokens in embedded))

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        [(vector, _)] = self._callers.each(
            self._embed, [query_prefix(_MODEL) + text], deadline=deadline
        )
        validate_vectors([vector], expected_count=1, dimensions=_DIMENSIONS)
        return vector

    def _embed(self, text: str) -> tuple[tuple[float, ...], int]:
        return self._embed_word(text) if text.isalpha() else self._run(text)

    def _run(self, text: str) -> tuple[tuple[float, ...], int]:
        runs = self._onnx.windows(text)
        # The model was trained to put the text's meaning into the first token.
        vectors = [normalise([float(value) for value in run.output[0, 0]]) for run in runs]
        mean = [sum(values) / len(vectors) for values in zip(*vectors, strict=True)]
        return normalise(mean), sum(run.tokens for run in runs)
