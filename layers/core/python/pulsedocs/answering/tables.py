"""Rows of tables as pages hold them: lines of figures or of cells, below a line of names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pulsedocs.answering.passages import Words
from pulsedocs.answering.sentences import (
    BAR,
    CELL,
    LONGEST_ROW,
    before_final_stop,
    has_cells,
    rows_among,
)
from pulsedocs.answering.wording import stems

_LONGEST = 100  # characters of a title or of a line of column names; longer is prose
_ROW: Final = re.compile(rf"(?P<label>\S.*?)(?P<cells>(?:\s+{CELL})+)")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_PERIOD: Final = re.compile(r"[QH][1-4]|[1-4][QH]|FY\d*", re.IGNORECASE)
_YEARS_APART: Final = 10  # of two columns, at most: a census
_FIGURE: Final = re.compile(r"[-+(\u2212\u2013]?\s?[$\u20ac\u00a3]?\s?\d")


@dataclass(frozen=True, slots=True)
class Row:
    """A row's label, and the lines above its table that say what the figures are.

    `cells` are those of a row that has bars; `is_heading` says that the row names the columns.
    """

    label: str
    title: str
    columns: Words | None
    cells: tuple[str, ...] = ()
    is_heading: bool = False

    @property
    def heading(self) -> str:
        """Return the title and the names of the columns as they are read out before the row."""
        names = self.columns.text if self.columns else ""
        return f"{self.title} ({names})" if self.title and names else self.title or names

    @property
    def spoken(self) -> str | None:
        """Return each cell under its column's name; None for a row without bars."""
        if not self.cells:
            return None
        names = _cells(self.columns.text) if self.columns else ()
        if len(names) == len(self.cells) - 1:
            names = ("", *names)  # what the rows are called needs no name
        if len(names) != len(self.cells):
            return ", ".join(filter(None, self.cells))
        pairs = zip(names, self.cells, strict=True)
        return ", ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)

    def is_named_in(self, question: frozenset[str]) -> bool:
        """Say whether the question (its stems) names what this row is about."""
        words = stems(self.label)
        return bool(words) and words <= question


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str
    is_row: bool
    is_after_blank: bool


def row_of(words: Words) -> Row | None:
    """Return what a passage's words are in a table; None where they are no row of one."""
    lines = _lines(words.page.text)
    at = max((n for n, line in enumerate(lines) if line.start <= words.start), default=None)
    if at is None or not lines[at].is_row or "\n" in words.text:
        return None
    top = at
    while top and _is_same_table(lines[top - 1], lines[top]):
        top -= 1
    above = list(lines[:top])
    head = lines[top] if _names_columns([line.text for line in lines[top:]]) else None
    if head is None and not has_cells(words.text):
        head = _taken(above)
    title = _taken(above) if head or has_cells(words.text) else None
    return Row(
        label=_label(words.text),
        title=title.text if title else "",
        columns=Words(words.block, words.page, head.start, head.start + len(head.text))
        if head and head is not lines[at]
        else None,
        cells=_cells(words.text) if has_cells(words.text) else (),
        is_heading=head is lines[at],
    )


@lru_cache(maxsize=64)  # pages: all rows of a table ask for the same one
def _lines(text: str) -> tuple[_Line, ...]:
    """Return the lines of a page that hold anything."""
    found: list[tuple[int, str]] = []
    at = 0
    for line in text.splitlines(keepends=True):
        found.append((at + len(line) - len(line.lstrip()), line.strip()))
        at += len(line)
    rows = rows_among([line for _, line in found])
    blank = [not line for _, line in found]
    lines = zip(found, rows, [False, *blank], strict=False)
    return tuple(_Line(*place, is_row, gap) for place, is_row, gap in lines if place[1])


def _is_same_table(above: _Line, line: _Line) -> bool:
    if not above.is_row or has_cells(above.text) != has_cells(line.text):
        return False
    return not (line.is_after_blank if has_cells(line.text) else _names_columns([line.text]))


def _label(text: str) -> str:
    if has_cells(text):
        return _cells(text)[0]
    match = _ROW.fullmatch(text) if len(text) <= LONGEST_ROW else None
    return match["label"] if match else re.split(r"\s+(?=\S*\d)", text)[0]


def _cells(text: str) -> tuple[str, ...]:
    return tuple(" ".join(cell.split()) for cell in text.split(BAR))


def _names_columns(rows: Sequence[str]) -> bool:
    """Say whether the first of a table's rows names its columns: it has no figures, or years only.

    Years of a head go up or down in equal steps; a row of figures may look like years, too.
    """
    first, *others = rows
    if has_cells(first):
        below = next((_cells(row) for row in others if has_cells(row)), None)
        if below is None:
            return False
        figures = [cell for cell in _cells(first) if _FIGURE.match(cell)]
        beneath = [cell for cell in below if _FIGURE.match(cell)]
        are_years = _are_years(figures) and not all(_YEAR.fullmatch(cell) for cell in beneath)
        return not figures or are_years
    figures = [word for word in first.split() if any(map(str.isdigit, word))]
    years = [figure for figure in figures if _YEAR.fullmatch(figure)]
    periods = all(_YEAR.fullmatch(figure) or _PERIOD.fullmatch(figure) for figure in figures)
    return bool(years) and periods and _are_years(years)


def _are_years(figures: Sequence[str]) -> bool:
    if not all(_YEAR.fullmatch(figure) for figure in figures):
        return False
    steps = {int(later) - int(earlier) for earlier, later in pairwise(figures)}
    return len(steps) <= 1 and all(0 < abs(step) <= _YEARS_APART for step in steps)


def _taken(above: list[_Line]) -> _Line | None:
    """Take the nearest line above if it is a heading or names columns: short, and no sentence."""
    if not above:
        return None
    text = above[-1].text
    is_open = before_final_stop(text) == len(text) and not text.endswith((",", ";"))
    if len(text) > _LONGEST or not is_open or above[-1].is_row:
        return None
    # What ends in figures, but years, is a row of its own.
    row = _ROW.fullmatch(text)
    return above.pop() if row is None or _are_years(row["cells"].split()) else None


def named_labels(question: str, rows: Sequence[Row]) -> list[frozenset[str]]:
    """Return the labels, as stems, that tables have and the question names."""
    asked = stems(question)
    return [stems(row.label) for row in rows if row.is_named_in(asked)]
