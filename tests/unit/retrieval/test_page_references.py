"""Pages that a question names are told from words about other pages."""

import pytest

from pulsedocs.model.retrieval import AskedPages, NamedPages
from pulsedocs.retrieval.page_references import named_pages, pages_of, without_pages


@pytest.mark.parametrize(
    ("question", "labels", "places", "rest"),
    [
        ("Which fee is named on page 17?", ("17",), (17,), "Which fee is named?"),
        ("Who signed on the last page of the contract?", (), (-1,), "Who signed?"),
        ("What is the total on the second to last page?", (), (-2,), "What is the total?"),
        ("What does page iv say about keys?", ("iv",), (), "What say about keys?"),
        ("Which pump is on page two?", ("2",), (2,), "Which pump is?"),
        ("Which pump is on page A-12?", ("a-12",), (), "Which pump is?"),
        ("Who is named on pp. 3-5?", ("3", "4", "5"), (3, 4, 5), "Who is named?"),
        ("What does slide 5 recommend?", ("5",), (5,), "What recommend?"),
        ("Welcher Preis steht auf der 3. Seite?", (), (3,), "Welcher Preis steht?"),
        ("Wer unterschrieb auf S. 4?", ("4",), (4,), "Wer unterschrieb?"),
        ("Was steht auf der vorletzten Seite?", (), (-2,), "Was steht?"),
        ("Quel est le prix \u00e0 la derni\u00e8re page ?", (), (-1,), "Quel est le prix?"),
        (
            "\u00bfQu\u00e9 plazo figura en la p\u00e1gina 2?",
            ("2",),
            (2,),
            "\u00bfQu\u00e9 plazo figura?",
        ),
        ("Quale data compare nella prima pagina?", (), (1,), "Quale data compare?"),
        ("Que prazo consta na p\u00e1gina 12?", ("12",), (12,), "Que prazo consta?"),
        ("Wat kost de huur op bladzijde 3?", ("3",), (3,), "Wat kost de huur?"),
    ],
)
def test_a_page_is_named_by_its_number_or_its_place(
    question: str, labels: tuple[str, ...], places: tuple[int, ...], rest: str
) -> None:
    assert named_pages(question) == NamedPages(labels, places)
    assert without_pages(question) == rest


@pytest.mark.parametrize(
    "question",
    [
        "How many pages does it have?",
        "How do I print on the last page?",
        "Which fields are on the first page of the application form?",
        "What does page 3 of annex B say?",
        "What is on the home page?",
        "How wide is the margin, page 3.5 cm?",
        "Who stands on the second side?",
        "Wie kann ich auf der ersten Seite eine Kopfzeile setzen?",
    ],
)
def test_a_page_of_something_else_is_none(question: str) -> None:
    assert named_pages(question) is None
    assert without_pages(question) == question


def test_a_question_of_nothing_but_a_page_stays_as_it_is() -> None:
    assert without_pages("page 5") == "page 5"


def test_what_stands_at_an_edge_of_the_page_stays_asked_about() -> None:
    assert without_pages("Which figure is at the bottom of page 6?") == (
        "Which figure is at the bottom?"
    )


def test_the_printed_number_goes_before_the_place() -> None:
    named = NamedPages(("2",), (2,))

    assert pages_of(named, labelled=[4], of=6) == AskedPages((4, 2), 6)
    assert pages_of(NamedPages((), (-1,)), labelled=[], of=6) == AskedPages((6,), 6)
    assert pages_of(NamedPages(("9",), (9,)), labelled=[], of=6) == AskedPages((), 6)
