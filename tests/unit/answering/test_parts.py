"""A question for two things is two questions, unless both make one thing."""

import pytest

from pulsedocs.answering.asked.parts import asked_apart, asked_of, one_by_one, without_story


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What do E12 and E17 mean?", ["What do E12 mean?", "What do E17 mean?"]),
        (
            "What does a key cost for adults and for children?",
            ["What does a key cost for adults?", "What does a key cost for children?"],
        ),
        (
            "Was kosten Boote, R\u00e4der und Zelte?",
            ["Was kosten Boote?", "Was kosten R\u00e4der?", "Was kosten Zelte?"],
        ),
        ("What does a key cost?", []),
        ("What is the gap between 2029 and 2030?", []),
        ("What do adults and children pay in total?", []),
    ],
)
def test_each_thing_is_asked_for_alone(question: str, parts: list[str]) -> None:
    assert one_by_one(question) == parts


@pytest.mark.parametrize(
    ("question", "called", "asked"),
    [
        (
            "Which law governs the Acme lease?",
            "acme-lease.pdf",
            "Which law governs the?",
        ),
        ("Which law governs leases with Acme?", "acme.pdf", "Which law governs leases with?"),
        (
            "How heavy is the belt of the HX-400?",
            "HX-400 manual",
            "How heavy is the belt of the HX-400?",
        ),
        ("How wide may the belt of an HX-400 tear?", "HX-400", "How wide may the belt of an tear?"),
        ("What net sales had Acme in 2022?", "Acme report 2022", "What net sales had in 2022?"),
        ("Which law governs the lease?", "house rules.txt", "Which law governs the lease?"),
        (
            "What were the net sales of Tallow Bay in 2031?",
            "TALLOWBAY 2031 10K",
            "What were the net sales of in 2031?",
        ),
    ],
)
def test_a_document_is_not_asked_for_its_own_name(question: str, called: str, asked: str) -> None:
    """Too little would be left of some, and a year tells sentences of one report apart."""
    assert asked_of(question, called) == asked


_STORY = (
    "Hi, my sister gave me her old bike last week and I have nowhere to put it at the moment."
    " The flat is tiny and I thought of the hallway."
)
_CODE = (
    "The boiler has shown F28 since this morning, the flat is cold, the children are ill and the"
    " caretaker is away for two weeks."
)
_GESCHICHTE = (
    "Ich bin letzte Woche mit zwei Kindern und dem Hund in die Wohnung im dritten Stock gezogen,"
    " und mein Auto steht noch auf der Stra\u00dfe."
)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (f"{_STORY} What happens to bikes that are left?", "What happens to bikes that are left?"),
        (f"{_STORY} Is there somewhere to park?", "Is there somewhere to park?"),
        (
            f"{_STORY} Where is the key? Who has a list? Thanks!",
            "Where is the key? Who has a list? Thanks!",
        ),
        (
            f"{_GESCHICHTE} Gibt es einen Parkplatz f\u00fcr Mieter?",
            "Gibt es einen Parkplatz f\u00fcr Mieter?",
        ),
    ],
)
def test_what_is_asked_behind_a_long_story_is_asked_alone(text: str, asked: str) -> None:
    assert without_story(text) == asked


@pytest.mark.parametrize(
    "text",
    [
        "I am 74. What will my flu shot cost me?",  # his age tells which price
        f"{_STORY} Where may I put it?",
        f"{_STORY} What happens to them?",
        f"{_STORY} What do I have to do?",  # names nothing
        f"{_CODE} How do I reset the boiler?",
        f"Where is the key? {_STORY}",
        f"{_STORY} Please help me.",
        "Is the market of Bay Area part of the plan? Answer with yes or no, in one word only.",
        "",
    ],
)
def test_a_short_story_or_what_cannot_be_asked_without_it_is_left(text: str) -> None:
    assert without_story(text) == text


def test_who_asks_whether_there_is_something_refers_to_nothing() -> None:
    assert asked_apart("Is there a lift in the house, and who has the key?") == [
        "Is there a lift in the house",
        "who has the key?",
    ]
    assert asked_apart("Where is the house, and is the key kept there?") == []
