"""Quotes are found as a reader would find them, and the offsets are the page's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.answering.wording import (
    alike_but_for_figures,
    covered,
    locate,
    normalise,
    repeats,
    stems,
)
from tests.unit.answering.blocks import LEASE


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("the RENT is 1,200 eur", "The rent is 1,200 EUR"),
        ("three months ahead - in writing", "three months ahead \u2014 in writing"),
        ("three   months\nahead", "three months ahead"),
        ("due on the third day, ", "due on the third day"),
        ("due on the third day...", "due on the third day"),
    ],
)
def test_case_spacing_quotes_and_dashes_do_not_count(quote: str, words: str) -> None:
    span = locate(quote, normalise(LEASE))

    assert span is not None
    assert LEASE[span.start : span.end].rstrip(".,") == words


def test_a_quote_is_made_of_whole_words() -> None:
    assert locate("ent is", normalise(LEASE)) is None
    assert locate("due on the thir", normalise(LEASE)) is None
    assert locate("", normalise(LEASE)) is None


def test_a_raised_number_is_no_part_of_the_one_before_it() -> None:
    page = normalise("The limit is 50\u00b3 EUR for 20 m\u00b2 and 10\u00b2\u2074 atoms.")

    assert locate("503 EUR", page) is None
    assert locate("1024 atoms", page) is None
    assert locate("20 m2", page) is not None
    assert locate("50\u00b3 EUR", page) is not None


def test_scripts_without_spaces_are_searched_inside() -> None:
    page = "\u6211\u4eec\u660e\u5929\u51fa\u53d1"

    assert locate("\u660e\u5929", normalise(page)) is not None


def test_letters_that_grow_when_folded_keep_their_place() -> None:
    page = "Die Stra\u00dfe ist la\u00adng. \ufb01ne"

    for quote, words in [
        ("STRASSE IST", "Stra\u00dfe ist"),
        ("lang", "la\u00adng"),
        ("fine", "\ufb01ne"),
    ]:
        span = locate(quote, normalise(page))
        assert span is not None
        assert page[span.start : span.end] == words


@given(st.text(max_size=60), st.data())
def test_what_is_found_reads_like_the_quote(page: str, data: st.DataObject) -> None:
    """I11: `page_text[start:end]` is the quote, up to what normalisation ignores."""
    start = data.draw(st.integers(0, len(page)))
    quote = page[start : data.draw(st.integers(start, len(page)))]

    span = locate(quote, normalise(page))

    if span is not None:
        shown = normalise(page[span.start : span.end]).text.strip()
        wanted = normalise(quote).text.strip()
        assert shown == wanted or wanted.startswith(shown)


def test_short_words_count_only_where_there_are_no_others() -> None:
    assert stems("Is the rent in 2024?") == {"rent", "2024"}
    assert stems("is it") == {"is", "it"}
    assert covered(stems("rented flat"), "A flat that is rentable") == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The rent is due.", "The rent is due on the third day."),
        ("1. Close the valve.", "- close the  VALVE"),
        ("(The \u201cfilm\u201d is dry)", 'The "film" is dry.'),
        ("The rent is 1,200 EUR.", "The rent is 1,200 EUR a month."),
    ],
)
def test_words_that_are_all_there_are_a_repeat(text: str, said: str) -> None:
    assert repeats(text, said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Checked every 400 hours.", "Checked every 500 hours."),
        ("Checked every 400 hours.", "Checked every 400 hours, no longer every 300 hours."),
        ("Dogs are allowed.", "Dogs are never allowed."),
        ("Anna pays Karl.", "Karl pays Anna."),
        ("The dose is 5 mg.", "The dose is 5 ml."),
        ("The limit is \u22125 degrees.", "The limit is 5 degrees."),
        ("The rent is due on the third day.", "The rent is due."),
    ],
)
def test_words_that_could_matter_are_no_repeat(text: str, said: str) -> None:
    assert not repeats(text, said)


@given(st.text(max_size=60))
def test_every_text_repeats_itself(text: str) -> None:
    assert repeats(text, text)


def test_figures_do_not_make_sentences_unlike() -> None:
    assert alike_but_for_figures("Checked every 400 hours.", "Checked every 500 hours.") == 1
    assert alike_but_for_figures("Checked every 400 hours.", "Cats sleep.") == 0
    assert alike_but_for_figures("400", "400") == 0
