"""Which language a short question is taken for, by the reader that ships."""

import pytest

from pulsedocs.adapters.local.languages import LettersReader
from pulsedocs.model.languages import is_in_latin_letters


@pytest.fixture(scope="module")
def reader() -> LettersReader:
    return LettersReader()


@pytest.mark.parametrize(
    "question", ["\u0446\u0435\u043d\u0430", "\u0418\u041d\u041d", "\u4fa1\u683c", "\u03a9"]
)
def test_what_has_no_latin_letter_is_in_no_language_of_latin_letters(
    reader: LettersReader, question: str
) -> None:
    """Two Cyrillic words were taken for English, and refused as if English had been searched."""
    found = reader(question, expected="en")

    assert found is not None
    assert not is_in_latin_letters(found)


@pytest.mark.parametrize("question", ["GDPR", "gymnasium hire price", "12", "IBAN \u0446"])
def test_a_few_words_without_grammar_stay_in_the_language_expected(
    reader: LettersReader, question: str
) -> None:
    assert reader(question, expected="en") == "en"
