"""What is a copy with other figures, and what is another text."""

import pytest

from pulsedocs.model.likeness import likeness_of, says_the_same, words_of

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


PIER = "A boat may lie at the visitors' pier for two nights in a row."


def same(one: str, other: str, *, question: str, same_place: bool = False) -> bool:
    asked = words_of(question)
    return says_the_same(words_of(one), words_of(other), asked=asked, same_place=same_place)


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        (PIER, PIER.replace("two", "seven"), "How long may a boat stay?"),
        (PIER, PIER.replace("may", "may not"), "How long may a boat stay?"),
        (
            "\u6cf3\u6c60\u5468\u4e00\u5173\u95ed\u6e05\u6d01",
            "\u6cf3\u6c60\u5468\u4e8c\u5173\u95ed\u6e05\u6d01",
            "\u6cf3\u6c60?",
        ),
    ],
)
def test_versions_say_the_same_but_for_a_figure_or_a_word(
    one: str, other: str, question: str
) -> None:
    assert same(one, other, question=question)


def test_texts_that_differ_in_a_word_of_the_question_speak_of_different_things() -> None:
    hall = "The deposit for the hall is 250 euros."

    assert not same(hall, hall.replace("hall", "pool"), question="What is the hall's deposit?")


def test_half_the_words_are_enough_in_the_same_section_of_the_same_source() -> None:
    other = "A boat may lie at the visitors' pier from May to October, as long as space allows."

    assert not same(PIER, other, question="pier")
    assert same(PIER, other, question="pier", same_place=True)


def test_texts_without_words_say_nothing() -> None:
    assert not same("12 14", "13 15", question="how much", same_place=True)
