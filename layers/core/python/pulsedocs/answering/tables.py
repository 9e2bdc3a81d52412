"""Rows of tables as pages hold them: lines whose last words are figures, below a line of names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pulsedocs.answering.passages import PageText, Words
from pulsedocs.answering.sentences import CELL, LONGEST_ROW, before_final_stop, is_row
from pulsedocs.answering.wording import stems

_LONGEST = 100  # characters of a title or of a line of column names; longer is prose
_ROW: Final = re.compile(rf"(?P<label>\S.*?)(?P<cells>(?:\s+{CELL})+)")
_YEARS: Final = re.compile(r"(?:\s+(?:19|20)\d\d)+")


@dataclass(frozen=True, slots=True)
class Row:
    """A row's label, and the lines above its table that say what the figures are."""

    label: str
    title: str
    columns: Words | None

    @property
    def heading(self) -> str:
        """Return the title and the names of the columns as they are read out before the row."""
        names = self.columns.text if self.columns else ""
        return f"{self.title} ({names})" if self.title and names else self.title or names

    def is_named_in(self, question: frozenset[str]) -> bool:
        """Say whether the question (its stems) names what this row is about."""
        words = stems(self.label)
        return bool(words) and words <= question


def row_of(words: Words) -> Row | None:
    """Return what a passage's words are in a table; None where they are no row of one."""
    match = _row(words.text)
    if match is None:
        return None
    above = _lines_above(words.page, words.start)
    while above and is_row(above[-1][1]) and not _names_columns(above[-1][1]):
        above.pop()
    columns = _taken(above)
    title = _taken(above) if columns else None
    return Row(
        label=match["label"],
        title=title[1] if title else "",
        columns=columns
        and Words(words.block, words.page, columns[0], columns[0] + len(columns[1])),
    )


def _row(text: str) -> re.Match[str] | None:
    is_line = "\n" not in text and len(text) <= LONGEST_ROW
    match = _ROW.fullmatch(text) if is_line else None
    return None if match is None or not stems(match["label"]) else match


def _names_columns(line: str) -> bool:
    match = _row(line)
    return match is not None and _YEARS.fullmatch(match["cells"]) is not None


def _lines_above(page: PageText, start: int) -> list[tuple[int, str]]:
    lines: list[tuple[int, str]] = []
    at = 0
    for line in page.text[:start].splitlines(keepends=True):
        lines.append((at + len(line) - len(line.lstrip()), line.strip()))
        at += len(line)
    return lines


def _taken(above: list[tuple[int, str]]) -> tuple[int, str] | None:
    """Take the nearest line above if it is a heading or names columns: short, and no sentence."""
    while above and not above[-1][1]:
        above.pop()
    if not above or not _is_heading(above[-1][1]):
        return None
    return above.pop()


def _is_heading(line: str) -> bool:
    is_short = len(line) <= _LONGEST
    is_open = before_final_stop(line) == len(line) and not line.endswith((",", ";"))
    return is_short and is_open and (not is_row(line) or _names_columns(line))


def named_labels(question: str, rows: Sequence[Row]) -> list[frozenset[str]]:
    """Return the labels, as stems, that tables have and the question names."""
    asked = stems(question)
    return [stems(row.label) for row in rows if row.is_named_in(asked)]
