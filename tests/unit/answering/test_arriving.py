"""An answer is taken apart alike, however it was cut into pieces on its way."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulsedocs.answering import arriving
from pulsedocs.answering.arriving import ArrivingAnswer
from pulsedocs.answering.claims import MAX_ANSWER, Claim, claims_of
from pulsedocs.answering.sentences import Span, split_sentences
from tests.plugins.examples import examples

PLAIN = [
    'Rent is due on the third [1: "on the third day. Of the month"]. Cats are allowed [2].',
    'Rent is due. [1: "due"] [2] Cats are allowed. [3]\n\n- One item [1]\n- Two items.\nLast',
    "Dr. Smith lives at No. 5, e.g. in Bonn. He pays approx. 5.5 EUR. Really? Yes!",
    "First\u3002Second\uff01Third",
    "NO_ANSWER",
    "NO_ANSWER.",
    "word " * 300,
    "x" * 1500,
]
FRAGMENTS = [
    *("Rent is due", "cats", ". ", ".", "! ", "? ", "\n", "\n\n", " ", "1. ", "- ", "Dr. ", "B"),
    *("[1]", " [2]", '[1: "on the third day. Of"]', "[1, 2]", "[", "]", '[3: "', '"]', "[ 4", ":"),
    *("\u3002", "\u2026", "\u201c", "<b>", "<", "](http://x.y)", "![x](", "http://a.b/c. D"),
    *("\r\n", "\x0b", "\x85", "\u2028", "\ue000", "\x1b[31m", "\u202e", "\t", "x" * 70, "5", ","),
]
ANSWERS = st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join)


def arrived(*pieces: str) -> list[Claim]:
    answer = ArrivingAnswer(is_known_address=lambda _address: True)
    return [*(claim for piece in pieces for claim in answer.add(piece)), *answer.end()]


@pytest.mark.parametrize("text", PLAIN)
def test_an_ordinary_answer_has_the_sentences_it_has_as_a_whole(text: str) -> None:
    whole = claims_of(text, is_known_address=lambda _address: True)

    assert [claim.pieces for claim in arrived(text)] == [claim.pieces for claim in whole]
    assert _turns(arrived(text)) == _turns(whole)


def _turns(claims: list[Claim]) -> list[bool]:
    """Return where a new line begins: all that a line's number is used for."""
    return [before.line != after.line for before, after in pairwise(claims)]


@pytest.mark.parametrize("text", PLAIN)
def test_character_by_character_says_the_same(text: str) -> None:
    assert arrived(*text) == arrived(text)


def test_an_answer_that_comes_whole_is_not_read_once_for_each_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fails when: each sentence reads all that waits behind it, 1,667 times the answer."""
    text = "Word. " * (MAX_ANSWER // 6)
    read: list[int] = []

    def counting(line: str) -> list[Span]:
        read.append(len(line))
        return split_sentences(line)

    monkeypatch.setattr(arriving, "split_sentences", counting)

    assert len(arrived(text)) == MAX_ANSWER // 6
    assert sum(read) < 100 * len(text)


@given(text=ANSWERS, cuts=st.lists(st.integers(0, 400), max_size=12))
@settings(max_examples=examples(400), deadline=None)
def test_no_way_of_cutting_changes_a_sentence(text: str, cuts: list[int]) -> None:
    """S4-10."""
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]

    assert arrived(*pieces) == arrived(text)
    assert arrived(*text) == arrived(text)


def test_a_sentence_leaves_as_soon_as_the_next_one_begins() -> None:
    answer = ArrivingAnswer(is_known_address=lambda _address: True)

    left = [answer.add(piece) for piece in ("Rent is due.", ' [1: "d', 'ue"]', " ", "C", "ats.")]

    assert [len(claims) for claims in left] == [0, 0, 0, 0, 1, 0]
    assert len(answer.end()) == 1


def test_a_quote_keeps_its_sentence_together() -> None:
    answer = ArrivingAnswer(is_known_address=lambda _address: True)

    assert answer.add('Rent is due [1: "First. Second. Third') == []
    assert len([*answer.add('"]. Next'), *answer.end()]) == 2


def test_more_than_an_answer_may_have_is_not_read() -> None:
    answer = ArrivingAnswer(is_known_address=lambda _address: True)
    answer.add("Word. " * (MAX_ANSWER // 6))
    assert not answer.is_full

    answer.add("Word. Never read.")

    assert answer.is_full
    assert all("Never" not in claim.text for claim in answer.end())
