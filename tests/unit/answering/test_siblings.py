"""What a sentence says of one of some things that a page lists, asked of another of them."""

from collections.abc import Set as AbstractSet

import pytest

from pulsedocs.answering.asked.match import SentenceInContext
from pulsedocs.answering.asked.siblings import things_displaced

NOTHING = frozenset[str]()
BRANCHES = "Wexham and Yarde are open daily. "
TRUSTS = "The homes in Upton and Vale are run by two trusts: "


def displaced(question: str, text: str, *, page: str, governing: str = "") -> set[str]:
    terms = [word.strip("?").lower() for word in question.split()]
    sentence = SentenceInContext(text, governing, passage=page, page=page)
    return set(things_displaced(question, terms, sentence))


@pytest.mark.parametrize(
    ("question", "page", "text", "expected"),
    [
        ("When does Wexham open?", BRANCHES, "Yarde opens at nine.", {"wexham"}),
        ("When does Wexham open?", BRANCHES, "It opens at nine.", NOTHING),
        ("When does Wexham open?", BRANCHES, "Wexham opens before Yarde.", NOTHING),
        ("Does Wexham open before Yarde?", BRANCHES, "Yarde opens at nine.", NOTHING),
        (
            "When does Wexham close?",
            BRANCHES,
            "Wexham opens at ten. Yarde closes at five.",
            {"wexham"},
        ),
        (
            "Which trust runs the home in Upton?",
            TRUSTS,
            "Lantern in Vale, and Wayside in Upton and Tarn.",
            NOTHING,
        ),
        ("Where is Anna Berg from?", "Anna Berg and Tom Moe cook.", "Tom is a Swede.", {"anna"}),
        ("How long does oak dry?", "We sell oak, beech and ash.", "Beech dries a year.", {"oak"}),
        # Of two words that are no names one often explains the other.
        ("What does the heating need?", "Heating and warm water", "Water is pumped.", NOTHING),
        ("What if I have no money?", "Meals and Money. Two meals are free.", "Two meals.", NOTHING),
        # No list runs over the end of a paragraph.
        ("What were the net sales?", "Costs and\n\nNet sales", "Costs were 4 million.", NOTHING),
        ("Wo ist Weil?", "Weil und L\u00f6rrach", "L\u00f6rrach liegt am Fluss.", {"weil"}),
        ("Was ist ohne Weil?", "Weil am Rhein", "Der Rhein ist lang.", NOTHING),
    ],
)
def test_a_sentence_about_another_of_a_list_is_told(
    question: str, page: str, text: str, expected: AbstractSet[str]
) -> None:
    assert displaced(question, text, page=f"{page} {text}") >= expected
    assert bool(displaced(question, text, page=f"{page} {text}")) is bool(expected)


def test_a_heading_says_of_which_one_a_sentence_is() -> None:
    text = "Unlike Yarde, it has no lift."

    assert not displaced("Does Wexham have a lift?", text, page=BRANCHES, governing="Wexham")
    assert displaced("Does Wexham have a lift?", text, page=BRANCHES, governing="Our branches")
