"""Readable text put together from the parts of a marked-up file.

Paragraphs are a blank line apart, the cells of a row stand on one line, and every heading knows
at which character it begins.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pulsedocs.errors import TooManyPages, TooMuchText
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.outcomes import outcome_of
from pulsedocs.extraction.page_breaks import Stretch, sheets
from pulsedocs.extraction.storable import storable
from pulsedocs.model.lists import DEEPEST, INDENT
from pulsedocs.model.pages import Heading, Page
from pulsedocs.model.tables import BROKEN_BAR, heads_in

_SPACES = re.compile(r"[ \t\n\f\r]+")
_OWN_BAR = re.compile(r"(?<!\S)\|(?!\S)")
_TITLE_CHARACTERS = 500
_MARK_CHARACTERS = 200  # a row of empty cells, or lists that begin within lists
_MARKS = ".,:;!?"
_PARAGRAPH, _LINE, _SPACE = "\n\n", "\n", " "


class Prose:
    """Grows in reading order; what stands between words is decided by the words that follow."""

    def __init__(self, *, label: str | None = None) -> None:
        self.label = label
        self.headings: list[Heading] = []
        self.hidden: list[tuple[int, int]] = []
        self.verbatims: list[tuple[int, int]] = []
        self.title: str | None = None
        self.unread: list[str] = []
        self.aside = 0
        """Characters of what stands around the text of a page of a site, and is left out."""
        self._parts: list[str] = []
        self._length = 0
        self._gap = ""
        self._mark = ""
        self._leads = False
        self._row_start = 0
        self._level: int | None = None
        self._is_row = False
        self._is_cell = False
        self._items = 0
        """Of the lists in the open cell."""
        self._heading_start: int | None = None
        self._heading_part = 0

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def words(self, text: str) -> None:
        """Add running text, in which white space of any length is one space."""
        spaced = _SPACES.sub(" ", storable(text))
        if self._is_row:
            spaced = _OWN_BAR.sub(BROKEN_BAR, spaced)
        words = spaced.strip(" ")
        if spaced[:1] == " ":
            self._space()
        if words:
            self._put(words)
            if spaced[-1] == " ":
                self._space()

    def verbatim(self, text: str) -> None:
        """Add text whose spaces and line ends mean something, such as code."""
        if self._is_one_line:
            self.words(text)
            return
        lines = storable(text).replace("\f", "\n")
        body = lines.strip("\n")
        if not body:
            self._gap += lines
            return
        start = lines.index(body)
        self._gap += lines[:start]
        begin = self._length
        self._put(body)
        self._gap = lines[start + len(body) :]
        if self.verbatims and self.verbatims[-1][1] == begin:
            begin, _ = self.verbatims.pop()
        else:
            begin = self._length - len(body)
        self.verbatims.append((begin, self._length))

    def line(self) -> None:
        self._break(_LINE)

    def paragraph(self) -> None:
        self._break(_PARAGRAPH)

    def begin_item(self, mark: str, *, depth: int = 0) -> None:
        """Begin an item of a list that lies in `depth` others, by which it is indented.

        In a cell, which is one line, it stands behind the item before it: "north; south".
        """
        self.line()
        if depth > 0 and self._gap:  # the words of the item around may be a paragraph
            self._gap = _LINE
        if self._is_cell:
            if self._items:
                self.go_on(";")
            self._items += 1
        else:
            is_first = not self._mark and not self._leads  # of its line
            self._add_mark(INDENT * min(depth, DEEPEST) + mark if is_first else mark)

    def lead(self, text: str) -> None:
        """Add words on a line of their own, and what comes next on the same line."""
        self.line()
        self.words(text)
        self._gap, self._leads = _SPACE, self._level is None

    def go_on(self, mark: str) -> None:
        """Add what comes next to the line or cell, behind a mark unless that ends in one."""
        if not self._mark and self._length > self._row_start:
            self._gap = _SPACE if self._parts[-1][-1] in _MARKS else f"{mark} "
        self._leads = self._level is None

    def end_label(self) -> None:
        """Put a colon right behind the words before, unless they end in a mark."""
        if self._length > self._row_start and self._parts[-1][-1] not in _MARKS:
            self._gap = ""
            self._put(":")

    def begin_row(self) -> None:
        self.line()
        self._row_start, self._leads = self._length, self._level is None
        self._is_row = True

    def begin_cell(self, *, is_first: bool) -> None:
        """Separate a cell from the one before it; empty ones count."""
        if is_first or self._level is not None:
            self._space()
            return
        if self._length > self._row_start:
            self._gap = _SPACE
        self._add_mark("| ")

    def begin_line(self) -> int:
        """Keep on one line all that follows, the paragraphs of a cell; return where it begins."""
        self._is_cell, self._items = True, 0
        return len(self._parts)

    def end_line(self, begun: int) -> str:
        """Return what was added since `begin_line`."""
        self._is_cell = False
        return "".join(self._parts[begun:]).strip(" |\n")

    def end_marked(self) -> None:
        """End an item or a row; one without words leaves nothing."""
        if self._is_cell:
            self._space()
            return
        self._mark, self._leads, self._is_row = "", False, False
        self._gap = _LINE if self._level is None else _SPACE

    def leave_empty(self, cells: int) -> None:
        """Say of the row before that these cells of it are empty, so that it stays of its table."""
        bars = " |" * cells
        self._parts.append(bars)
        self._length += len(bars)

    def begin_heading(self, level: int) -> None:
        self.paragraph()
        if self._level is None:
            self._level, self._heading_start = level, None

    def end_heading(self) -> None:
        if self._level is not None and self._heading_start is not None:
            title = "".join(self._parts[self._heading_part :])[:_TITLE_CHARACTERS].rstrip()
            if title:
                self.headings.append(Heading(self._level, title, self._heading_start))
        self._level = None
        self.paragraph()

    def hide(self, characters: int) -> None:
        """Count characters that are in the file and that its readers do not see."""
        if characters:
            self.hidden.append((self._length, characters))

    def _break(self, gap: str) -> None:
        if self._is_one_line:
            self._space()
        elif not self._mark and not self._leads and len(self._gap.strip(" ")) < len(gap):
            self._gap = gap

    @property
    def _is_one_line(self) -> bool:
        return self._level is not None or self._is_cell

    def _space(self) -> None:
        self._gap = self._gap or _SPACE

    def _add_mark(self, mark: str) -> None:
        if self._level is None and len(self._mark) < _MARK_CHARACTERS:
            self._mark += mark

    def _put(self, text: str) -> None:
        lead = (self._gap if self._length else "") + self._mark
        indent = len(self._mark) - len(self._mark.lstrip())
        if indent:  # cleaning leaves no other spaces at the beginning of a line
            begin = self._length + len(lead) - len(self._mark)
            self.verbatims.append((begin, begin + indent))
        self._gap = self._mark = ""
        self._leads = False
        if lead:
            self._parts.append(lead)
            self._length += len(lead)
        if self._level is not None and self._heading_start is None:
            self._heading_start, self._heading_part = self._length, len(self._parts)
        self._parts.append(text)
        self._length += len(text)


class ProseFile:
    """The pages of texts that have none of their own, such as chapters. Each begins a page.

    With `are_sheets` each text is one page, such as a slide. Raises TooMuchText and TooManyPages.
    """

    def __init__(
        self, texts: Iterable[Prose], *, parser: str, budgets: Budgets, are_sheets: bool = False
    ) -> None:
        self._pages: list[Page] = []
        characters = 0
        for prose in texts:
            text = prose.text
            characters += len(text)
            if characters > budgets.document_characters:
                raise TooMuchText(
                    f"the file has more than {budgets.document_characters} characters"
                )
            titles = [Stretch(item.start, item.start + len(item.title)) for item in prose.headings]
            whole = [Stretch(0, len(text))]
            parts = whole if are_sheets else list(sheets(text, whole=titles)) or whole
            first = len(self._pages) + 1
            self._pages += _pages(text, prose, parts, parser=parser, first_number=first)
        self.page_count = len(self._pages)
        if self.page_count > budgets.max_pages:
            raise TooManyPages(
                f"the file makes {self.page_count} pages; {budgets.max_pages} are allowed"
            )

    def pages(self, first_page: int = 1) -> Iterator[Page]:
        yield from self._pages[first_page - 1 :]


def _pages(
    text: str, prose: Prose, parts: Sequence[Stretch], *, parser: str, first_number: int
) -> Iterator[Page]:
    headings, hidden = list(prose.headings)[::-1], prose.hidden[::-1]
    verbatims = prose.verbatims[::-1]
    tables = list(heads_in(text))[::-1] if len(parts) > 1 else []
    for number, part in enumerate(parts, start=first_number):
        is_last = part is parts[-1]
        while tables and tables[-1].rows_end <= part.start:
            tables.pop()
        # A page that begins within a table begins with its heads, as Word prints them.
        goes_on = bool(tables) and tables[-1].end < part.start
        heads = f"{text[tables[-1].start : tables[-1].end]}\n" if goes_on else ""
        counted = 0
        while hidden and (is_last or hidden[-1][0] < part.end):
            counted += hidden.pop()[1]
        here: list[Heading] = []
        while headings and (is_last or headings[-1].start < part.end):
            heading = headings.pop()
            here.append(replace(heading, start=len(heads) + heading.start - part.start))
        words = heads + text[part.start : part.end]
        yield Page(
            number=number,
            text=words,
            outcome=outcome_of(words, hidden_characters=counted),
            parser=parser,
            label=prose.label,
            headings=tuple(here),
            hidden_characters=counted,
            verbatim=tuple(
                (len(heads) + start, len(heads) + end) for start, end in _within(part, verbatims)
            ),
            is_sheet=False,
            title=prose.title if number == 1 else None,
            unread=tuple(prose.unread) if number == first_number else (),
        )


def _within(part: Stretch, verbatims: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield what lies in a part of stretches in order, the last one first; the rest stays."""
    while verbatims and verbatims[-1][0] < part.end:
        start, end = verbatims.pop()
        yield max(start, part.start) - part.start, min(end, part.end) - part.start
        if end > part.end:
            verbatims.append((part.end, end))
            return
