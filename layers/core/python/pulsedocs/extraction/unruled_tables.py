"""Tables without rules: words and figures that stand below each other in columns.

The order in which a file draws its words tells the rows: a cell is drawn to its end, then the one
beside it. Columns of prose are drawn one after the other, and make no rows. Of what stands in
rows, only that is a table which stands in columns too.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise, zip_longest
from typing import Final, NamedTuple, TypeAlias

from pulsedocs.model.currencies import CURRENCY_SIGNS
from pulsedocs.model.tables import CAPTION, is_figure, is_period

_GAP: Final = 1.3  # of the height of letters: about a quadrat, four times the space of a word
_GREAT: Final = 1.5  # of the usual height of letters: a title, whose spaces are wider, too
_LEAST_STEP: Final = -1.0  # points from a cell to the one beside it, which may touch it
_FEWEST_ROWS: Final = 3
_SEEN: Final = 20  # rows above one that tell where columns begin
_MOST_HEADS: Final = 3
_MOST_LINES: Final = 6  # of a cell in the first column
_LONGEST_LABEL: Final = 120
_LONGEST_CELL: Final = 600  # characters; what is longer is a part of the page
_LONGEST_VALUE: Final = 60  # characters; a note begins with its number, too
_EDGE: Final = 2.5  # points between edges that are one for the eye
_ALIGNED: Final = 0.75  # of a column's cells
_FILLED: Final = 0.3  # of a column's places
_PROSE: Final = 0.3  # of the cells that begin as the middle of a sentence does
_SHORT: Final = 15  # characters, of words that may begin anyhow
_MOST_APART: Final = 3  # heights of letters from a line of heads to the next
_MOST_EMPTY: Final = 4  # heights of letters between rows; between a table and a foot there are more
_MOST_BELOW: Final = 1.6  # heights of letters from a line of a cell to its next
_NEAR: Final = 20.0  # points from columns to their common name
_MARK: Final = re.compile(
    r"\W|o|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]"
    r"|\d+(?:\.\d+)+\.?|\[\d+\]"
)
_LEADER: Final = re.compile(r"[.\u00b7\u2026]+")
_LED: Final = re.compile(r"(.*?[^.\u00b7\u2026])([.\u00b7\u2026]{4,})")
_FEWEST_DOTS: Final = 4  # that lead from a label to its figures; three leave out words
_CURRENCIES: Final = frozenset(CURRENCY_SIGNS)
_DASHES: Final = frozenset("-\u2013\u2014")
_GOES_ON: Final = re.compile(r".*(?:,|\b(?:of|and|for|the|in|to|by|or|der|die|das|und|von|zu))")


Sides: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right and top of a word."""


class Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float


class Word(NamedTuple):
    box: Box
    indexes: Sequence[int]
    text: str


@dataclass(slots=True)
class Cell:
    """Words of one cell, in their order, on one line or more."""

    words: list[Word]
    lines: int = 1
    left: float = field(init=False)
    right: float = field(init=False)
    bottom: float = field(init=False)
    top: float = field(init=False)
    foot: Box = field(init=False)
    """The last word: what goes on below it belongs to the cell."""

    def __post_init__(self) -> None:
        self._measure()

    def _measure(self) -> None:
        self.foot = self.words[-1].box
        lefts, bottoms, rights, tops = zip(*[word.box for word in self.words], strict=True)
        self.left, self.bottom = min(lefts), min(bottoms)
        self.right, self.top = max(rights), max(tops)

    def add(self, other: "Cell") -> None:
        self.words = [*self.words, *other.words]
        self.lines += other.lines
        self._measure()

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def is_value(self) -> bool:
        text = self.text
        is_short = len(text) <= _LONGEST_VALUE
        return (is_short and is_figure(text)) or text in _DASHES or text in {"n/a", "N/A"}


@dataclass(frozen=True, slots=True)
class _Edges:
    """Where the cells of a column begin and end, in order."""

    lefts: Sequence[float]
    rights: Sequence[float]
    has_values: bool

    def is_begun_by(self, word: Word) -> bool:
        is_at_right = (
            self.has_values and is_figure(word.text) and _is_near(word.box.right, self.rights)
        )
        return is_at_right or _is_near(word.box.left, self.lefts)


Row = list[Cell]
Reach = tuple[float, float]
"""The left and the right of a column."""
Rows = list[list[list[Word]]]


def may_stand_beside(words: Sequence[Sides], ends: Sequence[int]) -> bool:
    """Say whether enough words stand right of the one before, and apart, for `unruled`.

    Each row of cells has a place where one does. Most pages have none, and are spared what follows.
    `ends` says how many words there are up to the end of each line.
    """
    heights = [top - bottom for _, bottom, _, top in words]
    usual = median(heights) if heights else 0.0
    steps = [after[0] - before[2] for before, after in pairwise(words)]
    beside = sum(steps[start - 1] >= _LEAST_STEP for start in ends[:-1])
    for start, end in pairwise([0, *ends]):
        spaces, own = steps[start : end - 1], heights[start:end]
        if spaces and not (min(spaces) >= 0 and max(spaces) < _GAP * min(usual, *own)):
            gap = _gap(median(own), usual)
            beside += sum(space >= gap or _LEAST_STEP <= space < 0 for space in spaces)
    return beside >= _FEWEST_ROWS


def unruled(lines: Sequence[list[Word]]) -> Iterator[Rows]:
    """Yield the tables that lines of words hold: rows of cells of words."""
    rows = _rows([list(_with_leaders_joined(line)) for line in lines])
    if sum(len(row) > 1 for row in rows) < _FEWEST_ROWS:  # most pages: no table has fewer
        return
    rows = list(_with_whole_labels(rows))
    start = 0
    while start < len(rows):
        end = start
        while (
            end < len(rows)
            and (end == start or _is_below(rows[end], rows[end - 1]))
            and (
                len(rows[end]) > 1
                or (end > start and _is_label_above(rows, end))
                or _holds_values(_parted(rows[end], _edges(rows[max(start, end - _SEEN) : end])))
            )
        ):
            end += 1
        if end > start:
            yield from _tables(
                _all_parted(rows[start:end]), rows[max(0, start - _MOST_HEADS) : start]
            )
        start = max(end, start + 1)


def _with_leaders_joined(line: Sequence[Word]) -> Iterator[Word]:
    """Yield words; dots that lead from a label to its figures are of its last word, without width.

    As words of their own they would be cells, and their height that of most words of the page.
    """
    before: Word | None = None
    for is_leader, group in groupby(line, lambda word: _LEADER.fullmatch(word.text) is not None):
        words = list(group)
        if before and is_leader and sum(len(word.text) for word in words) >= _FEWEST_DOTS:
            indexes = [index for word in (before, *words) for index in word.indexes]
            text = "".join(word.text for word in (before, *words))
            before = Word(before.box, indexes, text)
            continue
        for word in words:
            if before:
                yield before
            before = _led(word)
    if before:
        yield before


def _led(word: Word) -> Word:
    """Return a word that dots are set to without a space, as wide as without them."""
    found = _LED.fullmatch(word.text)
    if found is None:
        return word
    letters, dots = map(len, found.groups())
    box = word.box
    width = (box.right - box.left) * 2 * letters / (2 * letters + dots)  # a dot is half a letter
    return word._replace(box=box._replace(right=box.left + width))


def _rows(lines: Sequence[list[Word]]) -> list[Row]:
    """Return rows in the order in which a file draws them: cell by cell, or line by line."""
    rows: list[Row] = []
    usual = _height([word for line in lines for word in line])
    great = _GREAT * _height([word for line in lines for word in line if _has_letters(word)])
    for line in lines:
        for piece in _pieces(line, usual, great):
            row = rows[-1] if rows else []
            if not row:
                rows.append([piece])
            elif piece.left - row[-1].right >= _LEAST_STEP:
                _put_beside(piece, rows)
            elif _goes_on_below(piece, row):
                row[-1].add(piece)
            else:
                rows.append([piece])
    return rows


def _height(words: Sequence[Word]) -> float:
    return median(word.box.top - word.box.bottom for word in words) if words else 0.0


def _has_letters(word: Word) -> bool:
    return any(map(str.isalnum, word.text))


def _pieces(line: Sequence[Word], usual: float, great: float) -> Iterator[Cell]:
    """Yield the words of a line that no wide gap parts; a currency stands with its figure."""
    # A dash or a dot is lower than letters: in a row of dashes, each space would be a gap.
    own = _height([word for word in line if _has_letters(word)] or line)
    gap = _GAP * own if own > great else _gap(own, usual)
    words: list[Word] = []
    for word in line:
        apart = word.box.left - words[-1].box.right if words else 0.0
        if words and not (
            0 <= apart < (gap / 2 if _begins_figure(word, words[-1]) else gap)
            or (words[-1].text in _CURRENCIES and word.text.lstrip("(")[:1].isdigit())
            or (words[-1].text == "(" and word.text[:1].isdigit())
            or word.text in {"%", ")", ")%"}
        ):
            yield Cell(words)
            words = []
        words.append(word)
    if words:
        yield Cell(words)


def _begins_figure(word: Word, before: Word) -> bool:
    """Say whether a currency begins another figure, or one stands behind a dash for none.

    Currencies have columns of their own, which leave less space to the figure before.
    """
    if word.text in _CURRENCIES:
        return before.text in _DASHES or before.text[-1:].isdigit() or before.text[-1:] in ")%"
    return before.text in _DASHES and is_figure(word.text)


def _gap(own: float, usual: float) -> float:
    """Return how wide a space parts cells on a line: brackets and capitals are higher."""
    return _GAP * min(own, usual)


def _put_beside(piece: Cell, rows: list[Row]) -> None:
    """Put what stands right of the last cell into its row, if it stands beside it."""
    row = rows[-1]
    if _is_level(piece, row):
        row.append(piece)
        return
    height, middle = piece.top - piece.bottom, (piece.top + piece.bottom) / 2
    if middle < min(cell.bottom for cell in row):  # a row below, whose first cell is empty
        rows.append([piece])
        return
    lines = 0
    for at in range(len(rows) - 1, -1, -1):
        lines += rows[at][0].lines
        if len(rows[at]) > 1 or lines > _MOST_LINES:
            break
        if at < len(rows) - 1 and rows[at][0].bottom - rows[at + 1][0].top > _GAP * height:
            break
        if middle <= rows[at][0].top:  # the lines down to here were those of one cell
            first = _first_line(rows, at)
            for other in rows[first + 1 :]:
                rows[first][0].add(other[0])
            del rows[first + 1 :]
            rows[first].append(piece)
            return
    is_over = 0 < middle - max(cell.top for cell in row) < _MOST_LINES * height
    is_free = len(rows) == 1 or piece.top <= min(cell.bottom for cell in rows[-2])
    if is_over and is_free and row[0].lines == 1:  # its row is higher than its first cell
        row.append(piece)
    else:
        rows.append([piece])


def _first_line(rows: Sequence[Row], at: int) -> int:
    """Return where the cell begins whose other lines go on from `at`: as close to each other."""
    if at == len(rows) - 1:
        return at
    most = 1.2 * (rows[at][0].bottom - rows[at + 1][0].top) + 1
    while at and len(rows[at - 1]) == 1 and 0 < rows[at - 1][0].bottom - rows[at][0].top < most:
        at -= 1
    return at


def _is_level(piece: Cell, row: Row) -> bool:
    middle = (piece.bottom + piece.top) / 2
    return min(cell.bottom for cell in row) <= middle <= max(cell.top for cell in row)


def _goes_on_below(piece: Cell, row: Row) -> bool:
    """Say whether a piece is the next line of a row's last cell, which is not its first."""
    if len(row) == 1 or piece.left < row[-2].right or (piece.is_value and row[-1].is_value):
        return False
    height = max(piece.top - piece.bottom, row[-1].foot.top - row[-1].foot.bottom)
    return (
        piece.left < row[-1].right
        and piece.right > row[-1].left
        and (-height / 2 < row[-1].foot.bottom - piece.top < _MOST_BELOW * height)
    )


def _with_whole_labels(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield rows; a label of two lines, whose figures stand beside one of them, is one."""
    before: Row | None = None
    for row in rows:
        if before is not None:
            height = row[0].top - row[0].bottom
            is_next = abs(row[0].left - before[0].left) < 2 * height and (
                -height / 2 < before[0].foot.bottom - row[0].top < height
            )
            is_lower = row[0].text[:1].islower()
            if is_next and len(before) > 1 and len(row) == 1 and is_lower and _holds_values(before):
                before[0].add(row[0])
                continue
            # "Year ended 30 June," over the years names them, and goes on in none.
            is_open = is_lower or (
                _GOES_ON.fullmatch(before[0].text) and not is_period(row[0].text)
            )
            goes_on = _holds_values(row) or (len(row) == 1 and before[0].lines < _MOST_LINES)
            if is_next and len(before) == 1 and is_open and goes_on:
                label = Cell(before[0].words, before[0].lines)
                label.add(row[0])
                before = [label, *row[1:]]
                continue
            yield before
        before = row
    if before is not None:
        yield before


def _edges(rows: Sequence[Row]) -> list[_Edges]:
    """Return where cells of each column but the first begin and end, in rows that have them all."""
    widest = max(map(len, rows), default=0)
    full = [row for row in rows if len(row) == widest]
    edges = [
        _Edges(
            sorted(cell.left for cell in column),
            sorted(cell.right for cell in column),
            any(cell.is_value for cell in column),
        )
        for column in [*zip(*full, strict=True)][1:]
    ]
    are_apart = all(one.rights[-1] <= other.lefts[0] for one, other in pairwise(edges))
    return edges if len(full) > 1 and are_apart else []


def _all_parted(rows: Sequence[Row]) -> list[Row]:
    """Return rows with the cells parted that touch the next column; heads may reach over some."""
    edges = _edges(rows)
    first = next((at for at, row in enumerate(rows) if _is_of_body(row, edges)), len(rows))
    return [*rows[:first], *(_parted(row, edges) for row in rows[first:])]


def _is_of_body(row: Row, edges: Sequence[_Edges]) -> bool:
    names = _are_names(row) or _names_periods(row)
    return len(row) > len(edges) or (_holds_values(row) and not names)


def _parted(row: Row, edges: Sequence[_Edges]) -> Row:
    """Return a row with a cell in each column, if two of them touch in it; else as it is.

    A column that is as wide as its widest cell leaves this one no gap. Words alone may be a label
    that reaches over the columns. No gap tells a figure from the prose that it stands in; a comma
    behind it does, and the length of what would be its label.
    """
    if len(row) > len(edges):
        return row
    parted = [piece for cell in row for piece in _pieces_in(cell, edges)]
    if len(parted) != len(edges) + 1:
        return row
    is_prose = parted[-1].text.endswith(",") or len(parted[0].text) > _LONGEST_LABEL
    return parted if len(row) > 1 or (_holds_values(parted) and not is_prose) else row


def _pieces_in(cell: Cell, edges: Sequence[_Edges]) -> list[Cell]:
    """Return the words of a cell by the columns in which they begin, or end as figures do."""
    further = [column for column in edges if column.lefts[-1] > cell.left + _EDGE]
    by_column: dict[int, list[Word]] = {}
    at, right = 0, cell.left
    for word in cell.words:
        is_next_line = word.box.left < right + _LEAST_STEP
        begun = (n for n, column in enumerate(further, 1) if column.is_begun_by(word))
        at = next(begun, 0 if is_next_line else at)
        by_column.setdefault(at, []).append(word)
        right = word.box.right
    return [Cell(words) for _, words in sorted(by_column.items())]


def _is_near(place: float, edges: Sequence[float]) -> bool:
    at = bisect_left(edges, place - _EDGE)
    return at < len(edges) and edges[at] <= place + _EDGE


def _holds_values(row: Row) -> bool:
    return any(cell.is_value for cell in row[1:])


def _is_below(row: Row, before: Row) -> bool:
    """Say whether a row stands near below the one before; a running head may be drawn last."""
    height = max(cell.top - cell.bottom for cell in row)
    bottom = min(cell.bottom for cell in before)
    return (
        row[0].bottom <= max(cell.top for cell in before)
        and bottom - max(cell.top for cell in row) <= _MOST_EMPTY * height
    )


def _is_label_above(rows: Sequence[Row], at: int) -> bool:
    """Say whether a row of one cell names a group of those below, which a table's caption does not.

    What stands over a caption, such as a running head, is no part of its table.
    """
    text = rows[at][0].text
    is_short = len(text) <= _LONGEST_LABEL
    is_open = text[-1] != "." or _LED.fullmatch(text) is not None
    return (
        is_short
        and is_open
        and not CAPTION.match(text)
        and at + 1 < len(rows)
        and len(rows[at + 1]) > 1
    )


def _tables(rows: Sequence[Row], above: Sequence[Row]) -> Iterator[Rows]:
    """Yield the tables of rows that follow each other."""
    first = next((at for at, row in enumerate(rows) if _holds_values(row)), len(rows))
    is_of_figures = first <= _MOST_HEADS and all(
        _holds_values(row) or len(row) == 1 for row in rows[first:]
    )
    widest = max(map(len, rows))
    if first < len(rows):
        is_of_figures = is_of_figures and all(len(row) < widest for row in rows[1:first])
    if not is_of_figures and (tables := _all_of_words(rows, above)):
        yield from tables
        return
    run: list[int] = []
    for at in range(len(rows) + 1):
        row = rows[at] if at < len(rows) else []
        is_next = bool(row) and _begins_another(rows[run[0] : at] if run else [], rows[at:])
        if (_holds_values(row) or (run and len(row) == 1)) and not is_next:
            run.append(at)
            continue
        while run and len(rows[run[-1]]) == 1:  # it names what stands below, if anything
            run.pop()
        if sum(_holds_values(rows[each]) for each in run) >= _FEWEST_ROWS:
            while run[:-1] and _are_names(rows[run[0]]):
                run.pop(0)
            # A label right below the heads names the first group of rows.
            begin = run[0] - (run[0] > 0 and _is_group(rows[run[0] - 1], rows[run[0]]))
            heads = [*above, *rows[:begin]][-_MOST_HEADS:]
            for table in _whole_or_parted(rows[begin : run[-1] + 1], heads):
                if not _are_contents(table):
                    yield table
        run = [at] if is_next else []


def _whole_or_parted(rows: Sequence[Row], above: Sequence[Row]) -> Iterator[Rows]:
    """Yield rows as a table; where they stand in no columns together, those that have own periods.

    A page of statements has one close below the other, each in columns of its own.
    """
    if (table := _in_columns(rows, above)) is not None:
        yield table
        return
    first = next(at for at, row in enumerate(rows) if len(row) > 1)  # a label may stand above it
    begins = [at for at, row in enumerate(rows) if at > first and _names_periods(row)]
    for start, end in pairwise([0, *begins, len(rows)] if begins else ()):
        part = list(rows[start:end])
        while len(part[-1]) == 1:  # the title of the next
            part.pop()
        if sum(_holds_values(row) for row in part) >= _FEWEST_ROWS:
            table = _in_columns(part, above if not start else ())
            if table is not None:
                yield table


def _names_periods(row: Row) -> bool:
    """Say whether the values of a row are two periods or more, which name columns."""
    values = [cell.text for cell in row if cell.is_value]
    return len(values) > 1 and all(map(is_period, values))


def _begins_another(above: Sequence[Row], below: Sequence[Row]) -> bool:
    """Say whether rows begin with the years of another table, over which its title stands.

    The same years go on in one table where a part of it would have too few rows to be one.
    """
    if len(above) <= 1 or len(above[-1]) > 1 or not _are_names(below[0]):
        return False
    names, others = ([cell.text for cell in part[0]] for part in (above, below))
    rows = min(sum(len(row) > 1 for row in part[1:]) for part in (above, below))
    return names != others or rows >= _FEWEST_ROWS


def _are_names(row: Row) -> bool:
    """Say whether a row names columns: its figures are years, from the first on."""
    return is_period(row[0].text) and not any(
        cell.is_value and not is_period(cell.text) for cell in row
    )


def _is_group(row: Row, below: Row) -> bool:
    return len(row) == 1 and row[0].left <= below[0].left + _EDGE


def _all_of_words(rows: Sequence[Row], above: Sequence[Row]) -> list[Rows]:
    """Return rows as one table of words, or as several with headings between; none if they are not.

    A label within one table names a group of its rows, which stand in the columns of the others and
    have no heads of their own.
    """
    whole = _of_words(rows, above)
    by_label = groupby(rows, key=lambda row: len(row) == 1)
    parts = [list(part) for is_label, part in by_label if not is_label]
    tables = [table for part in parts if (table := _of_words(part, ())) is not None]
    if len(tables) == len(parts) > 1 and (
        whole is None
        or max(len(table[0]) for table in tables) < len(whole[0])
        or any(map(_begins_with_heads, parts[1:]))
    ):
        return tables
    return [] if whole is None else [whole]


def _begins_with_heads(rows: Sequence[Row]) -> bool:
    return not _holds_values(rows[0]) and all(map(_holds_values, rows[1:]))


def _of_words(rows: Sequence[Row], above: Sequence[Row]) -> Rows | None:
    """Return rows as a table of words, below lines of heads that reach over its columns."""
    for heads in range(_MOST_HEADS + 1):
        body = rows[heads:]
        if sum(len(row) > 1 for row in body) < _FEWEST_ROWS:
            return None
        is_parted = len(body[0]) < len(body[1]) and not _holds_values(body[1])
        is_second_line = len(body[2]) == len(body[1]) and not _holds_values(body[2])
        figures = body[2 + is_second_line :]  # "Fourth" may stand over "Quarter"
        if is_parted and figures and _holds_values(figures[0]):
            continue
        table = _in_columns(body, [*above, *rows[:heads]][-_MOST_HEADS:], are_words=True)
        if table is not None:
            return None if _are_contents(table) else table
    return None


def _in_columns(
    lines: Sequence[Row], above: Sequence[Row], *, are_words: bool = False
) -> Rows | None:
    """Return lines as a table if their cells stand in columns, with the names above these."""
    spans = _spans(lines)
    labels = max((line[0].right for line in lines if line[0].right <= spans[0][0]), default=0.0)
    cells = [_by_column(line, spans, labels) for line in lines]
    if not all(cells):
        return None
    columns, spans = _below_names(list(zip(*cells, strict=True)), spans)
    cells = list(zip(*columns, strict=True))
    are_columns = _are_columns(columns) if are_words else _are_columns_of_figures(columns)
    if not are_columns:
        return None
    if max(sum(map(bool, column)) for column in columns[1:]) < _FEWEST_ROWS:
        return None
    rows: Rows = [[cell.words if cell else [] for cell in row] for row in cells]
    names = _names(above, spans, labels, max(cell.top for cell in lines[0]))
    return [names, *rows] if any(names) else rows


def _spans(lines: Sequence[Row]) -> list[Reach]:
    """Return the left and the right of each column, but for the first."""
    spans: list[Reach] = []
    for left, right in sorted((cell.left, cell.right) for line in lines for cell in line[1:]):
        if spans and left <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], right)
        else:
            spans.append((left, right))
    return spans


def _by_column(line: Row, spans: Sequence[Reach], labels: float) -> list[Cell | None]:
    """Return what a line has in each column; nothing at all where two cells are in one."""
    row: list[Cell | None] = [None] * (len(spans) + 1)
    for at, cell in enumerate(line):
        # A line without a label begins in a column.
        column = _column(cell, spans) if at or cell.left > labels else 0
        if row[column] is not None:
            return []
        row[column] = cell
    return row


def _below_names(
    columns: Sequence[Sequence[Cell | None]], spans: Sequence[Reach]
) -> tuple[list[Sequence[Cell | None]], list[Reach]]:
    """Join names that stand left of all their figures with these, where each column then has both.

    Names are often set to the left of a column, and figures to its right.
    """
    joined: list[Sequence[Cell | None]] = [*columns[:1]]
    kept: list[Reach] = []
    for column, span in zip(columns[1:], spans, strict=True):
        names = joined[-1] if kept else []
        first = next((at for at, cell in enumerate(column) if cell), 0)
        last = max((at for at, cell in enumerate(names) if cell), default=_MOST_HEADS)
        if last < min(first, _MOST_HEADS) and all(cell.is_value for cell in column if cell):
            joined[-1] = [name or cell for name, cell in zip(names, column, strict=True)]
            kept[-1] = kept[-1][0], span[1]
        else:
            joined.append(column)
            kept.append(span)
    has_both = all(any(column[:_MOST_HEADS]) and any(column[1:]) for column in joined[1:])
    return (joined, kept) if has_both else ([*columns], [*spans])


def _are_columns(columns: Sequence[Sequence[Cell | None]]) -> bool:
    """Say whether cells of words are those of a table: short, in line, and no prose or list."""
    found = [[cell for cell in column if cell] for column in columns]
    if not found[0] or any(len(column) < _FILLED * len(columns[0]) for column in found):
        return False
    if any(len(column) <= 1 or not _are_in_line(column) for column in found):
        return False
    texts = [cell.text for column in found for cell in column]
    if max(map(len, texts)) > _LONGEST_CELL:
        return False
    amid = sum(text[0].islower() and len(text) > _SHORT for text in texts)
    marks = sum(_MARK.fullmatch(cell.text) is not None for cell in found[0])
    is_list = len(columns) == len("ab") and 2 * marks > len(found[0])
    return amid < _PROSE * len(texts) and not is_list and not _are_bullets(found[0])


def _are_columns_of_figures(columns: Sequence[Sequence[Cell | None]]) -> bool:
    """Say whether most columns of figures are in line, with or without brackets and signs."""
    labels, *found = [[cell for cell in column if cell] for column in columns]
    in_line = sum(_are_in_line(column, within=3 * _EDGE) for column in found)
    return 2 * in_line > len(found) and not _are_bullets(labels)


def _are_bullets(labels: Sequence[Cell]) -> bool:
    firsts = [cell.words[0].text for cell in labels]
    bullets = sum(len(first) == 1 and not first.isalnum() for first in firsts)
    return 2 * bullets > len(labels)


def _are_in_line(column: Sequence[Cell], *, within: float = _EDGE) -> bool:
    """Say whether most cells begin, end or have their middle below each other."""
    edges = [
        [cell.left for cell in column],
        [(cell.left + cell.right) / 2 for cell in column],
    ]
    if max(len(cell.text) for cell in column) <= 2 * _SHORT:  # lines of prose end in line, too
        edges.append([cell.right for cell in column])
    return any(
        sum(abs(edge - median(places)) <= within for edge in places) >= _ALIGNED * len(places)
        for places in edges
    )


def _are_contents(rows: Rows) -> bool:
    """Say whether lines are a table of contents: one column of pages, which rise."""
    pages = ["".join(word.text for word in row[-1]) for row in rows if row[-1]]
    numbers = [int(page) for page in pages if page.isdecimal()]
    is_led = any(_LED.fullmatch(row[-2][-1].text) for row in rows if row[-2])
    has_one = len(rows[0]) == len("12") or is_led
    return has_one and len(numbers) + 1 >= len(pages) and numbers == sorted(numbers)


def _column(cell: Cell, spans: Sequence[Reach]) -> int:
    middle = (cell.left + cell.right) / 2
    return 1 + min(
        range(len(spans)), key=lambda at: max(spans[at][0] - middle, middle - spans[at][1], 0.0)
    )


def _names(
    above: Sequence[Row], spans: Sequence[Reach], labels: float, top: float
) -> list[list[Word]]:
    """Return what stands over each column, of the lines above that have nothing else."""
    names: list[list[Word]] = [[] for _ in range(len(spans) + 1)]
    spans = list(spans)
    for line in reversed(above):
        foot = min(cell.bottom for cell in line)
        height = line[0].words[0].box.top - line[0].words[0].box.bottom
        is_near = -height < foot - top <= _MOST_APART * height  # a running foot may be drawn first
        if CAPTION.match(line[0].text) or not is_near:
            break
        top = max(cell.top for cell in line)
        over = _reaches(line, spans, labels)
        is_apart = all(
            found or cell.right <= spans[0][0] for found, cell in zip(over, line, strict=True)
        )
        is_short = sum(len(cell.text) for cell in line) <= 2 * _LONGEST_LABEL
        if not any(over) or not is_apart or not is_short or line[-1].text.endswith("."):
            break
        if any(cell.left < labels and found for found, cell in zip(over, line, strict=True)):
            break  # a line of words that goes on over the columns
        is_lowest = not any(names[1:])
        over, cells = _parted_names(over, line, spans) if is_lowest else (over, line)
        for found, cell in zip(over, cells, strict=True):
            for column in [at + 1 for at in found] or [0]:
                names[column] = [*cell.words, *names[column]]
            if len(found) == 1:  # what stands above stands over the names, not over the figures
                left, right = spans[found[0]]
                spans[found[0]] = min(left, cell.left), max(right, cell.right)
    return names


def _reaches(line: Row, spans: Sequence[Reach], labels: float) -> list[list[int]]:
    """Return the columns that each cell of a line of heads is over; none of what is left of all.

    A name that belongs to several stands in their middle, or at one side of them.
    """
    over = list(_columns_over(line, spans, labels))
    named = [at for at, cell in enumerate(line) if cell.right > spans[0][0] or cell.left > labels]
    taken = [column for found in over for column in found]
    is_plain = len(taken) == len(set(taken)) and all(
        len(over[at]) == 1 and _shares_edge(line[at], spans[over[at][0]]) for at in named
    )
    each = len(spans) // max(1, len(named))
    if is_plain and 1 < len(named) < len(spans) == each * len(named):
        parts = [over[at][0] // each for at in named]
        if parts == list(range(len(named))):  # at one side of as many columns each
            for part, at in enumerate(named):
                over[at] = list(range(part * each, (part + 1) * each))
        return over
    if is_plain or not named or len(named) > len(spans):
        return over

    sides = (_from_middle,) if len(named) == 1 else (_from_middle, _from_left, _from_right)
    names = [line[at] for at in named]
    distance, ends = min(_shared_out(spans, names, side) for side in sides)
    if distance > _NEAR * len(named):
        return over
    for at, (first, end) in zip(named, pairwise([0, *ends]), strict=True):
        over[at] = list(range(first, end))
    return over


def _parted_names(
    over: Sequence[list[int]], line: Row, spans: Sequence[Reach]
) -> tuple[list[list[int]], Row]:
    """Return names and their columns; of names that stand close together, each with its own."""
    parted: list[tuple[list[int], Cell]] = []
    for found, cell in zip(over, line, strict=True):
        ends: Sequence[int] = ()
        if 1 < len(found) <= len(cell.words):
            words = [(word.box.left, word.box.right) for word in cell.words]
            columns = [Box(spans[at][0], 0.0, spans[at][1], 0.0) for at in found]
            sides = (_from_middle, _from_left, _from_right)
            distance, ends = min(_shared_out(words, columns, side) for side in sides)
            ends = ends if distance <= 2 * _EDGE * len(found) else ()
        if ends:
            names = (cell.words[first:end] for first, end in pairwise([0, *ends]))
            parted += (([at], Cell(name)) for at, name in zip(found, names, strict=True))
        else:
            parted.append((found, cell))
    return [found for found, _ in parted], [cell for _, cell in parted]


def _from_left(cell: Cell | Box, below: Sequence[Reach]) -> float:
    return cell.left - below[0][0]


def _from_right(cell: Cell | Box, below: Sequence[Reach]) -> float:
    return cell.right - below[-1][1]


def _from_middle(cell: Cell | Box, below: Sequence[Reach]) -> float:
    return (_from_left(cell, below) + _from_right(cell, below)) / 2


def _shared_out(
    spans: Sequence[Reach],
    names: Sequence[Cell | Box],
    distance: Callable[[Cell | Box, Sequence[Reach]], float],
) -> tuple[float, list[int]]:
    """Share all columns out among names in order, the nearest way; return how far, and the ends.

    Name by name: of all ways, 12 names over 24 columns have a million, which took 5 seconds.
    """
    best: dict[int, tuple[float, list[int]]] = {0: (0.0, [])}
    for name in names:
        best = {
            end: min(
                (far + abs(distance(name, spans[first:end])), [*ends, end])
                for first, (far, ends) in best.items()
                if first < end
            )
            for end in range(min(best) + 1, len(spans) + 1)
        }
    return best[len(spans)]


def _columns_over(line: Row, spans: Sequence[Reach], labels: float) -> Iterator[list[int]]:
    """Yield the columns that each cell stands over, or the one at whose left it begins."""
    for cell, following in zip_longest(line, line[1:]):
        over = [
            at for at, (left, right) in enumerate(spans) if cell.right > left and cell.left < right
        ]
        if not over and cell.left > labels:
            at = next((n for n, (left, _) in enumerate(spans) if left >= cell.right), len(spans))
            edge = spans[at - 1][1] if at else 0.0
            is_column = at < len(spans) and edge <= cell.left
            if is_column and (following is None or following.left >= spans[at][1]):
                over = [at]
        yield over


def _shares_edge(cell: Cell, span: tuple[float, float]) -> bool:
    return min(abs(cell.left - span[0]), abs(cell.right - span[1])) <= 2 * _EDGE


def median(values: Iterable[float]) -> float:
    """Return what `statistics.median` does, which takes 4 ms to load into each child."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
