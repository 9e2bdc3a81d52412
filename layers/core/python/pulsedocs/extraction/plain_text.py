"""Plain text as pages of bounded size; a form feed ends one wherever it stands."""

import re
from collections.abc import Iterator

from pulsedocs.errors import TooManyPages, TooMuchText
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.encoding import decoded
from pulsedocs.extraction.outcomes import outcome_of
from pulsedocs.extraction.page_breaks import Stretch, sheets
from pulsedocs.model.pages import Page

_PARSER = "text"
_BLOCK = re.compile(r"(?:[^\S\n]*+\S[^\n]*(?:\n|\Z))+")
# Of a block with one line this one, else one that is not its first.
_INDENTED_LINE = re.compile(r"\n(?:  |\t)|\A(?:  |\t)[^\n]*\n?\Z")


class TextFile:
    """A text. Opening raises TextNotUTF8, TooManyPages and TooMuchText."""

    def __init__(self, body: bytes, *, budgets: Budgets) -> None:
        text = decoded(body)
        if len(text) > budgets.document_characters:
            raise TooMuchText(
                f"the file has {len(text)} characters; {budgets.document_characters} are allowed"
            )
        self._texts = [
            sheet[part.start : part.end]
            for sheet in text.split("\f")
            for part in (sheets(sheet) if sheet else [Stretch(0, 0)])
        ]
        self.page_count = len(self._texts)
        if self.page_count > budgets.max_pages:
            raise TooManyPages(
                f"the file makes {self.page_count} pages; {budgets.max_pages} are allowed"
            )

    def pages(self, first_page: int = 1) -> Iterator[Page]:
        for number, text in enumerate(self._texts, start=1):
            if number >= first_page:
                yield Page(
                    number,
                    text,
                    outcome_of(text),
                    _PARSER,
                    verbatim=tuple(_verbatims(text)),
                    is_sheet=False,
                )


def _verbatims(text: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches with indented lines, as in code and verse; not a paragraph's first."""
    start = end = 0
    for block in _BLOCK.finditer(text):
        if not _INDENTED_LINE.search(block[0]):
            continue
        if start < end and text[end : block.start()].strip():
            yield start, end
            start = end
        start = start if start < end else block.start()
        end = block.end()
    if start < end:
        yield start, end
