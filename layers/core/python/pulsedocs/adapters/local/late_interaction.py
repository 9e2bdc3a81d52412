"""answerai-colbert-small: compares question and passage token by token, each read by itself."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pulsedocs.adapters.local.onnx import Callers, OnnxModel
from pulsedocs.model.deadline import Deadline

_MODEL: Final = "local:answerai-colbert-small-v1"
_Tokens = npt.NDArray[np.float32]


class LateInteraction:
    """Implements `ports.providers.Reranker`; a score is the mean best cosine, from -1 to 1.

    The raw 384 dimensions are compared: the file comes without the projection to 96 that the model
    was published with. The mean, not the sum: a long question would otherwise score higher.
    """

    def __init__(self, model_directory: Path) -> None:
        self._onnx = OnnxModel(model_directory, "answerai-colbert-small-v1")
        self._callers = Callers()

    @property
    def model(self) -> str:
        return _MODEL

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        [asked] = self._callers.each(self.tokens, [query], deadline=deadline)

        def score(passage: str) -> float:
            return max_similarity(asked, self.tokens(passage))

        return tuple(self._callers.each(score, passages, deadline=deadline))

    def tokens(self, text: str) -> _Tokens:
        """Return one vector of length 1 for each token."""
        vectors = np.concatenate([run.output[0] for run in self._onnx.windows(text)])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.maximum(lengths, np.float32(1e-9))


def max_similarity(query: _Tokens, passage: _Tokens) -> float:
    """Return how near each token of the query comes to its nearest in the passage, on average."""
    return float((query @ passage.T).max(axis=1).mean())
