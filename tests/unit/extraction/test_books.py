"""E-books: chapters in their order, each a page."""

from io import BytesIO
from zipfile import ZipFile

import pytest

from pulsedocs.errors import FileUnreadable
from tests.unit.extraction.office_files import epub_of, pages_of, with_parts


def test_the_chapters_of_a_book_come_in_its_order_each_on_a_page_of_its_own() -> None:
    first, second = pages_of(
        epub_of("<h1>Water</h1><p>It flows.</p>", "<h1>Ice</h1><p>It rests.</p>", title="Seas"),
        "a.epub",
    )

    assert (first.text, second.text) == ("Water\n\nIt flows.", "Ice\n\nIt rests.")
    assert (first.title, second.headings[0].title) == ("Seas", "Ice")


def test_a_chapter_with_an_empty_title_is_read() -> None:
    """XHTML closes any element in its own tag; in HTML the rest would be the title."""
    [page] = pages_of(
        epub_of('<html><head><title/><script src="a.js"/></head><p>It flows.</p></html>'), "a.epub"
    )

    assert page.text == "It flows."


def test_a_protected_book_is_refused_unless_its_fonts_alone_are() -> None:
    with pytest.raises(FileUnreadable, match="without DRM"):
        pages_of(epub_of(b"\x93\x01\xfe", encrypted="OEBPS/text/c%201.xhtml"), "a.epub")
    [page] = pages_of(epub_of("<p>It flows.</p>", encrypted="OEBPS/fonts/a.otf"), "a.epub")

    assert page.text == "It flows."


def test_a_book_that_was_zipped_with_its_folder_is_read() -> None:
    """As one does who changes a chapter by hand; what macOS adds is a folder beside it."""
    book = epub_of("<h1>Ice</h1>", "<p>It rests.</p>", title="Seas", folder="My book/")
    beside = {"__MACOSX/My book/META-INF/._container.xml": "", "My book/mimetype": ""}

    first, second = pages_of(with_parts(book, beside), "a.epub")

    assert (first.title, first.text, second.text) == ("Seas", "Ice", "It rests.")


def test_a_protected_book_in_a_folder_is_refused_too() -> None:
    book = epub_of(b"\x93\x01\xfe", encrypted="OEBPS/text/c%201.xhtml", folder="a/")

    with pytest.raises(FileUnreadable, match="without DRM"):
        pages_of(book, "a.epub")


def test_several_books_in_one_file_are_refused_as_such() -> None:
    with ZipFile(BytesIO(epub_of("<p>It.</p>", folder="b/"))) as other:
        parts = {name: other.read(name).decode() for name in other.namelist()}

    with pytest.raises(FileUnreadable, match="several e-books"):
        pages_of(with_parts(epub_of("<p>It.</p>", folder="a/"), parts), "a.epub")


def test_of_a_book_and_another_in_a_folder_of_it_the_outer_one_is_read() -> None:
    with ZipFile(BytesIO(epub_of("<p>Draft.</p>", folder="old/"))) as inner:
        within = {name: inner.read(name).decode() for name in inner.namelist()}

    [page] = pages_of(with_parts(epub_of("<p>It flows.</p>"), within), "a.epub")

    assert page.text == "It flows."


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-15", "koi8-r", "shift_jis"]
)
def test_a_chapter_is_read_in_the_encoding_it_says(encoding: str) -> None:
    words = {"shift_jis": "水が流れる", "koi8-r": "Река"}.get(encoding, "Der Fluß")
    chapter = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?><p>{words}</p>'

    [page] = pages_of(epub_of(chapter.encode(encoding)), "a.epub")

    assert page.text == words
