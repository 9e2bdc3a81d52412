"""What is left to do with quoted words is known from the question, and said where it is left."""

import pytest

from pulsedocs.answering.languages import SMALL_WORDS
from pulsedocs.answering.reading import note_on, reading_of
from pulsedocs.answering.told import told_to
from pulsedocs.model.answers import Reading


@pytest.mark.parametrize(
    ("question", "reading"),
    [
        ("Is smoking allowed in the yard?", Reading.YES_NO),
        ("After March, may I sublet a room?", Reading.YES_NO),
        ("Darf ich einen Hund halten?", Reading.YES_NO),
        ("Les chiens sont-ils admis ?", Reading.YES_NO),
        ("\u00bfPuedo fumar en el patio?", Reading.YES_NO),
        ("How many days of leave do employees get?", Reading.COUNT),
        ("Wie viele Tage Urlaub gibt es?", Reading.COUNT),
        ("Are sales in Asia higher than in Europe?", Reading.COMPARISON),
        ("Which is cheaper, the gym or the pool?", Reading.COMPARISON),
        ("Ist die Miete in Bonn h\u00f6her als in K\u00f6ln?", Reading.COMPARISON),
        ("By how much did sales rise?", Reading.SUM),
        ("What is the total cost of the repair?", Reading.SUM),
        ("Who approves expenses of more than 500 euros?", None),
        ("Wer genehmigt Ausgaben von mehr als 500 Euro?", None),
        ("Can you tell me when the pool opens?", None),
        ("Quels jours sont-ils ouverts ?", None),
        ("Was kostet die Reinigung?", None),
        ("What does SENSOR FAULT mean?", None),
    ],
)
def test_a_question_says_what_is_to_be_done_with_its_answer(
    question: str, reading: Reading | None
) -> None:
    assert reading_of(question) is reading


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("Are dogs allowed in the yard?", "These are the documents' own words"),
        ("Darf ich einen Hund im Hof halten?", "Das sind die eigenen Worte"),
        ("Est-ce que les chiens sont admis dans la cour ?", "Ce sont les mots"),
        ("\u00bfPuedo tener un perro en el patio?", "Son las propias palabras"),
        ("Posso tenere un cane nel cortile?", "Sono le parole"),
        ("Posso ter um c\u00e3o no p\u00e1tio?", "S\u00e3o as pr\u00f3prias palavras"),
        ("Mag ik een hond in de tuin houden?", "Dit zijn de eigen woorden"),
    ],
)
def test_what_is_left_to_do_is_said_in_the_language_of_the_question(
    question: str, begins: str
) -> None:
    left = note_on(question, "Rex 12.")

    assert left is not None
    assert left.message.startswith(begins)


def test_each_language_of_small_words_has_texts_of_its_own() -> None:
    asked = {code: " ".join(sorted(words)[:40]) for code, words in SMALL_WORDS.items()}

    parts = {code: told_to(text).part for code, text in asked.items()}

    assert len(set(parts.values())) == len(SMALL_WORDS)


def test_a_number_beside_what_is_counted_leaves_nothing_to_count() -> None:
    question = "How many days of leave do employees get?"

    left = note_on(question, "The days of leave are listed below.")

    assert note_on(question, "Employees get 30 paid days of leave.") is None
    assert left is not None
    assert left.kind is Reading.COUNT


def test_a_stated_total_leaves_nothing_to_add() -> None:
    question = "What is the total cost of the repair?"

    assert note_on(question, "The total cost is 410 euros.") is None
    assert note_on(question, "Parts cost 300 euros. Labour costs 110 euros.") is not None


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("Which team has the largest budget?", "Finance | 7 | 88000 | 4.1"),
        ("Which team scores below 4?", "Finance | 7 | 88000 | 4.1"),
        ("Who drove the fewest kilometres?", "Kowalska | 6120"),
        ("Welche Abteilung hat die meisten Mitarbeiter?", "Vertrieb | 14"),
    ],
)
def test_a_choice_among_rows_is_left_to_the_reader(question: str, row: str) -> None:
    """Fails when: any row is shown as the one with most, and nobody says that none was compared."""
    left = note_on(question, row)

    assert left is not None
    assert left.kind is Reading.COMPARISON


def test_a_text_that_makes_the_choice_leaves_nothing() -> None:
    question = "Which month has the highest sales?"

    assert note_on(question, "Sales are highest in July.") is None
    assert note_on("What is the largest pump?", "The largest pump is the HX-400.") is None
