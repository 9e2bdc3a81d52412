"""ms-marco-MiniLM-L12-v2: reads question and passage together and says how well they fit."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pulsedocs.adapters.local.onnx import Callers, OnnxModel
from pulsedocs.model.deadline import Deadline

_MODEL: Final = "local:ms-marco-MiniLM-L12-v2"


class CrossEncoder:
    """Implements `ports.providers.Reranker`; a score is the raw logit, about -11 to 11.

    A passage longer than the model reads is as good as its best window.
    """

    def __init__(self, model_directory: Path, *, callers: int = 2) -> None:
        self._onnx = OnnxModel(model_directory, "ms-marco-MiniLM-L12-v2")
        self._callers = Callers(callers)

    @property
    def model(self) -> str:
        return _MODEL

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        def score(passage: str) -> float:
            runs = self._onnx.pair_windows(query, passage)
            return max(float(run.output[0, 0]) for run in runs)

        return tuple(self._callers.each(score, passages, deadline=deadline))
