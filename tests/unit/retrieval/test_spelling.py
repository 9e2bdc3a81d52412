"""A misspelt word is read as the only one that the documents have one letter away."""

from collections.abc import Sequence

import pytest

from pulsedocs.model.retrieval import NearWord
from pulsedocs.retrieval.spelling import doubtful, read_as, spellings

COMMON = frozenset(
    ("deductible", "ferry", "give", "live", "parts", "services", "what", "which", "offer")
)


def knows(word: str) -> bool:
    return word in COMMON


def near(word: str, *found: tuple[str, str | None]) -> list[NearWord]:
    return [NearWord(word, spelling, term) for spelling, term in found]


@pytest.mark.parametrize(
    ("question", "doubted"),
    [
        ("Which servises does the ferry offer?", ("servises",)),
        ("WHICH SERVISES?", ("servises",)),
        ("Which services, ferrys and offered parts?", ()),  # endings
        ("Does HX-400 live, or miRNA, or caf\u00e9s, or tolk?", ()),
        ("abcde fghij klmno pqrst", ()),  # of another language, or of none
    ],
)
def test_what_is_no_common_word_is_doubted(question: str, doubted: tuple[str, ...]) -> None:
    assert doubtful(question, knows) == doubted


def test_spellings_are_one_letter_away() -> None:
    made = set(spellings("ferry"))

    assert {"ferry", "fery", "ferrys", "fetry", "frery", "ferr", "aferry"} <= made
    assert not {"fey", "frrey", "ferryss"} & made
    assert len(made) < 300


@pytest.mark.parametrize(
    ("found", "read"),
    [
        ((("services", "servic"), ("service", "servic")), "Which services are there?"),
        ((("serviser", "servis"), ("servises", "servis")), "Which servises are there?"),  # is there
        ((("services", "servic"), ("serpises", "serpis")), "Which servises are there?"),  # or which
        ((("serwises", "serwis"),), "Which servises are there?"),  # the stem of some other word
        ((("serwises", "serwises"),), "Which serwises are there?"),
        ((), "Which servises are there?"),
    ],
)
def test_one_word_of_the_documents_is_meant_or_none(
    found: Sequence[tuple[str, str | None]], read: str
) -> None:
    assert read_as("Which servises are there?", near("servises", *found), knows) == read


def test_a_word_of_every_text_can_be_meant_too() -> None:
    """PostgreSQL indexes no "what": "whhat" was read as the only "wheat" of the documents."""
    both = near("whhat", ("what", None), ("wheat", "wheat"))

    assert read_as("Whhat is it?", near("whhat", ("what", None)), knows) == "What is it?"
    assert read_as("WHHAT IS IT?", near("whhat", ("what", None)), knows) == "WHAT IS IT?"
    assert read_as("Whhat is it?", both, knows) == "Whhat is it?"
