"""Words of which the engine was not sure, in the text that citations count in."""

import pytest

from pulsedocs.model.pages import OffsetMap, doubtful_words

RAW = "Gate 7 opens at 1O cm"
SURE = (95, 40, 90, 99, 30, 80)


def test_words_of_low_confidence_are_found_in_the_raw_text() -> None:
    found = doubtful_words(RAW, SURE, None)

    assert [RAW[start:end] for start, end in found] == ["7", "1O"]


def test_they_are_where_cleaning_has_left_them() -> None:
    """The first word is gone, and a space has become two characters."""
    cleaned = "7 opens\n\nat 1O cm"
    offsets = OffsetMap(cleaned=(0, 9), raw=(5, 13), lengths=(7, 8))

    found = doubtful_words(RAW, SURE, offsets)

    assert [cleaned[start:end] for start, end in found] == ["7", "1O"]


def test_words_that_nobody_recognised_are_not_doubtful() -> None:
    found = doubtful_words(RAW, (None, 40, None, None, None, None), None)

    assert [RAW[start:end] for start, end in found] == ["7"]


@pytest.mark.parametrize("certainties", [(), SURE[:-1]])
def test_without_one_number_a_word_nothing_is_said(certainties: tuple[int, ...]) -> None:
    assert doubtful_words(RAW, certainties, None) == ()
