"""Vectors are checked before they are stored: pgvector keeps a zero vector, whose cosine is NaN."""

import math
from collections.abc import Sequence
from typing import Final

from pulsedocs.errors import ProviderMalformed

_SHORTEST: Final = 0.5
_LONGEST: Final = 1.5
"""Invariant I6: a stored vector's length is within these; unit vectors rounded to half precision
stay within 0.001 of 1, so anything outside was never normalised."""


def normalise(vector: Sequence[float]) -> tuple[float, ...]:
    """Scale to length 1; raise ProviderMalformed for a vector without a direction."""
    length = math.hypot(*vector)
    if not math.isfinite(length) or length == 0.0:
        message = f"the provider returned a vector of length {length}"
        raise ProviderMalformed(message)
    return tuple(value / length for value in vector)


def validate_vectors(
    vectors: Sequence[Sequence[float]], *, expected_count: int, dimensions: int
) -> None:
    """Raise ProviderMalformed unless there are as many vectors as texts, each fit to be stored."""
    if len(vectors) != expected_count:
        message = f"the provider returned {len(vectors)} vectors for {expected_count} texts"
        raise ProviderMalformed(message)
    for index, vector in enumerate(vectors):
        if len(vector) != dimensions:
            message = f"vector {index} has {len(vector)} dimensions, not {dimensions}"
            raise ProviderMalformed(message)
        length = math.hypot(*vector)
        # Written so that NaN, which compares false with everything, is refused as well.
        if not _SHORTEST <= length <= _LONGEST:
            message = f"vector {index} has length {length:.3g}, outside {_SHORTEST} to {_LONGEST}"
            raise ProviderMalformed(message)
