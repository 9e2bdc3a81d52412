"""What a model's score is worth: each scale mapped to one relevance from 0 to 1."""

import math
from collections.abc import Callable
from functools import partial
from typing import Final

_LOGISTIC: Final[dict[str, tuple[float, float]]] = {
    "local:bge-small-en-v1.5": (20.0, -12.5),
    "local:ms-marco-MiniLM-L12-v2": (0.6, 2.0),
    "memory:hashing": (12.0, -3.0),
    "memory:overlap": (12.0, -4.0),
}
"""Slope and intercept of `1 / (1 + exp(-(a * score + b)))`."""


def relevance_map(model: str) -> Callable[[float], float]:
    """Return the map from `model`'s score to relevance."""
    name, _, _dimensions = model.partition("@")
    if name in _LOGISTIC:
        slope, intercept = _LOGISTIC[name]
        return partial(_logistic, slope=slope, intercept=intercept)
    return _as_given


def _logistic(score: float, *, slope: float, intercept: float) -> float:
    exponent = slope * score + intercept
    # exp() of a large positive number overflows; of a large negative one it is 0.
    if exponent >= 0:
        return 1 / (1 + math.exp(-exponent))
    return math.exp(exponent) / (1 + math.exp(exponent))


def _as_given(score: float) -> float:
    return min(1.0, max(0.0, score))
