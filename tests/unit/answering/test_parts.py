"""A question for two things is two questions, unless both make one thing."""

import pytest

from pulsedocs.answering.parts import one_by_one


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
