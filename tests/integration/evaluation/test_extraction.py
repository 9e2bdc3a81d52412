"""The project's own texts are read from every format as well as the committed baseline says."""

import json

from evaluation.extraction import BASELINE, fallen, made, measure_made


def test_no_figure_of_any_format_fell() -> None:
    baseline = json.loads(BASELINE.read_text(encoding="utf-8"))

    now = measure_made(made())

    assert list(fallen(baseline, now)) == []
    assert now.keys() == baseline.keys()
