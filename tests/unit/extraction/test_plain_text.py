"""Plain text becomes pages of bounded size without losing a character."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.errors import TextNotUTF8, TooManyPages, TooMuchText
from pulsedocs.extraction import Budgets
from pulsedocs.extraction.page_breaks import PAGE_CHARACTERS, sheets
from pulsedocs.extraction.plain_text import TextFile
from pulsedocs.extraction.storable import storable
from pulsedocs.model.pages import Page, PageOutcome
from pulsedocs.model.tables import BROKEN_BAR

BUDGETS = Budgets()


def pages_of(body: bytes) -> list[Page]:
    return list(TextFile(body, budgets=BUDGETS).pages())


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\f\t"), max_size=400),
    st.integers(1, 40),
)
def test_the_pages_together_are_the_text(text: str, times: int) -> None:
    """S2-02: plain text is read whole."""
    body = (text * times).encode()

    pages = pages_of(body)

    assert "".join(page.text for page in pages) == storable((text * times).removeprefix("\ufeff"))
    assert all(len(page.text) <= PAGE_CHARACTERS for page in pages)


@given(st.binary(max_size=300))
def test_any_bytes_end_as_storable_pages_or_a_typed_error(body: bytes) -> None:
    try:
        pages = pages_of(body)
    except TextNotUTF8:
        return
    for page in pages:
        assert "\x00" not in page.text
        page.text.encode()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_utf8_is_read_with_and_without_its_mark_and_wider_ones_with_it(encoding: str) -> None:
    [page] = pages_of("Grüße\r\nund 𐍈\rEnde".encode(encoding))

    assert page.text == "Grüße\nund 𐍈\nEnde"


@given(st.text("ab |\t\n", max_size=80))
def test_rows_of_tabs_lose_no_word(text: str) -> None:
    read = "".join(page.text for page in pages_of(text.encode()))

    assert _words_of(read) == _words_of(text)


def _words_of(text: str) -> list[str]:
    return text.replace(BROKEN_BAR, "").replace("|", "").split()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (
            "Staff\n\nName\tRoom\tTel.\nAnn Lee\t12\t5\nBo Ek\t\t7\n\nAs of May.",
            "Staff\n\nName | Room | Tel.\nAnn Lee | 12 | 5\nBo Ek | | 7\n\nAs of May.",
        ),
        ("\tNorth\tSouth\nQ1\t1\t\nQ2\t3\t4", "| North | South\nQ1 | 1\nQ2 | 3 | 4"),
        ("Oil\t\t3 l\nFilter\t1\nGasket | set\t2", "Oil | 3 l\nFilter | 1\nGasket \u00a6 set | 2"),
        ("int\ta;\nint\tb;", "int\ta;\nint\tb;"),
        ("f:\n\tint\ta\n\tint\tb\n\tint\tc", "f:\n\tint\ta\n\tint\tb\n\tint\tc"),
        ("a\tb\nc\td\te\nf\tg", "a\tb\nc\td\te\nf\tg"),
    ],
)
def test_lines_that_tabs_part_into_as_many_cells_are_rows(text: str, read: str) -> None:
    [page] = pages_of(text.encode())

    assert page.text == read


def test_a_form_feed_ends_a_page() -> None:
    assert [page.text for page in pages_of(b"one\ftwo\f\fthree")] == ["one", "two", "", "three"]
    assert pages_of(b"one\f\f")[1].outcome is PageOutcome.EMPTY


def test_a_page_ends_with_a_paragraph_where_there_is_one() -> None:
    paragraph = "word " * 200 + "\n\n"

    pages = pages_of((paragraph * 6).encode())

    assert all(page.text.endswith("\n\n") for page in pages)


def test_a_text_without_any_space_is_cut_all_the_same() -> None:
    assert [len(page.text) for page in pages_of(b"x" * 7_000)] == [3_000, 3_000, 1_000]


def test_budgets_end_the_reading() -> None:
    with pytest.raises(TooMuchText):
        TextFile(b"x" * 11, budgets=replace(BUDGETS, document_characters=10))
    with pytest.raises(TooManyPages):
        TextFile(b"a\fb\fc", budgets=replace(BUDGETS, max_pages=2))


def test_a_page_of_one_long_line_ends_with_a_sentence() -> None:
    """A file of one line was cut at a word: no half of that sentence could answer."""
    text = " ".join(f"Boat {number} lies at the far end of the pier." for number in range(300))

    parts = [text[part.start : part.end] for part in sheets(text)]

    assert len(parts) > 1
    assert all(part.rstrip().endswith("pier.") for part in parts)
    assert "".join(parts) == text


def test_a_page_of_short_lines_ends_with_a_sentence() -> None:
    line = "Boat {} lies at the far\nend of the\npier.\n"
    text = "".join(line.format(number) for number in range(300))

    assert all(text[part.start : part.end].endswith("pier.\n") for part in sheets(text))
