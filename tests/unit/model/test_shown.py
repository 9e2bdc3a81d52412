"""A name shows what it is, or it is no name."""

import pytest

from pulsedocs.model.shown import is_shown


@pytest.mark.parametrize(
    "name",
    ["6.03\u202fPM", "\u0645\u06cc\u200c\u062e.txt", "\u200e\u05d0.pdf", "co\u00adop", "a b"],
)
def test_blanks_joiners_and_soft_hyphens_are_in_names(name: str) -> None:
    assert is_shown(name)


@pytest.mark.parametrize("mark", ["\u202e", "\u2066", "\n"])
def test_what_turns_text_around_is_in_none(mark: str) -> None:
    assert not is_shown(f"lease{mark}fdp.txt")


@pytest.mark.parametrize("name", ["", " ", "\u200b", "\u200e", "\u200d \u00ad", "\u202f"])
def test_a_name_of_nothing_that_is_seen_is_none(name: str) -> None:
    assert not is_shown(name)
