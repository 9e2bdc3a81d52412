"""What a model thinks aloud is no part of its answer, however it arrives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.model.thoughts import ArrivingThoughts, without_thoughts

PARTS = st.sampled_from(["<think>", "</think>", "<", ">", "/think>", "a. ", "\n", " "])


def arrived(pieces: list[str]) -> str:
    thoughts = ArrivingThoughts()
    return "".join(map(thoughts.take, pieces)) + thoughts.end()


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("Rent is due.", "Rent is due."),
        ("<think>\nIs it?\n</think>\nRent is due.", "\nRent is due."),
        ("\n <think>Is it?</think>Rent is due.", "Rent is due."),
        ("Is it?\n</think>\n\nRent is due.", "\nRent is due."),
        ("<think>It may be", ""),
        ("The tag </think> ends a thought.", "The tag </think> ends a thought."),
        ("The tag <think> begins one.", "The tag <think> begins one."),
        ("<thinker> wanted.", "<thinker> wanted."),
        ("<thi", "<thi"),
        ("[THINK]Is it?[/THINK]Rent is due.", "Rent is due."),
        (
            "<|channel|>analysis<|message|>Is it?<|end|><|channel|>final<|message|>Rent.",
            "Rent.",
        ),
        ("<|channel|>final<|message|>Rent is due.", "Rent is due."),
        ("<|channel|>analysis<|message|>It may be", ""),
        ("[1] says so.", "[1] says so."),
        ("", ""),
    ],
)
def test_a_whole_reply_is_read_without_its_thoughts(reply: str, said: str) -> None:
    assert without_thoughts(reply) == said


@pytest.mark.parametrize("size", [1, 3, 40])
@pytest.mark.parametrize(
    "reply",
    [
        "[THINK]Is it?[/THINK]Rent is due.",
        "<|channel|>analysis<|message|>Is it?<|channel|>final<|message|>Rent is due.",
        "<|channel|>final<|message|>Rent is due.",
        "[1] says so.",
    ],
)
def test_a_reply_in_pieces_is_read_as_the_whole_one(reply: str, size: int) -> None:
    pieces = [reply[at : at + size] for at in range(0, len(reply), size)]

    assert arrived(pieces) == without_thoughts(reply)


@given(parts=st.lists(PARTS, max_size=12), size=st.integers(1, 5))
def test_an_opened_thought_is_left_out_however_the_reply_is_cut(
    parts: list[str], size: int
) -> None:
    reply = "<think>" + "".join(parts)

    pieces = [reply[at : at + size] for at in range(0, len(reply), size)]

    assert arrived(pieces) == without_thoughts(reply)


@given(parts=st.lists(PARTS, max_size=12), size=st.integers(1, 5))
def test_what_nothing_opens_arrives_as_it_is(parts: list[str], size: int) -> None:
    reply = "A" + "".join(parts)

    assert arrived([reply[at : at + size] for at in range(0, len(reply), size)]) == reply
