"""Which cells of a table say what: one that reaches over columns or rows says it of each."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pulsedocs.model.tables import LONGEST_REPEATED

LONGEST_CELL: Final = 500
"""Characters of a cell that is one line; what is longer is a part of a page, with paragraphs."""


@dataclass(slots=True)
class Table:
    """Where a table is: what a cell says that reaches over columns or rows, it says of each."""

    column: int = 0
    cells: int = 0
    wide: tuple[int, str] = (0, "")
    """How many columns the cell before takes after its first, and its words."""
    reaching: dict[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])
    """The columns of this row that cells of rows above take, for how many rows, and their words."""
    below: dict[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])

    width: int = 0
    """How many columns the widest row so far has, of those that hold more than one cell."""
    filled: int = 0
    first: str = ""
    """What the first cell of the row says, if it is short."""
    is_layout: bool = False
    """Whether the cells of the row are parts of a page, each with paragraphs of its own."""
    are_pairs: bool = False
    """Whether each row is a name, marked as such, and what is said of it."""
    group: bool = False
    """Whether the row before is the name of a group of rows: it says something in one cell only."""

    def begin_row(self) -> None:
        self.column, self.cells, self.filled, self.wide = 0, 0, 0, (0, "")
        self.reaching, self.below = self.below, {}

    def before_cell(self) -> Iterator[str]:
        """Yield the words that stand before the next cell of the row."""
        count, words = self.wide
        self.wide = (0, "")
        for _ in range(count):
            yield words
        yield from self._reached()

    def after_cells(self) -> Iterator[str]:
        """Yield the words behind the last cell, unless it is the row's only one: a title."""
        is_title = self.cells == 1 and self.column == 1 + self.wide[0] and not self.reaching
        if self.cells and not is_title:
            yield from self.before_cell()
        self.group = self.width > 1 and self.filled == 1 and bool(self.first)
        if self.filled > 1:
            self.width = max(self.width, self.column)

    def _reached(self) -> Iterator[str]:
        while self.column in self.reaching:
            rows, words = self.reaching.pop(self.column)
            if rows > 1:
                self.below[self.column] = rows - 1, words
            yield words
            self.filled += bool(words)
            self.column += 1

    def end_cell(self, words: str | None, *, across: int, down: int) -> None:
        """Take notice of a cell; None stands for the words of one that holds a part of a page."""
        if not self.column:
            self.first = words if words and len(words) <= LONGEST_REPEATED else ""
        self.filled += 2 if words is None else bool(words)
        words = words or ""
        repeated = words if len(words) <= LONGEST_REPEATED else ""
        for column in range(self.column, self.column + across):
            if down > 1:
                self.below[column] = down - 1, repeated
        self.column += across
        self.cells += 1
        self.wide = across - 1, repeated
