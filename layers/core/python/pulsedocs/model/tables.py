"""Rows of tables in a text: a line a row, its cells parted by bars, below the names of columns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

BAR: Final = " | "
"""Between the cells of a row, where the file says what a cell is."""
LONGEST_HEADS: Final = 300  # characters; longer ones are rows of text

_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_YEARS_APART: Final = 10  # of two columns, at most: a census
_FIGURE: Final = re.compile(r"[-+(\u2212\u2013]?\s?[$\u20ac\u00a3]?\s?\d")


@dataclass(frozen=True, slots=True)
class Heads:
    """A table from the first character of its heads to the end of its last row."""

    start: int
    end: int
    rows_end: int


def has_cells(line: str) -> bool:
    """Return whether bars part a line into cells, as those of Markdown and HTML tables are."""
    return BAR in f" {line.strip()} "


def cells_of(line: str) -> tuple[str, ...]:
    text = f" {line.strip()} "  # the first or the last cell may be empty
    return tuple(" ".join(cell.split()) for cell in text.split(BAR))


def names_of(heads: str) -> tuple[str, ...]:
    """Return what each column is called; in the second of two lines more nearly."""
    first, *second = (cells_of(line) for line in heads.split("\n"))
    if not second:
        return first
    pairs = zip(first, second[0], strict=False)
    return tuple(f"{above} {name}".strip() if above != name else name for above, name in pairs)


def heads_among(rows: Sequence[str]) -> int:
    """Return how many of a table's first rows name its columns; two where names reach over some."""
    if not names_columns(rows):
        return 0
    names = cells_of(rows[0])
    are_shared = any(one and one == other for one, other in pairwise(names))
    if are_shared and len(rows) > 1 and len(cells_of(rows[1])) == len(names):
        return 1 + names_columns(rows[1:])
    return 1


def names_columns(rows: Sequence[str]) -> bool:
    """Say whether the first of a table's rows names its columns: it has no figures, or years only.

    Years of a head go up or down in equal steps; a row of figures may look like years, too.
    """
    first = cells_of(rows[0])
    below = next((cells_of(row) for row in rows[1:] if has_cells(row)), None)
    if below is None:
        return False
    figures = [cell for cell in first if _FIGURE.match(cell)]
    beneath = [cell for cell in below if _FIGURE.match(cell)]
    return not figures or (
        are_years(figures) and not all(_YEAR.fullmatch(cell) for cell in beneath)
    )


def are_years(figures: Sequence[str]) -> bool:
    if not all(_YEAR.fullmatch(figure) for figure in figures):
        return False
    steps = {int(later) - int(earlier) for earlier, later in pairwise(figures)}
    return len(steps) <= 1 and all(0 < abs(step) <= _YEARS_APART for step in steps)


def is_figure(cell: str) -> bool:
    return _FIGURE.match(cell) is not None


def heads_in(text: str) -> Iterator[Heads]:
    """Yield the tables of a text that have heads; where these come again another one begins."""
    rows: list[tuple[int, str]] = []
    at = 0
    for line in (*text.splitlines(keepends=True), ""):
        words = line.strip()
        is_row = has_cells(words)
        if rows and (not is_row or words == rows[0][1]):
            yield from _heads_of(rows)
            rows = []
        if is_row:
            rows.append((at + line.index(words), words))
        at += len(line)


def _heads_of(rows: Sequence[tuple[int, str]]) -> Iterator[Heads]:
    count = heads_among([words for _, words in rows[:3]])
    if count:
        start, (last, words) = rows[0][0], rows[count - 1]
        end = last + len(words)
        if end - start <= LONGEST_HEADS:
            yield Heads(start, end, rows[-1][0] + len(rows[-1][1]))
