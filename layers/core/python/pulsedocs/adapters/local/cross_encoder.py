"""ms-marco-MiniLM-L12-v2: reads question and text together and says how well they fit.

As it is, it orders passages. Taught (decision 0075), it tells sentences that answer a question from
those that only speak of the same.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pulsedocs.adapters.local.onnx import Callers, OnnxModel
from pulsedocs.model.deadline import Deadline

FILE: Final = "ms-marco-MiniLM-L12-v2"
TAUGHT: Final = Path(__file__).with_name("answers.npz")
"""What `python -m evaluation.teaching` writes."""
_MODEL: Final = f"local:{FILE}"
ANSWERS: Final = "local:pulsedocs-answers"


class CrossEncoder:
    """Implements `ports.providers.Reranker`; a score is the raw logit, about -11 to 11.

    A passage longer than the model reads is as good as its best window. What it was `taught`
    makes another model of the file, which has a name of its own.
    """

    def __init__(
        self,
        model_directory: Path,
        *,
        model: str = _MODEL,
        taught: Mapping[str, npt.NDArray[Any]] | None = None,
    ) -> None:
        self._onnx = OnnxModel(model_directory, FILE, taught=taught)
        self._callers = Callers()
        self._model = model

    @property
    def model(self) -> str:
        return self._model

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        def score(passage: str) -> float:
            runs = self._onnx.pair_windows(query, passage)
            return max(float(run.output[0, 0]) for run in runs)

        return tuple(self._callers.each(score, passages, deadline=deadline))


def answer_judge(model_directory: Path) -> CrossEncoder:
    """Return the model that was taught to tell answers; half its logit is the log-odds of one."""
    with np.load(TAUGHT) as taught:
        return CrossEncoder(model_directory, model=ANSWERS, taught=dict(taught))
