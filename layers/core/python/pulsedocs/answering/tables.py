"""Rows of tables as pages hold them: lines of figures or of cells, below a line of names."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, groupby
from typing import Final

from pulsedocs.answering.asked.abbreviations import written_out
from pulsedocs.answering.asked.forms import words_of
from pulsedocs.answering.passages import Block, PageText, Words
from pulsedocs.answering.sentences import (
    CELL,
    LONGEST_ROW,
    before_final_stop,
    is_ended,
    rows_among,
)
from pulsedocs.answering.wording import stems
from pulsedocs.model.tables import (
    CAPTION,
    are_years,
    begins_another,
    cells_of,
    has_cells,
    heads_among,
    heads_in,
    is_figure,
    names_of,
    names_time,
)
from pulsedocs.model.years import YEAR

_LONGEST = 100  # characters of a title or of a line of column names; longer is prose
_ROW: Final = re.compile(rf"(?P<label>\S.*?)(?P<cells>(?:\s+{CELL})+)")
_MOST_BETWEEN: Final = 3  # lines between a table's years and its rows
_MOST_OF_CAPTION: Final = 4  # lines
_TOTAL: Final = re.compile(
    r"\b(?:net|gross|sum|balance|gesamt|summe|insgesamt|totale?|suma|somme)\b", re.IGNORECASE
)
_ONLY_TOTAL: Final = re.compile(
    r"(?:sub-?)?totals?|gesamt|(?:zwischen)?summe|insgesamt|totale|somme|suma", re.IGNORECASE
)
"""What a row is called that says nothing of what it adds up."""
_CODE: Final = re.compile(r"--?[\w-]+|[A-Z\d]{3,}|\w*[_.]\w[\w.]*")
"""What a program calls something: API_KEY, --verbose, server.port."""
_PAIR: Final = re.compile(r"\S{1,30}:\s+\S")
"""A line of a list of keys, "F2: Simple edition", which is no title of the others."""
_NAME: Final = re.compile(r"(?=.*[^\W\d_]{2})\w.{1,60}$")
_ENDS_LABEL: Final = ":?!.\uff1a\uff1f"
_PERIOD: Final = re.compile(r"[QH][1-4]|[1-4][QH]|FY\d*", re.IGNORECASE)


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
    group: Words | None = None
    """The row above that says something in its first cell only: the name of a group of rows."""

    @property
    def heading(self) -> str:
        """Return the title and the names of the columns as they are read out before the row."""
        names = " ".join(self.columns.text.split("\n")) if self.columns else ""
        names = f"{names} {_label(self.group.text)}" if self.group else names
        return f"{self.title} ({names})" if self.title and names else self.title or names

    @property
    def spoken(self) -> str | None:
        """Return each cell under its column's name; None for a row without bars."""
        names = _named_by(self.columns.text) if self.columns else ()
        if len(names) == len(self.cells) - 1:
            names = ("", *names)  # what the rows are called needs no name
        if len(names) < len(self.cells):
            names = ("",) * len(self.cells)
        pairs = zip(names, self.cells, strict=False)  # empty cells at a row's end may be left out
        said = (f"{name}: {cell}" if name else cell for name, cell in pairs if cell)
        return self._in_group(", ".join(said)) if self.cells else None

    @property
    def shown(self) -> str | None:
        """Return the row as an answer shows it: a label and its value with a colon between them.

        To models that judge rows "Boiling point: 104" with a colon answered for the melting point.
        """
        match self.cells:
            case (str(label), str(value)) if label and value and not self.columns:
                between = " " if label[-1] in _ENDS_LABEL else ": "
                return self._in_group(f"{label}{between}{value}")
            case _:
                return self.spoken

    def _in_group(self, said: str) -> str:
        return f"{_label(self.group.text).rstrip(':')}: {said}" if self.group else said

    def on_days_of(self, question: str) -> tuple["Row", str]:
        """Return the row without what it says of other days or years than a question names, and it.

        Who is on nights on Tuesday is not who is on nights on Friday.
        """
        names = _named_by(self.columns.text) if self.columns and self.cells else ()
        of_time = {name for name in names[1:] if names_time(name)}
        others = {name for name in of_time if not words_of(name) <= words_of(question)}
        if others == of_time:
            return self, ""
        named = list(zip(names, self.cells, strict=False))
        own = tuple("" if name in others else cell for name, cell in named)
        return replace(self, cells=own), " ".join(cell for name, cell in named if name in others)

    def is_named_in(self, question: str) -> bool:
        """Say whether the question names what this row is about, or abbreviates it: R&D, EPS."""
        words = stems(self.label)
        asked = " ".join((question, *written_out(question, self.label)))
        return bool(words) and words <= stems(asked)


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str
    is_row: bool
    is_after_blank: bool
    cells: tuple[str, ...]

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def row_of(words: Words) -> Row | None:
    """Return what a passage's words are in a table; None where they are no row of one."""
    lines = _lines(words.page.text)
    at = bisect_right(lines, words.start, key=lambda line: line.start) - 1
    if at < 0 or not lines[at].is_row or "\n" in words.text:
        return None
    top = _tops(words.page.text)[at]
    above = list(lines[:top])
    heads = _heads(words.page.text, top)
    columns = _as_words(words.block, words.page, heads)
    if not top and has_cells(words.text) and not _are_over_figures(heads, lines[len(heads) :]):
        carried = _carried_on(words)
        heads, columns = (heads, columns) if carried is None else ((), carried)
    if not heads and not has_cells(words.text) and (taken := _taken(above, words.text)):
        columns = _as_words(words.block, words.page, (taken,))
    if columns is None and has_cells(words.text):
        columns = _as_words(words.block, words.page, _years_above(above, words.text))
    taken = _taken(above, words.text) if columns or has_cells(words.text) else None
    title = _captions(words.page.text).get(top) or (taken.text if taken else "")
    is_heading = lines[at] in heads
    return Row(
        label=_label(words.text),
        title=title,
        columns=None if is_heading else columns,
        cells=cells_of(words.text) if has_cells(words.text) else (),
        is_heading=is_heading,
        group=_group(words, at),
    )


def rows_beside(words: Words) -> list[Words]:
    """Return the rows of the table that words are a row of, as far as it stands on their page."""
    text = words.page.text
    lines, tops = _lines(text), _tops(text)
    at = bisect_right(lines, words.start, key=lambda line: line.start) - 1
    first = tops[at] + len(_heads(text, tops[at]))
    rows = (lines[n] for n in range(first, len(lines)) if tops[n] == tops[at])
    return [Words(words.block, words.page, row.start, row.end) for row in rows]


def rows_named_in(question: str, rows: Sequence[Words]) -> list[Words]:
    """Return the rows of a table that a question names by two or more things of one column.

    Each has what the question names of any other column: "Basic, by month and by year" is of one
    plan. "City Glide" is not named by "City Glide Plus".
    """
    cells = {
        (cell.casefold(), column)
        for row in rows
        for column, cell in enumerate(cells_of(row.text))
        if _NAME.match(cell)
    }
    left, named = question.casefold(), defaultdict[int, set[str]](set)
    for cell, column in sorted(cells, key=lambda one: (-len(one[0]), one)):
        if cell not in left:
            continue
        rest = re.sub(rf"(?<!\w){re.escape(cell)}(?!\w)", "\n", left, count=1)
        if rest != left:
            left = rest
            named[column].add(cell)
    if all(len(names) < len("ab") for names in named.values()):
        return []
    return [row for row in rows if _has_each(cells_of(row.text), named)]


def _has_each(cells: Sequence[str], named: Mapping[int, Container[str]]) -> bool:
    return all(
        len(cells) > column and cells[column].casefold() in names for column, names in named.items()
    )


def _named_by(heads: str) -> Sequence[str]:
    return names_of(heads) if has_cells(heads) else heads.split()


def _years_above(above: Sequence[_Line], row: str) -> Sequence[_Line]:
    """Return the line of years, one for each figure of a row, that stands over a table's title.

    Reports write "(in millions)" and "Earnings data:" between the years and the rows.
    """
    figures = len(cells_of(row)) - 1
    for line in reversed(above[-_MOST_BETWEEN - 1 :]):
        names = line.text.split()
        if len(names) == figures > 1 and are_years(names):
            return (line,)
        if is_ended(line.text):
            break
    return ()


def _group(words: Words, at: int) -> Words | None:
    """Return the name of the group that a line of a table is in.

    Among names of settings, one without values is a row like the others.
    """
    lines, named = _lines(words.page.text), _groups(words.page.text)[at]
    if named is None or all(_is_code(lines[n].cells[0]) for n in (named, at)):
        return None
    return Words(words.block, words.page, lines[named].start, lines[named].end)


@lru_cache(maxsize=64)  # pages: all rows of a table ask
def _groups(text: str) -> tuple[int | None, ...]:
    """Return for each line of a page the one above it, of its table, that names its group.

    A total ends its group: what comes after it is in none. One that is called nothing else is of
    the group that it ends. But a year goes on behind its totals.
    """
    found: list[int | None] = []
    group: int | None = None
    lines = _lines(text)
    of_years, of_groups = (_totals_of_groups(text, each) for each in (_is_year, _is_name))
    for at, (line, top) in enumerate(zip(lines, _tops(text), strict=True)):
        is_row = at >= top + len(_heads(text, top)) and bool(line.cells)
        is_of_year = group is not None and _is_year(lines[group]) and at in of_years
        is_total = is_row and _TOTAL.search(line.cells[0]) is not None
        if not is_row or at == top:
            group = None
        own = group
        if is_total and not is_of_year:
            is_of_group = at in of_groups and _ONLY_TOTAL.fullmatch(line.cells[0].rstrip(":"))
            own, group = (group if is_of_group else None), None
        is_name = is_row and _is_name(line)
        found.append(None if is_name else own)
        group = at if is_name else group
    return tuple(found)


def _totals_of_groups(text: str, begins: Callable[["_Line"], bool]) -> frozenset[int]:
    """Return the rows of which a total is one of the group above, not of all groups of its table.

    Below the last of several groups it is one where a group before has it, too. Below the only one
    it is of a year, and may be of all rows where the group is no year.
    """
    lines, tops = _lines(text), _tops(text)
    found = set[int]()
    for _, table in groupby(range(len(lines)), key=lambda at: tops[at]):
        groups: list[list[int]] = []
        for at in table:
            if begins(lines[at]):
                groups.append([])
            elif groups and lines[at].cells:
                groups[-1].append(at)
        before, last = set(chain(*groups[:-1])), groups[-1] if groups else []
        labels = {lines[at].cells[0] for at in before}
        found |= before
        is_only = len(groups) == 1 and begins is _is_year
        found |= {at for at in last if is_only or lines[at].cells[0] in labels}
    return frozenset(found)


def _is_name(line: "_Line") -> bool:
    """Say whether a row says something in its first cell only, which names a group."""
    return bool(line.cells) and not any(line.cells[1:]) and not _TOTAL.search(line.cells[0])


def _is_year(line: _Line) -> bool:
    """Say whether a row is a year alone, over rows of that year."""
    return _is_name(line) and YEAR.fullmatch(line.cells[0]) is not None


def _is_code(text: str) -> bool:
    return _CODE.fullmatch(text) is not None


def _are_over_figures(heads: Sequence[_Line], rows: Sequence[_Line]) -> bool:
    return bool(heads) and any(map(is_figure, cells_of(rows[0].text) if rows else ()))


def _carried_on(words: Words) -> Words | None:
    """Return the heads of a table that goes on from a page before, if its rows are as wide."""
    for page in reversed(words.block.pages):
        heads = list(heads_in(page.text)) if page.number < words.page.number else []
        if heads and not page.text[heads[-1].rows_end :].strip():
            names = Words(words.block, page, heads[-1].start, heads[-1].end)
            is_as_wide = len(cells_of(words.text)) == len(names_of(names.text))
            return names if is_as_wide else None
    return None


@lru_cache(maxsize=64)  # tables: each of their rows asks again
def _heads(text: str, top: int) -> Sequence[_Line]:
    """Return the first of a table's rows, from a line of a page on, that name its columns."""
    rows = _lines(text)[top:]
    texts = [row.text for row in rows]
    return rows[: heads_among(texts) if has_cells(texts[0]) else _names_columns(texts[0])]


def _as_words(block: Block, page: PageText, heads: Sequence[_Line]) -> Words | None:
    if not heads:
        return None
    return Words(block, page, heads[0].start, heads[-1].end)


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
    return tuple(
        _Line(start, line, is_row, gap, cells_of(line) if has_cells(line) else ())
        for (start, line), is_row, gap in lines
        if line
    )


@lru_cache(maxsize=64)
def _tops(text: str) -> tuple[int, ...]:
    """Return for each line of a page the first of its table."""
    lines = _lines(text)
    tops: list[int] = []
    for at, line in enumerate(lines):
        goes_on = at > 0 and _is_same_table(lines[at - 1], line)
        is_other = goes_on and bool(line.cells) and _has_other_heads(text, tops[-1], line)
        tops.append(tops[-1] if goes_on and not is_other else at)
    return tuple(tops)


def _has_other_heads(text: str, top: int, line: _Line) -> bool:
    return any(begins_another(heads.text, line.text) for heads in _heads(text, top)[:1])


@lru_cache(maxsize=64)
def _captions(text: str) -> Mapping[int, str]:
    """Return the captions of a page's tables, each by the first line of its table.

    Of a caption between two tables a blank line tells whose it is, and else where the captions of
    more tables stand. Nothing tells it where a table goes on from the page before and one follows.
    """
    lines = _lines(text)
    ends = {top: at + 1 for at, top in enumerate(_tops(text)) if lines[at].is_row}
    above = {top: at for top in ends if (at := _caption_above(lines, top)) is not None}
    below = {top: end for top, end in ends.items() if _caption_at(lines, end)}
    under = {at: top for top, at in above.items()}
    for top, at in tuple(below.items()):
        is_apart = lines[at].is_after_blank
        if at in under and is_apart != lines[under[at]].is_after_blank:
            del (below if is_apart else above)[top if is_apart else under[at]]
    if not set(above.values()) & set(below.values()):
        found = below | above
    elif len(above) == len(below):
        found = {}
    else:
        found = max(above, below, key=len)
    return {top: _caption_at(lines, at) for top, at in found.items()}


def _caption_above(lines: Sequence[_Line], top: int) -> int | None:
    """Return the line on which the caption above a table begins."""
    for at in range(top - 1, max(-1, top - 1 - _MOST_OF_CAPTION), -1):
        if _caption_at(lines, at):
            return at
        if lines[at].is_row or lines[at].is_after_blank:
            break
    return None


def _caption_at(lines: Sequence[_Line], at: int) -> str:
    """Return the caption of a table that begins on a line, without its last stop; or ""."""
    begins = CAPTION.match(lines[at].text) if at < len(lines) else None
    if begins is None or begins[0][0] not in "tT":
        return ""
    goes_on = at and not (
        lines[at].is_after_blank or lines[at - 1].is_row or is_ended(lines[at - 1].text)
    )
    if goes_on and begins[0].endswith("."):
        return ""  # "as shown in", and below it "Table 3. The ..."
    found: list[str] = []
    for line in lines[at : at + _MOST_OF_CAPTION]:
        if found and (line.is_row or line.is_after_blank):
            break
        found.append(line.text)
        if is_ended(line.text):
            break
    caption = " ".join(found)
    return caption[: before_final_stop(caption)]


def _is_same_table(above: _Line, line: _Line) -> bool:
    if not above.is_row or has_cells(above.text) != has_cells(line.text):
        return False
    return not (line.is_after_blank if has_cells(line.text) else _names_columns(line.text))


def _label(text: str) -> str:
    if has_cells(text):
        return cells_of(text)[0]
    match = _ROW.fullmatch(text) if len(text) <= LONGEST_ROW else None
    return match["label"] if match else re.split(r"\s+(?=\S*\d)", text)[0]


def _names_columns(line: str) -> bool:
    """Say whether a line without cells names columns: its figures are years, or quarters too."""
    figures = [word for word in line.split() if any(map(str.isdigit, word))]
    years = [figure for figure in figures if YEAR.fullmatch(figure)]
    periods = all(YEAR.fullmatch(figure) or _PERIOD.fullmatch(figure) for figure in figures)
    return bool(years) and periods and are_years(years)


def _taken(above: list[_Line], below: str) -> _Line | None:
    """Take the nearest line above if it is a heading or names columns: short, and no sentence."""
    if not above:
        return None
    text = above[-1].text
    is_open = not is_ended(text) and not text.endswith((",", ";"))
    is_alike = _PAIR.match(text) is not None and _PAIR.match(below) is not None
    if len(text) > _LONGEST or not is_open or above[-1].is_row or is_alike:
        return None
    # What ends in figures, but years, is a row of its own.
    row = _ROW.fullmatch(text)
    return above.pop() if row is None or are_years(row["cells"].split()) else None


def named_labels(question: str, rows: Sequence[Row]) -> list[frozenset[str]]:
    """Return the labels, as stems, that tables have and the question names."""
    return [stems(row.label) for row in rows if row.is_named_in(question)]
