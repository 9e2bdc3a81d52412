"""Reads a PDF with pdfium, leaving out text that nobody sees."""

import ctypes
import logging
import re
from collections.abc import Iterator, Sequence
from typing import cast

import pypdfium2 as pdfium
from pypdfium2 import raw

from pulsedocs.errors import PDFEncryptedError
from pulsedocs.extraction.headings import MAX_DEPTH, MAX_ENTRIES, OutlineEntry
from pulsedocs.extraction.hidden_text import Handle, hidden_objects
from pulsedocs.extraction.pdf import PageText

_NEEDS_PASSWORD = frozenset({raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY})
_LINE_END_HYPHEN = re.compile("[\x02\ufffe]\r?\n?")
"""pdfium's mark for a hyphen at a line's end, which swallows the line's end; U+0002 character by
character, U+FFFE in a range."""

logging.getLogger("pypdfium2").setLevel(logging.ERROR)  # a circular outline is no news to anyone


class PdfiumReader:
    """Implements `pulsedocs.extraction.pdf.PdfReader`."""

    name = "pdfium"

    def __init__(self, body: bytes) -> None:
        try:
            self._document = pdfium.PdfDocument(body)
        except pdfium.PdfiumError as error:
            if error.err_code in _NEEDS_PASSWORD:
                raise PDFEncryptedError("the file opens with a password only") from error
            raise
        self.page_count = len(self._document)
        if not self.page_count:
            raise pdfium.PdfiumError("no pages")

    def outline(self) -> Sequence[OutlineEntry]:
        return list(self._outline())

    def label(self, index: int) -> str | None:
        return self._document.get_page_label(index)

    def read(self, index: int) -> PageText:
        page: Handle = self._document.get_page(index)
        try:
            return _read(page)
        finally:
            page.close()  # closes its text page too; the document would hold both until the end

    def _outline(self) -> Iterator[OutlineEntry]:
        bookmarks = cast("Iterator[Handle]", self._document.get_toc(max_depth=MAX_DEPTH))
        for count, bookmark in enumerate(bookmarks):
            if count >= MAX_ENTRIES:
                return
            destination: Handle = bookmark.get_dest()
            page: int | None = destination.get_index() if destination else None
            if page is not None:
                yield OutlineEntry(page, bookmark.level + 1, bookmark.get_title())


def _read(page: Handle) -> PageText:
    text_page = page.get_textpage()
    hidden = hidden_objects(page.raw)
    if hidden:
        text, hidden_characters = _visible_text(text_page.raw, hidden)
    else:
        text, hidden_characters = text_page.get_text_range(errors="surrogatepass"), 0
    return PageText(_LINE_END_HYPHEN.sub("-\n", text), hidden_characters)


def _visible_text(text_page: Handle, hidden: frozenset[int]) -> tuple[str, int]:
    """Return the text without the characters of hidden objects, and how many those are.

    Spaces and line ends that pdfium made up belong to no object and stay.
    """
    shown: list[str] = []
    hidden_characters = 0
    for index in range(raw.FPDFText_CountChars(text_page)):
        owner = raw.FPDFText_GetTextObject(text_page, index)
        if owner and ctypes.addressof(owner.contents) in hidden:
            hidden_characters += 1
        else:
            shown.append(chr(raw.FPDFText_GetUnicode(text_page, index)))
    text = "".join(shown).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text, hidden_characters
