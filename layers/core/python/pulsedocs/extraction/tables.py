"""Tables of a PDF: a line a row, its cells parted by bars, whatever order the file draws them in.

Ruled ones are found by their lines, others (`unruled_tables`) by how their cells stand below each
other. What is not surely a table stays as it is; nothing is left out, and what a cell says that
reaches over columns is said of each.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from ctypes import byref, c_float
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import neg
from typing import Final, NamedTuple, TypeAlias

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.form_fields import Piece
from pulsedocs.extraction.hidden_text import PlacedPath, matrix_of, times
from pulsedocs.extraction.pdfium import Handle
from pulsedocs.extraction.unruled_tables import (
    Box,
    Sides,
    Word,
    may_stand_beside,
    median,
    unruled,
)
from pulsedocs.model.tables import BAR, BROKEN_BAR, LONGEST_REPEATED

_NEAR: Final = 3.0  # points between lines that meet
_THIN: Final = 3.0  # points; a thicker box is a ground
_SKEW: Final = 0.001  # of a length: less is level
_WORDS_SEEN: Final = 9  # that tell which way a page is turned
_SHORT: Final = 8.0  # points; a shorter line is part of a sign
_MOST_LINES: Final = 500
_MOST_CELLS: Final = 4_000
_LONGEST_CELL: Final = 600  # characters; what is longer is a part of the page
_FEWEST_ROWS: Final = 3
_MOST_LINES_OF_ROW: Final = 3
_STOPS: Final = ".!?:;,"
_HYPHENS: Final = "\x02\ufffe"  # pdfium's at a line's end
_HYPHEN: Final = "\u2010"  # as cleaning knows it where a line of a cell ends in a divided word
_LINE_END: Final = re.compile(rf"[\r\n{_HYPHENS}]")
_WORD: Final = re.compile(rf"[^\s{_HYPHENS}]+[{_HYPHENS}]?|[{_HYPHENS}]")


Line: TypeAlias = tuple[float, float, float]
"""Height, left and right of a level line; place, foot and top of an upright one."""


class _Grid(NamedTuple):
    """Where the lines of a grid stand, from the left and from the top, and these."""

    columns: Sequence[float]
    rows: Sequence[float]
    across: Sequence[Line]
    up: Sequence[Line]


@dataclass(frozen=True, slots=True)
class _Table:
    """Rows of cells, and the indexes of all their characters."""

    rows: list[list[list[Word]]]

    @property
    def indexes(self) -> frozenset[int]:
        return frozenset(
            index for row in self.rows for cell in row for word in cell for index in word.indexes
        )


@dataclass(slots=True)
class Lines:
    """Level and upright lines."""

    across: list[Line] = field(default_factory=list[Line])
    up: list[Line] = field(default_factory=list[Line])

    def add(self, box: Box) -> None:
        width, height = box.right - box.left, box.top - box.bottom
        if height < _THIN and width >= _SHORT:
            self.across.append(((box.top + box.bottom) / 2, box.left, box.right))
        elif width < _THIN and height >= _SHORT:
            self.up.append(((box.left + box.right) / 2, box.bottom, box.top))

    def turned(self) -> "Lines":
        """Return them turned clockwise by a quarter."""
        across = [(-place, foot, top) for place, foot, top in self.up]
        return Lines(across, [(height, -right, -left) for height, left, right in self.across])


def lines_of_tables(paths: Sequence[PlacedPath], text: str) -> Lines | None:
    """Return the lines that are drawn on a page; None where it holds no table.

    Measuring the words of a page takes as long as reading it, so it has to look like one.
    """
    if not text.strip():
        return None
    lines = _lines_of(paths)
    is_ruled = len(lines.up) >= len("|||") and len(lines.across) >= len("---")
    return lines if is_ruled or _may_have_rows(text) else None


def _may_have_rows(text: str) -> bool:
    """Say whether lines end in figures, or some near each other begin and end as cells do."""
    lines = [line.strip() for line in text.split("\n")]
    lines = [line for line in lines if line]
    if sum(map(_ends_in_figure, lines)) >= _FEWEST_ROWS:
        return True
    starts = [
        at
        for at, (before, line) in enumerate(zip(["", *lines], lines, strict=False))
        if " " in line
        and (line[0].isdigit() or line[0].isupper())
        and (not before or before[-1] not in _STOPS)
    ]
    return any(
        last - first < _FEWEST_ROWS * _MOST_LINES_OF_ROW
        for first, last in zip(starts, starts[_FEWEST_ROWS:], strict=False)
    )


def _ends_in_figure(line: str) -> bool:
    last = line.rsplit(maxsplit=1)[-1:]
    return any(map(str.isdigit, (last[0][:2] + last[0][-2:]) if last else ""))


def with_tables(
    lines: Lines, text_page: Handle, shown: Sequence[int], characters: str
) -> list[Piece] | None:
    """Return the characters of a page with its tables row by row; None where it has none."""
    is_all = len(shown) == len(characters)
    codes = characters if is_all else "".join([characters[index] for index in shown])
    words = _measured(text_page, shown, codes)
    for _ in range(_quarter_turns(text_page, [shown[start] for start, _ in words.places])):
        lines, words = lines.turned(), words.turned()
    grids = list(_grids(lines))
    if not grids and not may_stand_beside(words.boxes, words.ends):
        return None
    rows = words.rows(shown, codes)
    tables: list[_Table] = list(_ruled(grids, [word for row in rows for word in row]))
    taken = frozenset[int]().union(*(table.indexes for table in tables))
    left = [[word for word in row if word.indexes[0] not in taken] for row in rows]
    tables += map(_Table, unruled([row for row in left if row]))
    return list(_placed(shown, codes, tables)) if tables else None


@dataclass(frozen=True, slots=True)
class _Measured:
    """The words of a page as numbers: an object for each takes longer than measuring it."""

    places: Sequence[tuple[int, int]]
    """Where in the text each word begins and ends."""
    boxes: Sequence[Sides]
    ends: Sequence[int]
    """How many words there are up to the end of each line."""

    def rows(self, shown: Sequence[int], codes: str) -> list[list[Word]]:
        words = [
            Word(Box(*box), shown[start:end], codes[start:end])
            for (start, end), box in zip(self.places, self.boxes, strict=True)
        ]
        return [words[start:end] for start, end in pairwise([0, *self.ends])]

    def turned(self) -> "_Measured":
        """Return them turned clockwise by a quarter."""
        boxes = [(bottom, -right, top, -left) for left, bottom, right, top in self.boxes]
        return replace(self, boxes=boxes)


def _quarter_turns(text_page: Handle, characters: Sequence[int]) -> int:
    """Return by how many quarters, clockwise, most words have to be turned to be level."""
    matrix = pdfium.Matrix()
    turns: Counter[int] = Counter()
    for character in characters[:: len(characters) // _WORDS_SEEN + 1]:
        pdfium.matrix_of_character(text_page, character, byref(matrix))
        a, b = matrix.a, matrix.b
        turns[(0 if a > 0 else 2) if abs(a) >= abs(b) else (1 if b > 0 else 3)] += 1
    return max(turns, key=lambda turn: turns[turn], default=0)


def _measured(text_page: Handle, shown: Sequence[int], codes: str) -> _Measured:
    """Measure the words of each line, as the text has them, by their first and last letters."""
    places = [found.span() for found in _WORD.finditer(codes)]
    starts = [start for start, _ in places]
    ends = [bisect_right(starts, found.start()) for found in _LINE_END.finditer(codes)]
    firsts = pdfium.boxes_of_characters(text_page, [shown[start] for start in starts])
    lasts = pdfium.boxes_of_characters(text_page, [shown[end - 1] for _, end in places])
    boxes = [
        (
            left if left < x0 else x0,  # noqa: FURB136 -- a third of what `min` takes
            bottom if bottom < y0 else y0,  # noqa: FURB136 -- as above
            right if right > x1 else x1,  # noqa: FURB136 -- as above
            top if top > y1 else y1,  # noqa: FURB136 -- as above
        )
        for (left, right, bottom, top), (x0, x1, y0, y1) in zip(firsts, lasts, strict=True)
    ]
    ends.append(len(places))
    return _Measured(places, boxes, [end for end in dict.fromkeys(ends) if end])


def _lines_of(paths: Sequence[PlacedPath]) -> Lines:
    """Return the level and the upright lines that are drawn, the edges of boxes among them."""
    lines = Lines()
    x, y = c_float(), c_float()
    for path, around in paths:
        if len(lines.across) + len(lines.up) > _MOST_LINES:
            break
        a, b, c, d, e, f = times(matrix_of(path), around)
        if min(abs(a) + abs(d), abs(b) + abs(c)) > _SKEW * (abs(a) + abs(b)):
            continue  # neither level nor turned by quarters
        points: list[tuple[float, float]] = []
        for index in range(min(pdfium.count_path_segments(path), _MOST_LINES)):
            segment = pdfium.path_segment(path, index)
            pdfium.segment_point(segment, byref(x), byref(y))
            point = a * x.value + c * y.value + e, b * x.value + d * y.value + f
            if pdfium.segment_kind(segment) == pdfium.SEGMENT_MOVE:
                _add_lines(points, lines)
                points = []
            points.append(point)
        _add_lines(points, lines)
    return lines


def _add_lines(points: list[tuple[float, float]], lines: Lines) -> None:
    if len(points) < len("ab"):
        return
    across, up = [x for x, _ in points], [y for _, y in points]
    box = Box(min(across), min(up), max(across), max(up))
    if min(box.right - box.left, box.top - box.bottom) < _THIN:
        lines.add(box)
        return
    closed = [*points, points[0]] if len(points) > len("abc") else points
    for (x0, y0), (x1, y1) in pairwise(closed):
        lines.add(Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))


def _places(values: Sequence[float]) -> list[float]:
    """Return the places at which lines stand, those that are one for the eye as one."""
    found: list[list[float]] = []
    for value in sorted(values):
        if found and value - found[-1][-1] <= _NEAR:
            found[-1].append(value)
        else:
            found.append([value])
    return [median(each) for each in found]


def _ruled(grids: Sequence[_Grid], words: Sequence[Word]) -> Iterator[_Table]:
    for columns, rows, across, up in grids:
        cells: dict[tuple[int, int], list[Word]] = {}
        for word in words:
            x, y = (word.box.left + word.box.right) / 2, (word.box.bottom + word.box.top) / 2
            column = bisect_left(columns, x) - 1
            row = bisect_left(rows, -y, key=neg) - 1
            if 0 <= column < len(columns) - 1 and 0 <= row < len(rows) - 1:
                cells.setdefault((row, column), []).append(word)
        owner = _owners(columns, rows, across, up)
        if not _are_blocks(owner, cells):
            table = _Table(_dense(list(_joined(cells, owner, len(columns) - 1, len(rows) - 1))))
            if _is_table(table):
                yield table


def _grids(lines: Lines) -> Iterator[_Grid]:
    """Yield the lines that cross each other, where they part the page in rows and columns."""
    for across, up in _crossing(lines):
        columns, rows = _places([x for x, _, _ in up]), _places([y for y, _, _ in across])[::-1]
        is_frame = len(columns) <= 2 or len(rows) <= 2  # noqa: PLR2004 -- lines at its edges only
        if not is_frame and len(columns) * len(rows) <= _MOST_CELLS:
            yield _Grid(columns, rows, across, up)


def _crossing(lines: Lines) -> Iterator[tuple[list[Line], list[Line]]]:
    """Yield the level and the upright lines that cross each other."""
    across = list(dict.fromkeys(map(_rounded, lines.across)))
    up = list(dict.fromkeys(map(_rounded, lines.up)))
    across, up = _whole(across, up), _whole(up, across)
    left = {True: up, False: across}
    while up or across:
        grid = [(bool(up), (up or across).pop(0))]
        for is_up, (at, start, end) in grid:  # which grows: each line is held against those left
            crossing = left[not is_up]
            met = [
                line
                for line in crossing
                if start - _NEAR <= line[0] <= end + _NEAR
                and line[1] - _NEAR <= at <= line[2] + _NEAR
            ]
            grid += [(not is_up, line) for line in met]
            gone = set(met)
            crossing[:] = [line for line in crossing if line not in gone]
        yield [line for is_up, line in grid if not is_up], [line for is_up, line in grid if is_up]


def _whole(pieces: Sequence[Line], others: Sequence[Line]) -> list[Line]:
    """Return lines whose pieces meet where lines of the other kind stand, if far from these.

    A wall between joined cells is drawn row by row, and the middle one of three pieces crosses
    nothing. What meets where no row ends is a rule between the columns of an unruled table.
    """
    places = {line[0] for line in others}
    whole: list[Line] = []
    for at, start, end in sorted(pieces):
        is_next = bool(whole) and whole[-1][0] == at and start - whole[-1][2] <= _NEAR
        if is_next and any(abs(start - place) <= _NEAR for place in places):
            whole[-1] = at, whole[-1][1], max(whole[-1][2], end)
        else:
            whole.append((at, start, end))
    return whole


def _rounded(line: Line) -> Line:
    return round(line[0]), round(line[1]), round(line[2])


def _owners(
    columns: Sequence[float],
    rows: Sequence[float],
    across: Sequence[Line],
    up: Sequence[Line],
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the first place of the cell that each place of the grid, row and column, is in.

    Where no line parts two places, they are one cell.
    """
    owner: dict[tuple[int, int], tuple[int, int]] = {}
    walls = [[line for line in up if abs(line[0] - place) <= _NEAR] for place in columns]
    for row, (top, foot) in enumerate(pairwise(rows)):
        middle = (top + foot) / 2
        ceiling = [line for line in across if abs(line[0] - top) <= _NEAR]
        for column, (left, right) in enumerate(pairwise(columns)):
            centre = (left + right) / 2
            is_open_left = column and not any(
                low <= middle <= high for _, low, high in walls[column]
            )
            is_open_above = row and not any(start <= centre <= end for _, start, end in ceiling)
            if is_open_left:
                owner[row, column] = owner[row, column - 1]
            elif is_open_above:
                owner[row, column] = owner[row - 1, column]
            else:
                owner[row, column] = row, column
    return owner


def _are_blocks(
    owner: dict[tuple[int, int], tuple[int, int]], cells: dict[tuple[int, int], list[Word]]
) -> bool:
    """Say whether words stand in a cell of several rows and columns: the ground of a chart."""
    reach: dict[tuple[int, int], tuple[set[int], set[int]]] = {}
    for (row, column), first in owner.items():
        rows, columns = reach.setdefault(first, (set(), set()))
        rows.add(row)
        columns.add(column)
    written = {owner[place] for place in cells}
    return any(len(reach[place][0]) > 1 and len(reach[place][1]) > 1 for place in written)


def _joined(
    cells: dict[tuple[int, int], list[Word]],
    owner: dict[tuple[int, int], tuple[int, int]],
    columns: int,
    rows: int,
) -> Iterator[list[list[Word]]]:
    """Yield rows of cells; one that reaches over several is said of each, if it is short."""
    joined: dict[tuple[int, int], list[Word]] = {}
    for place, words in sorted(cells.items()):
        joined.setdefault(owner[place], []).extend(words)
    for words in joined.values():  # a rule that ends beside a cell may run through a line of it
        words.sort(key=lambda word: word.indexes[0])
    for row in range(rows):
        places = [owner[row, column] for column in range(columns)]
        said = list(dict.fromkeys(place for place in places if place in joined))
        if said and (len(said) > 1 or said[0][0] == row):
            is_row = (
                len(said) > 1 or said[0] != places[0]
            )  # beside an empty corner it names columns
            line = [
                joined.get(place, [])
                if place not in places[:column] or (is_row and _may_repeat(joined.get(place, ())))
                else []
                for column, place in enumerate(places)
            ]
            yield from _by_line(line) if row or rows == 1 else (line,)


def _by_line(row: list[list[Word]]) -> Iterator[list[list[Word]]]:
    """Yield a row, or its lines where no rule parts them and every cell has as many."""
    lines = [_lines_in(cell) for cell in row]
    counts = {len(each) for each in lines if each}
    if len(counts) == 1 and min(counts) >= _FEWEST_ROWS and sum(map(bool, lines)) > 1:
        for at in range(min(counts)):
            yield [each[at] if each else [] for each in lines]
    else:
        yield row


def _lines_in(cell: Sequence[Word]) -> list[list[Word]]:
    found: list[list[Word]] = []
    for word in cell:
        middle = (word.box.bottom + word.box.top) / 2
        if found and found[-1][-1].box.bottom <= middle <= found[-1][-1].box.top:
            found[-1].append(word)
        else:
            found.append([word])
    return found


def _dense(rows: list[list[list[Word]]]) -> list[list[list[Word]]]:
    """Leave out columns that are empty, or that all cells share with the column before."""
    if not rows:
        return rows
    kept = [
        column
        for column in range(len(rows[0]))
        if any(row[column] and (not column or row[column] != row[column - 1]) for row in rows)
    ]
    return [[row[column] for column in kept] for row in rows]


def _may_repeat(words: Sequence[Word]) -> bool:
    return sum(len(word.text) + 1 for word in words) <= LONGEST_REPEATED


def _is_table(table: _Table) -> bool:
    """Say whether most rows have cells beside each other, and none holds a part of the page."""
    full = sum(sum(map(bool, row)) > 1 for row in table.rows)
    cells = [cell for row in table.rows for cell in row]
    lengths = (sum(len(word.text) for word in cell) for cell in cells)
    is_full = full > 1 and 2 * full >= len(table.rows) and 2 * sum(map(bool, cells)) >= len(cells)
    return is_full and max(lengths) <= _LONGEST_CELL


def _placed(
    shown: Sequence[int], codes: Sequence[str], tables: Sequence[_Table]
) -> Iterator[Piece]:
    """Yield the characters, those of a table row by row where its first one stood."""
    table_of = {index: table for table in tables for index in table.indexes}
    done: set[int] = set()
    inside: _Table | None = None
    last = "\n"
    for index, code in zip(shown, codes, strict=True):
        table = table_of.get(index)
        if table is None:
            if inside is not None and code.isspace():
                continue
            inside = None
            last = code
            yield index, None
        elif id(table) not in done:
            done.add(id(table))
            if last not in "\r\n" or inside is not None:  # right below another table
                yield index, "\n"
            yield from _pieces(table)
            inside, last = table, "\n"
        else:
            inside = table


def _pieces(table: _Table) -> Iterator[Piece]:
    at = -1
    for row in table.rows:
        for column, cell in enumerate(row):
            for mark in BAR if column else "":
                yield at, mark
            for place, word in enumerate(cell):
                if place and word.text[0] != ")":  # which is set apart, below those of no figure
                    yield at, " "
                hyphen = _HYPHEN if _begins_with_letter(cell[place + 1 :]) else "-"
                for index, letter in zip(word.indexes, word.text, strict=True):
                    mark = BROKEN_BAR if word.text == "|" else None
                    yield index, hyphen if letter in _HYPHENS else mark
                    at = index
        yield at, "\n"


def _begins_with_letter(words: Sequence[Word]) -> bool:
    return any(word.text[0].isalpha() for word in words[:1])
