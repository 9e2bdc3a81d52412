"""Recorded replies of a chat model are asked as a model is, and printed beside the other way."""

import json

import pytest

from evaluation import sets
from evaluation.__main__ import show_answers
from evaluation.gate import Figures
from evaluation.replies import recorded_chat, replies
from evaluation.summary import table
from pulsedocs.model.answers import ChatMessage
from pulsedocs.model.deadline import Deadline

_SOURCES = (
    "[1] (source: guest_house.txt, p. 1)\nThe house has a garden.\n\n"
    "[2] (source: sports_club.txt, p. 1)\nThe deposit for the hall is 80 euros and is returned."
)


def _reply(question: str, *, again: bool = False) -> str:
    messages = [ChatMessage("user", f"Sources:\n\n{_SOURCES}\n\nQuestion: {question}")]
    if again:
        messages += [ChatMessage("assistant", "{}"), ChatMessage("user", "Answer again.")]
    chat = recorded_chat()
    return chat.complete(
        messages, temperature=0.0, max_tokens=500, deadline=Deadline.after(10)
    ).text


def test_each_question_about_near_misses_has_its_reply() -> None:
    assert replies().keys() == {one.text for one in sets.near_misses().questions}


def test_a_reply_names_its_source_by_the_number_it_has_in_the_prompt() -> None:
    said = json.loads(_reply("How much is the deposit for the hall?"))

    [sentence] = said["sentences"]
    assert [one["source"] for one in sentence["citations"]] == [2]


def test_a_model_that_is_told_to_mend_its_reply_says_something_else() -> None:
    question = "What does a dog cost a night?"

    assert _reply(question) != _reply(question, again=True)


def _answers(answered: float) -> Figures:
    figure = [answered, answered - 0.1, answered + 0.1]
    return {"questions": 3, "stages": {"answer": {"answered": figure}}, "abstention": {}}


def test_both_ways_of_answering_stand_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    show_answers("a set", {"": _answers(0.5), "recorded replies": _answers(0.75)})

    lines = capsys.readouterr().out.splitlines()
    assert "own sentences" in lines[-2]
    assert "recorded replies" in lines[-2]
    assert "0.50 [0.40-0.60]" in lines[-1]
    assert "0.75 [0.65-0.85]" in lines[-1]


def test_the_table_has_a_line_for_each_set_with_what_was_measured_of_it() -> None:
    found = {"stages": {"selected": {"page@1": [0.5, 0.4, 0.6], "page@5": [0.9, 0.8, 1.0]}}}
    results = {
        "memos (0123456789ab, 3 questions; a, b)": {"default": found, "fast": found},
        "memos (0123456789ab, 3 questions; a, b), answered": {"default": _answers(0.5)},
        "asked otherwise (0123456789ab, 3 questions; a, b)": {"fast": found},
    }

    head, line = table(results)

    assert head.split()[:3] == ["default,", "as", "selected"]
    assert line.startswith("memos (3 questions; a, b) ")
    assert "0.50 [0.40-0.60]  0.90 [0.80-1.00]" in line
    assert line.endswith("0.50 [0.40-0.60]")
