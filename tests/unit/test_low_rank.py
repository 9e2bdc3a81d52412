"""What was learned beside a matrix is added to it in steps of its quantisation."""

from pathlib import Path

import numpy as np
import pytest

from pulsedocs.adapters.local.low_rank import LowRank, instead_of

HEADER = b"onnx"
MATRIX = np.array([[1, 2, 3], [-4, 125, -126]], dtype=np.int8)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "model.onnx"
    file.write_bytes(HEADER + MATRIX.tobytes() + b"more")
    return file


def test_the_product_is_added_in_whole_steps_and_never_beyond_what_a_byte_holds(
    model: Path,
) -> None:
    learned = LowRank(
        at=len(HEADER), down=np.array([[1.0], [10.0]]), up=np.array([[0.4, 0.6, -1.2]])
    ).named("matrix")

    own = instead_of(model, learned)

    assert own.keys() == {"matrix"}
    assert own["matrix"].dtype == np.int8
    assert own["matrix"].tolist() == [[1, 3, 2], [0, 127, -128]]


def test_numbers_that_stand_for_themselves_stay_as_they_are(model: Path) -> None:
    bias = np.array([0.5], dtype=np.float32)

    assert instead_of(model, {"layer.bias": bias}) == {"layer.bias": bias}
