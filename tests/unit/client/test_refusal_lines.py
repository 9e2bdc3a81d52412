"""Who is refused on the command line sees why in a sentence, and what came nearest."""

import re
from importlib.resources import files

from pulsedocs.client.reading import REASONS, refusal_lines
from pulsedocs.model.retrieval import Abstention

WHY = {
    "message": "It is not there.",
    "reason": "NO_ANSWER_IN_CONTEXT",
    "detail": "no sentence has 1 of 3 words",
}
SAID = "No sentence of what was found surely says what was asked."


def test_a_refusal_shows_the_sentence_that_came_nearest() -> None:
    nearest = {"source": "times.md", "page": 2, "quote": "The ferry leaves\nat nine."}

    assert list(refusal_lines(WHY | {"nearest": nearest})) == [
        f"  {SAID} (NO_ANSWER_IN_CONTEXT: no sentence has 1 of 3 words)",
        "  nearest: times.md, p. 2: The ferry leaves at nine.",
    ]
    assert len(list(refusal_lines(WHY | {"nearest": None}))) == 1


def test_a_reason_that_the_message_says_is_not_said_twice() -> None:
    said = WHY | {"nearest": None, "message": f"So it is: {WHY['detail']}."}

    assert list(refusal_lines(said)) == [f"  {WHY['reason']}"]


def test_every_reason_has_a_sentence_and_that_of_a_newer_stage_is_shown_as_it_is() -> None:
    words = (files("pulsedocs.edge") / "console" / "words.js").read_text("utf-8")

    assert set(REASONS) == set(Abstention)
    for reason, sentence in REASONS.items():  # the console has more to say, not something else
        assert f'r_{reason}: "{re.split("[.:]", sentence)[0]}' in words
    assert list(refusal_lines(WHY | {"reason": "MOON"})) == [f"  MOON: {WHY['detail']}"]
