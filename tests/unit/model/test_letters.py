"""Words are not cut at vowel signs, marks and joiners, and are as before in text without them."""

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.adapters.postgres.queries import query
from pulsedocs.model.letters import ALPHANUMERIC, LETTERS, MARKS, WITHOUT_SPACES, WORD_CHARACTERS

PATTERNS = {LETTERS: r"[^\W\d_]+", ALPHANUMERIC: r"[^\W_]+", WORD_CHARACTERS: r"\w+"}


@pytest.mark.parametrize(
    "text",
    [
        "\u0938\u0926\u0938\u094d\u092f\u0924\u093e \u0936\u0941\u0932\u094d\u0915",
        "\u064a\u064f\u0641\u0631\u0636 \u0631\u064a\u0627\u0644\u064b\u0627",
        "\u0645\u06cc\u200c\u062a\u0648\u0627\u0646 \u0628\u0627\u0632",
        "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd \u05dc\u05db\u05dd",
        "\u0e27\u0e31\u0e19\u0e17\u0e35\u0e48 \u0e02\u0e49\u0e2d",
        "cafe\u0301 noir",
    ],
    ids=["Hindi", "Arabic", "Persian", "Hebrew", "Thai", "accents set apart"],
)
def test_a_word_is_one_with_its_marks(text: str) -> None:
    for pattern in PATTERNS:
        assert re.findall(pattern, text) == text.split()


@given(st.text(st.characters(exclude_categories=["Mn", "Mc", "Cf"])))
def test_text_without_marks_is_cut_as_before(text: str) -> None:
    for pattern, before in PATTERNS.items():
        assert re.findall(pattern, text) == re.findall(before, text)


def test_no_mark_is_a_letter_or_a_sign_that_ends_a_word() -> None:
    """A pattern of which two parts take the same sign would try every way to share them out."""
    marks = re.findall(f"[{MARKS}]", "".join(map(chr, range(sys.maxunicode))))

    kinds = {unicodedata.category(mark) for mark in marks}
    assert {"Mn", "Mc"} <= kinds <= {"Mn", "Mc", "Cn", "Cf"}
    assert [mark for mark in marks if re.fullmatch(r"\w", mark)] == []


def test_a_run_of_marks_is_read_once_whatever_follows_it() -> None:
    assert re.fullmatch(ALPHANUMERIC, "a" + "\u0301" * 40 + "!") is None


def test_the_index_cuts_every_script_that_has_no_spaces_into_pairs_of_letters() -> None:
    """Else an answer would be looked for in a script whose words are never found."""
    _, written = query("index_words").split("FROM (VALUES (", 1)
    letters, marks = re.findall(r"'(\[.+?\])'", written)[:2]
    without_spaces = re.findall(f"[{WITHOUT_SPACES}]", "".join(map(chr, range(sys.maxunicode))))

    missed = {each for each in without_spaces if not re.match(letters, each)}

    assert [each for each in missed if unicodedata.category(each)[0] == "L"] == []
    assert [each for each in without_spaces if re.match(marks, each) and each.isalpha()] == []
