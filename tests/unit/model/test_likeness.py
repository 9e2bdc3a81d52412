"""What is a copy with other figures, and what is another text."""

import pytest

from pulsedocs.model.likeness import likeness_of

NOTICE = "On day 3 the pump was stopped at 14:05 because the lamp of the station was lit."


@pytest.mark.parametrize(
    "other",
    [
        NOTICE.replace("3", "17"),
        NOTICE.replace("14:05", "9:30"),
        NOTICE.upper(),
        NOTICE.replace(" ", "\n"),
    ],
)
def test_other_figures_and_layout_are_alike(other: str) -> None:
    assert likeness_of(other) == likeness_of(NOTICE)


@pytest.mark.parametrize(
    "other", [NOTICE.replace("was lit", "was not lit"), NOTICE.replace("pump", "fan")]
)
def test_one_other_word_is_another_text(other: str) -> None:
    assert likeness_of(other) != likeness_of(NOTICE)


def test_a_table_of_figures_is_like_no_other() -> None:
    """Few words, and all that matters is in the figures."""
    assert likeness_of("Net sales 2023 41.2 39.9") != likeness_of("Net sales 2019 38.0 36.1")
