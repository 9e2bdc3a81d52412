"""Plain text as pages of bounded size.

Plain text has no pages, but answers cite one: a page ends at a form feed, or after about 3,000
characters (a printed page) at the end of a paragraph, a line or a word, in this order.
"""

import codecs
import re
from collections.abc import Iterator

from pulsedocs.errors import TextNotUTF8, TooManyPages, TooMuchText
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.storable import storable
from pulsedocs.model.pages import Page, PageOutcome

PAGE_CHARACTERS = 3_000
_SHORTEST = PAGE_CHARACTERS // 2
_PARSER = "text"
_ENDS = (re.compile(r"\n[ \t]*\n\s*"), re.compile(r"\n"), re.compile(r"\s"))


def read_text(body: bytes, *, budgets: Budgets) -> Iterator[Page]:
    """Yield every page; see `TextFile`."""
    return TextFile(body, budgets=budgets).pages()


class TextFile:
    """A UTF-8 file, or a UTF-16 one that says so with a byte order mark.

    Opening raises TextNotUTF8, TooManyPages and TooMuchText.
    """

    def __init__(self, body: bytes, *, budgets: Budgets) -> None:
        text = storable(_decoded(body))
        if len(text) > budgets.document_characters:
            raise TooMuchText(f"the file has {len(text)} characters")
        self._texts = list(_pages_of(text))
        self.page_count = len(self._texts)
        if self.page_count > budgets.max_pages:
            raise TooManyPages(
                f"the file makes {self.page_count} pages; {budgets.max_pages} are allowed"
            )

    def pages(self, first_page: int = 1) -> Iterator[Page]:
        for number, text in enumerate(self._texts, start=1):
            if number >= first_page:
                outcome = PageOutcome.TEXT if text.strip() else PageOutcome.EMPTY
                yield Page(number, text, outcome, _PARSER)


def _decoded(body: bytes) -> str:
    wide = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if wide else "utf-8"
    try:
        return body.decode(encoding, "surrogatepass").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise TextNotUTF8(f"byte {error.start} is not {encoding.upper()}") from error


def _pages_of(text: str) -> Iterator[str]:
    for sheet in text.split("\f"):
        start = 0
        while len(sheet) - start > PAGE_CHARACTERS:
            end = _page_end(sheet, start)
            yield sheet[start:end]
            start = end
        yield sheet[start:]


def _page_end(sheet: str, start: int) -> int:
    """Return where the page from `start` ends: after the last boundary of the best kind."""
    earliest, latest = start + _SHORTEST, start + PAGE_CHARACTERS
    for kind in _ENDS:
        ends = [match.end() for match in kind.finditer(sheet, earliest, latest)]
        if ends:
            return ends[-1]
    return latest
