"""Who asks who, when or what to dial gets a person, a time or a number, in each language."""

import pytest

from pulsedocs.answering.asked.kinds import lacks_kind, missing_kind
from pulsedocs.answering.asked.match import SentenceInContext

WHO = [
    (
        "Wer hat den Spielplatz gebaut?",
        "Der Spielplatz wurde im Sommer 1998 gebaut.",
        "Der Spielplatz wurde 1998 von der Gemeinde gebaut.",
    ),
    (
        "An wen wende ich mich bei einem Wasserschaden?",
        "Ein Wasserschaden ist sofort zu melden.",
        "Ein Wasserschaden ist dem Hausmeister zu melden.",
    ),
    (
        "Wem wird ein Diebstahl gemeldet?",
        "Ein Ersatzschl\u00fcssel kostet 25 Euro.",
        "Ein Diebstahl wird Sabine Vogt gemeldet.",
    ),
    (
        "Qui a construit la piscine ?",
        "La piscine a \u00e9t\u00e9 construite en 1998.",
        "La piscine a \u00e9t\u00e9 construite par la mairie en 1998.",
    ),
    (
        "\u00bfQui\u00e9n pint\u00f3 el patio?",
        "El patio se pint\u00f3 en verano.",
        "El patio lo pintaron los vecinos.",
    ),
    (
        "quien pinto el patio",
        "El patio se pint\u00f3 en verano.",
        "El patio lo pint\u00f3 Marta Ruiz.",
    ),
    (
        "Chi ha costruito la palestra?",
        "La palestra \u00e8 stata costruita nel 1998.",
        "La palestra \u00e8 stata costruita dal comune.",
    ),
    (
        "Wer ist der Vermieter?",
        "Hunde bed\u00fcrfen der Zustimmung des Vermieters.",
        "Helga Brandt, Lindenallee 12 (Vermieterin)",
    ),
    (
        "Who are the directors?",
        "The directors resolve by a majority.",
        "Directors: Anne Barlow and Tom Reeve.",
    ),
    (
        "Who repairs the bicycles?",
        "Bicycles are repaired in the yard on Saturdays.",
        "Bicycles are repaired by the caretaker.",
    ),
]
WHEN = [
    (
        "Wann wurde die Halle gebaut?",
        "Die Halle kostete 40.000 Euro.",
        "Die Halle wurde 1998 gebaut.",
    ),
    (
        "Wann ist das B\u00fcro offen?",
        "Das B\u00fcro hat die Nummer 0561 22 33 44.",
        "Das B\u00fcro ist von 9.30 Uhr an offen.",
    ),
    (
        "Quand ouvre le bureau ?",
        "Le bureau a le num\u00e9ro +33 1 23 45 67 89.",
        "Le bureau ouvre \u00e0 9 h.",
    ),
    (
        "Quando chiude la piscina?",
        "La piscina \u00e8 grande.",
        "La piscina chiude alle nove di sera.",
    ),
    (
        "Quando abre a piscina?",
        "A piscina \u00e9 grande.",
        "A piscina abre em maio.",
    ),
    (
        "Wanneer gaat het zwembad open?",
        "Het zwembad is groot.",
        "Het zwembad gaat in mei open.",
    ),
    ("When is the meeting?", "The meeting has the number 0800 123456.", "It is on 01/12/2025."),
]


@pytest.mark.parametrize(("question", "without", "with_it"), WHO)
def test_who_is_answered_by_somebody(question: str, without: str, with_it: str) -> None:
    """Fails when: German nouns, all with capitals, pass for names, or a key acts."""
    assert kind(question, without) == "person"
    assert kind(question, with_it) is None


@pytest.mark.parametrize(("question", "without", "with_it"), WHEN)
def test_when_is_answered_by_a_time(question: str, without: str, with_it: str) -> None:
    """Fails when: what is paid or dialled is an hour."""
    assert kind(question, without) == "time"
    assert kind(question, with_it) is None


@pytest.mark.parametrize(
    ("question", "asks_for", "with_it"),
    [
        ("e-mail address of the helpdesk", "e-mail address", "Helpdesk: help@example.org"),
        ("What is her email address?", "e-mail address", "Write to Ann at ann@example.org."),
        ("Wie lautet die E-Mail-Adresse?", "e-mail address", "E-Mail: post@example.org"),
        ("What is the telephone number of Ann?", "telephone number", "Ann: extension 7300"),
        (
            "Quel est le num\u00e9ro de t\u00e9l\u00e9phone ?",
            "telephone number",
            "T\u00e9l. 02 99 41 18",
        ),
        ("What is the code for the boat shed?", "code", "The boat shed has the code 4711."),
        ("What is the locker's PIN?", "code", "The locker has the PIN 47 11."),
        ("What is the country code?", "code", "The country code is NO."),
        ("Wie lautet der Code?", "code", "Der Code lautet 4711."),
        ("What is the dress code?", None, ""),
        ("Can I change my email address?", None, ""),
        ("How do I give my phone number?", None, ""),
    ],
)
def test_an_address_and_a_number_to_dial_are_there(
    question: str, asks_for: str | None, with_it: str
) -> None:
    assert kind(question, "The helpdesk is open from Monday to Friday.") == asks_for
    assert kind(question, with_it) is None


def kind(question: str, sentence: str) -> str | None:
    return missing_kind(question, SentenceInContext(sentence, governing="", passage=sentence))


def test_when_not_does_not_say_when() -> None:
    assert kind("When does the last ferry leave?", "Not on 25 and 26 December.") == "denial"
    assert kind("When does the ferry not sail?", "Not on 25 and 26 December.") is None
    assert kind("When does the hall open?", "Not before nine.") is None


@pytest.mark.parametrize(("path", "of_it"), [("/snap", "identifier"), ("/opt", None)])
def test_an_identifier_is_on_the_page(path: str, of_it: str | None) -> None:
    question = f"What is {path} reserved for?"
    sentence = "Snapshots are reserved for the states of a file system."
    page = f"{sentence} The directory opt is reserved for software."

    told = SentenceInContext(sentence, governing="", passage=sentence, page=page)

    assert missing_kind(question, told) == of_it


def test_no_list_has_all_who_do_something() -> None:
    """A passage is not ordered behind another because its "nurse" stands in no list."""
    told = "For leaking stoma bags, the night nurse is on extension 4417."

    assert not lacks_kind("Who do I call if my stoma bag leaks at night?", told)
    assert lacks_kind("When are stoma bags delivered?", "Stoma bags come in boxes.")
