"""A question for two things is two questions, unless both make one thing."""

import pytest

from pulsedocs.answering.asked.parts import asked_of, one_by_one


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
