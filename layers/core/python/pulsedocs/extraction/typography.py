"""Headings of a page by the type they are set in, for files without an outline.

The rule looks at one page alone. Pages are read in ranges, by processes that may die on any of
them, so a rule over other pages would give other sections after a crash, or die with them.

A heading is a line, or up to three in the same type, that
- is set at least 8 % larger than most of the page's text, or is bold where that is not;
- has at most 120 characters, a word, no small letter or bullet before it and no . , ; : behind it;
- has the same type at both ends;
- stands neither in the outermost 5 % of the page's height, where running headers are, nor with so
  many others that a third of the page's text would be headings.
Its level is how much larger it is, because that is the same on every page of a document.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple, TypeAlias

from pulsedocs.model.pages import Heading

_LARGER = 1.08  # 12 point above text of 11 is a common heading, and 1.09 times as large
_LEVELS = (1.8, 1.35, _LARGER)  # for levels 1, 2 and 3; bold text is 4
_BOLD = 600  # of the usual scale to 900, on which 400 is regular and 700 is bold
_LONGEST = 120
_MOST_LINES = 3
_EDGE = 0.05  # of the height: running headers stand there
_LARGEST_SHARE = 1 / 3  # of a page's characters may be headings
_FEW_CHARACTERS = 200
_BODY_POINTS = 12.0  # what is taken for text where a page has nothing but a title
_SAMPLE = 8  # lines; measuring each was a fifth of reading a page, this an eighth
_WORD = re.compile(r"[^\W\d_]{2}")
_BULLETS = tuple("\u2022\u00b7\u25aa\u25cf\u25e6\u2013\u2014-*")
_NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2})*\.?\s")
_UNFINISHED = tuple(".,;:\u2026\x02\ufffe")  # the last two are pdfium's hyphens at a line's end


class Type(NamedTuple):
    """How a character is set: `height` is where its line stands, from 0 at the foot to 1."""

    size: float
    weight: int
    height: float = 0.5


class Line(NamedTuple):
    """A line, without the spaces around it, at `start` in the page's text."""

    start: int
    text: str


class _Row(NamedTuple):
    """A line that is a heading, or a part of one; `place` counts all lines."""

    place: int
    line: Line
    level: int
    size: float


Measure: TypeAlias = Callable[[int], Type | None]
"""Gives the type of the character at a place in the page's text, if it has one."""


def headings_by_type(lines: Sequence[Line], type_at: Measure) -> tuple[Heading, ...]:
    """Return the headings among the lines of one page, which are in reading order."""
    characters = sum(len(line.text) for line in lines)
    is_short = characters <= _FEW_CHARACTERS
    shares: Counter[tuple[float, int]] = Counter()
    for line in lines[:: len(lines) // _SAMPLE + 1]:  # from all over the page
        if found := type_at(line.start):
            shares[found.size, found.weight] += len(line.text)
    if not shares:
        return ()
    size, weight = max(shares, key=lambda kind: (shares[kind], kind))
    body = Type(min(size, _BODY_POINTS) if is_short else size, weight)
    rows = _rows(lines, body, type_at)
    length = sum(len(row.line.text) for row in rows)
    if not is_short and length > characters * _LARGEST_SHARE:
        return ()
    headings: list[Heading] = []
    # Rows that follow each other line by line keep their place less their index.
    for _, run in groupby(
        enumerate(rows), key=lambda item: (item[1].place - item[0], item[1].level, item[1].size)
    ):
        parts = [row for _, row in run]
        for own in _by_number(parts) if len(parts) <= _MOST_LINES else ():
            title = " ".join(" ".join(row.line.text for row in own).split())
            headings.append(Heading(own[0].level, title, own[0].line.start))
    return tuple(headings)


def _by_number(rows: Sequence[_Row]) -> Iterator[Sequence[_Row]]:
    """Yield rows of one type heading by heading: "2. Methods" and "2.1. Design" are two."""
    numbered = [_NUMBERED.match(row.line.text) is not None for row in rows]
    starts = [at for at in range(1, len(rows)) if numbered[0] and numbered[at]]
    for start, end in pairwise([0, *starts, len(rows)]):
        yield rows[start:end]


def _rows(lines: Sequence[Line], body: Type, type_at: Measure) -> list[_Row]:
    rows: list[_Row] = []
    for index, line in enumerate(lines):
        goes_on = bool(rows) and rows[-1].place == index - 1
        text = line.text
        # By the words first: that spares measuring two lines of three.
        if (
            len(text) > _LONGEST
            or (text[0].islower() and not goes_on)
            or text.startswith(_BULLETS)
            or text.endswith(_UNFINISHED)
            or _WORD.search(text) is None
        ):
            continue
        start = type_at(line.start)
        level = _level(start, body) if start else 0
        end = type_at(line.start + len(line.text) - 1) if level else None
        if start and end and (start.size, start.weight) == (end.size, end.weight):
            rows.append(_Row(index, line, level, start.size))
    return rows


def _level(found: Type, body: Type) -> int:
    """Return how deep a heading in this type is, or 0 for text and for running headers."""
    if not _EDGE < found.height < 1 - _EDGE:
        return 0
    for level, ratio in enumerate(_LEVELS, start=1):
        if found.size >= body.size * ratio:
            return level
    is_bold = found.weight >= _BOLD > body.weight and found.size >= body.size
    return len(_LEVELS) + 1 if is_bold else 0
