"""A misspelt word is read as the likeliest that the documents have one letter away."""

from collections.abc import Sequence

import pytest

from pulsedocs.model.retrieval import NearWord
from pulsedocs.retrieval.spelling import doubtful, read_as, spellings

COMMON = frozenset(
    (
        "and",
        "care",
        "the",
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
LESS_COMMON = frozenset(("many", "regeneration", "unit", "what", "which", "whose"))


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
        ("Which on-tiem ferry-srevices, or HX-tiem?", ("tiem", "srevices")),
        ("Which srevices.pdf, or a@srevices.com?", ()),
        ("Which services, ferrys and offered parts?", ()),  # endings
        ("Does HX-400 live, or miRNA, or caf\u00e9s, or to?", ()),
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
        ("offr", ["offer", "ofer"], "offer"),  # a letter left out
        ("cafe", ["case", "care", "cafes"], "cafes"),
        ("shappe", [], "shape"),  # common, and in no document
        ("shapw", [], "shapw"),  # a wrong letter is not sure enough for that
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


@pytest.mark.parametrize(
    ("word", "found", "meant"),
    [
        ("teh", [("the", None), ("eh", "eh")], "the"),
        ("wth", [("with", None)], "with"),
        ("mny", [("my", None)], "many"),  # in no document
        ("hwo", [("how", None), ("who", None)], "how"),  # begins alike
        ("hsa", [("has", None), ("hsas", "hsas")], "hsa"),  # an abbreviation
        ("hmo", [("home", "home")], "hmo"),
        ("hens", [("hers", None)], "hens"),  # of four, with a wrong letter, and rare
        ("waht", [("what", None), ("wait", "wait")], "what"),
        ("wich", [("which", None), ("with", None), ("wish", "wish")], "which"),
    ],
)
def test_few_letters_are_read_as_a_word_of_every_text_alone(
    word: str, found: Sequence[tuple[str, str | None]], meant: str
) -> None:
    assert read_as(f"Is it {word}?", near(word, *found), knows) == f"Is it {meant}?"


def test_a_slip_of_another_thing_is_not_read_as_the_thing_of_the_documents() -> None:
    found = near("offfer", ("offder", "offder"))

    assert read_as("Is there an offfer?", found, knows) == "Is there an offer?"


def test_a_long_word_may_be_rare_and_inflected() -> None:
    """The "snowshoeing" is indexed as "snowsho", and the vocabulary of the model lacks both."""
    found = near("snowshoaing", ("snowshoeing", "snowsho"))
    slip = near("snowwshoeing", ("snowshoeing", "snowsho"))

    assert read_as("Which snowwshoeing?", slip, knows) == "Which snowshoeing?"
    assert read_as("Which snowshoaing?", found, knows) == "Which snowshoaing?"


def test_the_word_that_asks_is_doubted_though_a_vocabulary_of_syllables_has_it() -> None:
    """The model's has "wat"; elsewhere three letters that it has are words."""
    said = near("wat", ("what", None))

    assert read_as("Wat is it?", said, lambda word: word == "wat" or knows(word)) == "What is it?"
    assert doubtful("Is it wat?", lambda word: word == "wat" or knows(word)) == ()


def test_of_more_than_four_words_that_stand_nowhere_none_is_read_otherwise() -> None:
    question = "Is shappe offfer regenerration carre feerry?"

    assert read_as(question, (), knows) == question
    assert read_as("Is it shappe?", (), knows) == "Is it shape?"
