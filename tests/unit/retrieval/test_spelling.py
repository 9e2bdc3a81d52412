"""A misspelt word is read as the likeliest that the documents have one letter away."""

from collections.abc import Sequence

import pytest

from pulsedocs.model.retrieval import NearWord
from pulsedocs.retrieval.spelling import doubtful, read_as, spellings

COMMON = frozenset(
    (
        "care",
        "case",
        "deductible",
        "does",
        "ferry",
        "give",
        "live",
        "offer",
        "parts",
        "services",
        "shape",
    )
)
LESS_COMMON = frozenset(("regeneration", "unit", "what", "which", "whose"))


def knows(word: str) -> bool:
    return word in COMMON | LESS_COMMON


def near(word: str, *found: tuple[str, str | None]) -> list[NearWord]:
    return [NearWord(word, spelling, term) for spelling, term in found]


@pytest.mark.parametrize(
    ("question", "doubted"),
    [
        ("Which servises does the ferry offer?", ("servises",)),
        ("WHICH SERVISES?", ("servises",)),
        ("Which UINT SERVIsES, or IA, or GmbH?", ("uint", "servises")),
        ("Which offeres, or whiches?", ("offeres",)),
        ("Which shaped shapes, or shaps?", ("shaps",)),
        ("Which csae, or the ferrry's?", ("csae", "ferrry")),
        ("Which services, ferrys and offered parts?", ()),  # endings
        ("Does HX-400 live, or miRNA, or caf\u00e9s, or tol?", ()),
        ("abcd efgh ijkl mnop qrst uvwx yzab cdef ghij klmn", ()),  # of another language, or none
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
        ((("services", "servic"), ("serpises", "serpises")), "Which services are there?"),  # common
        ((("servides", "servides"), ("serpises", "serpises")), "Which servises are there?"),
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
    assert read_as("Whhat is it?", both, knows) == "What is it?"


@pytest.mark.parametrize(
    ("word", "found", "meant"),
    [
        ("csae", ["case", "sae"], "case"),  # swapped
        ("unnit", ["unit", "unnip"], "unit"),  # doubled
        ("sercices", ["services"], "services"),
        ("caae", ["case"], "case"),
        ("caae", ["case", "care"], "caae"),
        ("caae", ["cade"], "caae"),  # of four letters and rare
        ("CAAE", ["case"], "CAAE"),  # a name
        ("CSAE", ["case"], "CASE"),
        ("csae", ["case", "care"], "case"),
        ("degeneration", ["regeneration"], "degeneration"),  # another beginning
        ("hwat", ["what"], "what"),
    ],
)
def test_slips_of_the_fingers_are_likelier_than_other_errors(
    word: str, found: Sequence[str], meant: str
) -> None:
    rows = near(word.lower(), *((one, one) for one in found))

    assert read_as(f"Is it {word}?", rows, knows) == f"Is it {meant}?"


def test_a_word_in_capitals_stays_in_capitals() -> None:
    rows = near("servises", ("services", "servic"))

    assert read_as("Which SERVIsES?", rows, knows) == "Which SERVICES?"
