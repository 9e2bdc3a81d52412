"""A question about a name that no passage mentions is not answered by its neighbour."""

import pytest

from pulsedocs.answering.names import missing_names
from tests.unit.answering.blocks import block

HANDBOOK = (
    "The HX-400 measures how much water vapour a gas contains. The analyser is mounted upright on a"
    " wall and connected to the network of the plant. In Sweden and Norway 300 analysers were sold"
    " in the last year, and the housing is painted in the colour that the customer has ordered."
)
GERMAN = (
    "Das Messger\u00e4t wird an der Wand der Halle befestigt und mit dem Netz der Anlage verbunden."
    " Der Einlass der Leitung und der Druck am Ventil werden vor der Messung von der Schicht"
    " gepr\u00fcft."
)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What does the HX-500 measure in a gas?", {"HX-500"}),
        ("How many analysers were sold in Japan last year?", {"Japan"}),
        ("Which Bluetooth network is the analyser connected to?", {"Bluetooth"}),
        ("How many analysers were sold by MuseScore last year?", {"MuseScore"}),
    ],
)
def test_what_no_passage_mentions_is_missing(question: str, missing: set[str]) -> None:
    assert missing_names(question, [block(1, HANDBOOK)]) == missing


@pytest.mark.parametrize(
    "question",
    [
        "What does the HX400 measure in a gas?",  # joined otherwise
        "How many analysers were sold in Swden last year?",  # misspelt
        "How many analysers were sold in Norway's towns last year?",
        "How many analysers were sold in March last year?",  # may stand there as a number
        "How many analysers were sold at Christmas last year?",
        "Is the analyser of the plant an ATEX analyser?",  # may be written out
        "Can the analyser of the plant write PDFs?",
        "How thick is the wall? Which gas does the analyser measure?",  # begins a sentence
        "how many analysers were sold in japan",  # nothing says that it is a name
        "Which A4 sheet has the colour of the housing?",  # no other of its kind is mentioned
    ],
)
def test_what_may_be_mentioned_is_not_missing(question: str) -> None:
    assert missing_names(question, [block(1, HANDBOOK)]) == frozenset()


def test_a_name_is_mentioned_with_its_marks_too() -> None:
    page = (
        "Le programme dure deux heures. L\u2019option Hygi\u00e8ne maintient le dernier"
        " rin\u00e7age \u00e0 70 degr\u00e9s pendant dix minutes, et la dur\u00e9e du programme"
        " change."
    )

    assert missing_names("A quoi sert l'option Hygiene du programme ?", [block(1, page)]) == set()
    assert missing_names("A quoi sert l'option Silence du programme ?", [block(1, page)]) == {
        "Silence"
    }


def test_where_nouns_have_capitals_a_capital_makes_no_name() -> None:
    question = "Wie wird das Messger\u00e4t an der Mauer befestigt?"

    assert missing_names(question, [block(1, GERMAN)]) == frozenset()


def test_a_question_in_another_language_is_left_to_the_scores() -> None:
    question = "Wie viel kostet die Bedienung der Anlage im Sommer?"

    assert missing_names(question, [block(1, HANDBOOK)]) == frozenset()


def test_a_title_mentions_too() -> None:
    """The file's name does so as well: `block` names it so."""
    source = block(1, HANDBOOK).source.removesuffix(".pdf").title()

    assert missing_names(f"What does the gas of {source} contain?", [block(1, HANDBOOK)]) == set()


def test_nouns_of_a_german_question_are_no_names_in_another_language() -> None:
    text = (
        "La directora del colegio es la se\u00f1ora Vidal, y el conserje vive al lado de la puerta."
    )

    assert not missing_names("Wer ist die Direktorin der Schule?", [block(1, text)])
