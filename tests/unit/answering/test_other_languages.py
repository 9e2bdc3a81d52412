"""What is asked for and said in Portuguese, Dutch, Spanish, Italian, Chinese and Japanese."""

import pytest

from pulsedocs.answering.asked.forms import is_said_in_dutch
from pulsedocs.answering.asked.ranges import in_range_of


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("desde los 7 a\u00f1os", "\u00bfPuede entrar un ni\u00f1o de 8 a\u00f1os?"),
        ("a partire da 14 anni", "Si noleggia a chi ha 15 anni?"),
        ("sotto i 3 anni", "Un bambino di 2 anni paga?"),
        ("a partir dos 5 anos", "Uma crian\u00e7a de 6 anos pode entrar?"),
        ("at\u00e9 aos 4 anos", "Uma crian\u00e7a de 3 anos paga?"),
        ("vanaf 6 jaar", "Mag een kind van 8 jaar meedoen?"),
        ("onder de 4 jaar", "Betaalt een kind van 3 jaar?"),
        ("\u00e0 partir de 12 ans", "Un enfant de 13 ans peut-il entrer ?"),
        ("from 7 years", "May a child of 8 years join?"),
    ],
)
def test_a_range_holds_what_lies_in_it(said: str, question: str) -> None:
    assert said in in_range_of(f"... {said} ...", question)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("desde los 7 a\u00f1os", "\u00bfPuede entrar un ni\u00f1o de 6 a\u00f1os?"),
        ("sotto i 3 anni", "Un bambino di 3 anni paga?"),
        ("vanaf 6 jaar", "Mag een kind van 5 jaar meedoen?"),
        ("from 3 days to 6 days", "If I cancel 8 days before?"),
    ],
)
def test_a_range_holds_nothing_beyond_its_bounds(said: str, question: str) -> None:
    assert in_range_of(f"... {said} ...", question) == question


@pytest.mark.parametrize(
    ("term", "word", "is_one"),
    [
        ("reserveer", "gereserveerd", True),
        ("baan", "banen", True),
        ("roken", "gerookt", True),
        ("opzeggen", "opgezegd", True),
        ("brief", "brieven", True),
        ("prijs", "huurprijs", True),
        ("huurder", "verhuurder", False),
        ("boot", "boter", False),
        ("kost", "kast", False),
    ],
)
def test_a_dutch_word_is_said_by_its_own_forms(term: str, word: str, *, is_one: bool) -> None:
    assert is_said_in_dutch(term, frozenset({word})) is is_one
