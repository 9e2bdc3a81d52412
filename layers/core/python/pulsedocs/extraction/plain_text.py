"""Plain text as pages of bounded size; a form feed ends one wherever it stands.

Lines that tabs part into as many cells each are rows, with the bars of all other tables.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from pulsedocs.errors import TooManyPages, TooMuchText
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.encoding import decoded
from pulsedocs.extraction.outcomes import outcome_of
from pulsedocs.extraction.page_breaks import Stretch, sheets
from pulsedocs.model.pages import Page
from pulsedocs.model.tables import BROKEN_BAR

_PARSER = "text"
_FEWEST_ROWS = 3  # two lines with a tab in each may be anything
_TABS = re.compile(r"\t+")
_BLOCK = re.compile(r"(?:[^\S\n]*+\S[^\n]*(?:\n|\Z))+")
# Of a block with one line this one, else one that is not its first.
_INDENTED_LINE = re.compile(r"\n(?:  |\t)|\A(?:  |\t)[^\n]*\n?\Z")


class TextFile:
    """A text. Opening raises TextNotUTF8, TooManyPages and TooMuchText."""

    def __init__(self, body: bytes, *, budgets: Budgets) -> None:
        text = _with_rows(decoded(body))
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


def _with_rows(text: str) -> str:
    if "\t" not in text:
        return text
    lines: list[str] = []
    for has_cells, stretch in groupby(text.split("\n"), key=_has_cells):
        rows = list(stretch)
        lines += _rows(rows) if has_cells and _are_rows(rows) else rows
    return "\n".join(lines)


def _has_cells(line: str) -> bool:
    return "\t" in line.strip() and "\f" not in line


def _are_rows(lines: Sequence[str]) -> bool:
    """Say whether lines have as many cells each, by single tabs or by those that align them.

    Most rows begin with a cell; lines of code are indented.
    """
    indented = sum(line[0].isspace() for line in lines)
    is_alike = any(len({len(cells(line)) for line in lines}) == 1 for cells in (_parted, _aligned))
    return len(lines) >= _FEWEST_ROWS and 2 * indented < len(lines) and is_alike


def _parted(line: str) -> list[str]:
    return line.split("\t")


def _aligned(line: str) -> list[str]:
    return _TABS.split(line.strip())


def _rows(lines: Sequence[str]) -> Iterator[str]:
    are_parted = len({len(_parted(line)) for line in lines}) == 1
    for line in lines:
        cells = _parted(line.rstrip()) if are_parted else _aligned(line)
        words = (
            " ".join(BROKEN_BAR if word == "|" else word for word in cell.split()) for cell in cells
        )
        yield " |".join(f" {said}" if said else "" for said in words).lstrip()


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
