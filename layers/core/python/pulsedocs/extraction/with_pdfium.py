"""Reads a PDF with pdfium, leaving out text that nobody sees."""

import re
import weakref
from collections.abc import Iterator, Sequence
from ctypes import create_string_buffer

from pulsedocs.errors import PDFEncryptedError
from pulsedocs.extraction import pdfium
from pulsedocs.extraction.headings import MAX_DEPTH, MAX_ENTRIES, OutlineEntry
from pulsedocs.extraction.hidden_text import hidden_objects
from pulsedocs.extraction.pdf import PageText
from pulsedocs.extraction.pdfium import Handle

_NEEDS_PASSWORD = frozenset({pdfium.ERROR_PASSWORD, pdfium.ERROR_SECURITY})
_LINE_END_HYPHEN = re.compile("[\x02\ufffe]\r?\n?")
"""pdfium's mark for a hyphen at a line's end, which swallows the line's end; U+0002 character by
character, U+FFFE in a range."""


class PdfiumError(Exception):
    """pdfium gives nothing where there should be something."""


class PdfiumReader:
    """Implements `pulsedocs.extraction.pdf.PdfReader`."""

    name = "pdfium"

    def __init__(self, body: bytes) -> None:
        self._document, self.page_count = _open(body)
        # The document reads from `body`, so this also keeps it. The end of the process closes too.
        weakref.finalize(self, _close, self._document, body).atexit = False

    def outline(self) -> Sequence[OutlineEntry]:
        return list(self._outline())

    def label(self, index: int) -> str | None:
        return pdfium.string(pdfium.page_label, self._document, index)

    def read(self, index: int) -> PageText:
        page = pdfium.load_page(self._document, index)
        if not page:
            raise PdfiumError("page")
        try:
            return _read(page)
        finally:
            pdfium.close_page(page)

    def _outline(self) -> Iterator[OutlineEntry]:
        for count, (bookmark, level) in enumerate(self._bookmarks(None, level=1, seen=set())):
            if count >= MAX_ENTRIES:
                return
            target = pdfium.bookmark_target(self._document, bookmark)
            page = pdfium.page_of_target(self._document, target) if target else -1
            if page >= 0:
                yield OutlineEntry(page, level, pdfium.string(pdfium.bookmark_title, bookmark))

    def _bookmarks(
        self, parent: Handle | None, *, level: int, seen: set[Handle]
    ) -> Iterator[tuple[Handle, int]]:
        """Yield the bookmarks below one, depth first; a circle ends the row in which it closes."""
        bookmark = pdfium.first_bookmark(self._document, parent)
        while bookmark and bookmark not in seen:
            seen.add(bookmark)
            yield bookmark, level
            if level < MAX_DEPTH:
                yield from self._bookmarks(bookmark, level=level + 1, seen=seen)
            bookmark = pdfium.next_bookmark(self._document, bookmark)


def _open(body: bytes) -> tuple[Handle, int]:
    document = pdfium.load_document(body, len(body), None)
    page_count = pdfium.count_pages(document)
    if page_count > 0:
        return document, page_count
    if pdfium.last_error() in _NEEDS_PASSWORD:
        raise PDFEncryptedError("the file opens with a password only")
    raise PdfiumError("no pages")


def _close(document: Handle, _body: bytes) -> None:
    pdfium.close_document(document)


def _read(page: Handle) -> PageText:
    text_page = pdfium.load_text(page)
    if not text_page:
        raise PdfiumError("text")
    try:
        hidden = hidden_objects(page)
        text, hidden_characters = (
            _visible_text(text_page, hidden) if hidden else (_whole_text(text_page), 0)
        )
    finally:
        pdfium.close_text(text_page)
    return PageText(_LINE_END_HYPHEN.sub("-\n", text), hidden_characters)


def _whole_text(text_page: Handle) -> str:
    """Return the text in one piece.

    Characters that pdfium itself leaves out at either end are not asked for: it would read on
    beyond the last one (https://crbug.com/pdfium/2079).
    """
    indexes = range(pdfium.count_characters(text_page))
    first = next((index for index in indexes if _place(text_page, index) >= 0), None)
    if first is None:
        return ""
    last = next(index for index in reversed(indexes) if _place(text_page, index) >= 0)
    units = _place(text_page, last) - _place(text_page, first) + 2  # with the NUL at the end
    buffer = create_string_buffer(2 * units)
    units = pdfium.copy_text(text_page, first, last - first + 1, buffer)
    return buffer.raw[: 2 * max(0, units - 1)].decode("utf-16-le", "surrogatepass")


def _place(text_page: Handle, index: int) -> int:
    """Return where a character stands in the text, or -1 when it is left out."""
    return pdfium.text_index(text_page, index)


def _visible_text(text_page: Handle, hidden: frozenset[Handle]) -> tuple[str, int]:
    """Return the text without the characters of hidden objects, and how many those are.

    Spaces and line ends that pdfium made up belong to no object and stay.
    """
    shown: list[str] = []
    hidden_characters = 0
    for index in range(pdfium.count_characters(text_page)):
        if pdfium.object_of_character(text_page, index) in hidden:
            hidden_characters += 1
        else:
            shown.append(chr(pdfium.code_of_character(text_page, index)))
    text = "".join(shown).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text, hidden_characters
