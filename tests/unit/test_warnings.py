"""Warnings say in numbers what the text of a document lacks."""

from dataclasses import replace

from pulsedocs.model.pages import Page, PageOutcome
from pulsedocs.model.plurals import megabytes
from pulsedocs.model.warnings import in_another_language, warnings_of


def read(number: int, *, hidden: int = 0) -> Page:
    return Page(number, "words", PageOutcome.TEXT, "text", hidden_characters=hidden)


def failed(number: int) -> Page:
    return Page(number, "", PageOutcome.FAILED, "none", failure="PDF_CORRUPTED")


def test_a_document_read_whole_has_none() -> None:
    assert warnings_of([read(1), read(2)]) == []


def test_pages_that_could_not_be_read_are_counted_and_named() -> None:
    pages = [failed(n) if n in {4, 9, 77} else read(n) for n in range(1, 121)]

    assert warnings_of(pages) == ["3 of 120 pages could not be read (pages 4, 9, 77)"]


def test_hidden_characters_are_counted() -> None:
    assert warnings_of([read(7, hidden=420)]) == ["page 7: 420 hidden characters were left out"]
    assert warnings_of([read(1, hidden=1)]) == ["page 1: 1 hidden character was left out"]


def test_what_is_not_read_is_named_with_its_pages() -> None:
    pages = [
        replace(read(1), unread=("2 charts",)),
        read(2),
        replace(read(3), unread=("2 charts",)),
    ]

    assert warnings_of(pages) == ["pages 1, 3: not read: 2 charts"]


def test_a_long_list_of_pages_is_cut_short() -> None:
    [warning] = warnings_of([failed(number) for number in range(1, 16)])

    assert warning.endswith("(pages 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 5 more)")


def test_a_language_that_the_model_does_not_know_is_told_what_to_do_in_the_console_too() -> None:
    """Failed: people with no command line were given a command, and nothing else."""
    told = in_another_language("de", model="local:bge-small-en-v1.5@384")

    assert told.startswith("the text is German, which local:bge-small-en-v1.5@384 does not know")
    assert "Add it to a new collection, for which its language is chosen" in told
    assert "`pulsedocs collections create NAME --language german`" in told


def test_a_file_that_is_a_byte_too_large_never_looks_as_allowed() -> None:
    assert megabytes(50 * 2**20) == "50 MB"
    assert megabytes(50 * 2**20 + 1) == "50.1 MB"
