"""The values of made tables are read under their own rows and columns."""

from evaluation.tables import markdown_of, measure, plan, share


def test_every_value_is_read_in_its_row_and_column() -> None:
    assert {kind: figure for kind, figure in measure([0, 1]).items() if figure < 1} == {}


def test_a_value_in_another_column_does_not_count() -> None:
    written = plan(1)
    shifted = [written[0], *([label, *values[1:], "none"] for label, *values in written[1:])]

    assert share(written, markdown_of(shifted), "text/markdown") < 0.5
