"""Who is refused on the command line sees what came nearest, as in the console."""

from pulsedocs.client.reading import refusal_lines

WHY = {
    "message": "It is not there.",
    "reason": "NO_ANSWER_IN_CONTEXT",
    "detail": "no sentence has 1 of 3 words",
}


def test_a_refusal_shows_the_sentence_that_came_nearest() -> None:
    nearest = {"source": "times.md", "page": 2, "quote": "The ferry leaves\nat nine."}

    assert list(refusal_lines(WHY | {"nearest": nearest})) == [
        "  NO_ANSWER_IN_CONTEXT: no sentence has 1 of 3 words",
        "  nearest: times.md, p. 2: The ferry leaves at nine.",
    ]
    assert len(list(refusal_lines(WHY | {"nearest": None}))) == 1


def test_a_reason_that_the_message_says_is_not_said_twice() -> None:
    said = WHY | {"nearest": None, "message": f"So it is: {WHY['detail']}."}

    assert list(refusal_lines(said)) == [f"  {WHY['reason']}"]
