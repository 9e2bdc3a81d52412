"""A model's score becomes a relevance from 0 to 1, whatever the score."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.embedding import relevance_map

MODELS = [
    "local:bge-small-en-v1.5@384",
    "local:ms-marco-MiniLM-L12-v2",
    "local:answerai-colbert-small-v1",
    "memory:hashing@384",
    "memory:overlap",
    "openai:text-embedding-3-small@1536",
]


@pytest.mark.parametrize("model", MODELS)
@given(scores=st.tuples(*[st.floats(-1e6, 1e6)] * 2))
def test_relevance_is_between_0_and_1_and_keeps_the_order(
    model: str, scores: tuple[float, float]
) -> None:
    """S3-18: relevance is from 0 to 1."""
    low, high = sorted(scores)
    relevance = relevance_map(model)

    assert 0 <= relevance(low) <= relevance(high) <= 1


def test_a_model_without_a_calibration_is_taken_as_it_is() -> None:
    relevance = relevance_map("openai:text-embedding-3-small@1536")

    assert [relevance(cosine) for cosine in (-0.2, 0.3, 1.2)] == [0, 0.3, 1]


def test_every_dimension_of_the_fake_has_its_calibration() -> None:
    assert relevance_map("memory:hashing@64")(0.2) == relevance_map("memory:hashing@384")(0.2)


@pytest.mark.parametrize("model", MODELS[:2])
def test_the_threshold_of_the_default_profile_lies_inside_the_measured_gap(model: str) -> None:
    """S0-16: the scores that evaluation.calibrate found on either side of the gate."""
    refused, kept = {MODELS[0]: (0.55, 0.57), MODELS[1]: (-8.4, -6.9)}[model]
    relevance = relevance_map(model)

    assert relevance(refused) < 0.30 < relevance(kept)
    assert math.isclose(relevance(-1e9), 0)
