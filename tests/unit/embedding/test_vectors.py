"""No vector is stored that a search could not compare."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.embedding import normalise, validate_vectors
from pulsedocs.errors import ProviderMalformed

finite = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(st.lists(finite, min_size=1, max_size=20).filter(any))
def test_a_normalised_vector_has_length_1_and_the_same_direction(vector: list[float]) -> None:
    unit = normalise(vector)

    assert math.hypot(*unit) == pytest.approx(1)
    assert all(a * b >= 0 for a, b in zip(vector, unit, strict=True))


@pytest.mark.parametrize(
    "vector", [[], [0.0], [0.0, -0.0], [math.nan, 1.0], [math.inf, 1.0], [1e308] * 4]
)
def test_a_vector_without_a_direction_is_malformed(vector: list[float]) -> None:
    with pytest.raises(ProviderMalformed):
        normalise(vector)


def test_unit_vectors_of_the_right_number_and_size_pass() -> None:
    validate_vectors([(1.0, 0.0), (0.6, 0.8)], expected_count=2, dimensions=2)


@pytest.mark.parametrize("length", [0.5, 0.999, 1.5])
def test_a_length_near_1_passes(length: float) -> None:
    validate_vectors([(length, 0.0)], expected_count=1, dimensions=2)


@pytest.mark.parametrize(
    "vectors",
    [
        *([], [(1.0, 0.0)], [(1.0, 0.0)] * 3),
        *([(1.0, 0.0), (1.0,)], [(1.0, 0.0), (1.0, 0.0, 0.0)], [(1.0, 0.0), ()]),
        *([(1.0, 0.0), (0.0, 0.0)], [(1.0, 0.0), (0.4, 0.0)], [(1.0, 0.0), (1.6, 0.0)]),
        *([(1.0, 0.0), (math.nan, 0.0)], [(1.0, 0.0), (-math.inf, 0.0)]),
    ],
)
def test_everything_else_is_malformed(vectors: list[tuple[float, ...]]) -> None:
    """I6: dimensions, finite, length 0.5 to 1.5."""
    with pytest.raises(ProviderMalformed):
        validate_vectors(vectors, expected_count=2, dimensions=2)
