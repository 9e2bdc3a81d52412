"""What a reader of an HTML file sees, as text.

Scripts, styles, comments, pictures and forms' machinery are no text. What the file itself hides
is dropped and counted: it is there for machines only, such as instructions to a language model.
See `hiding_styles` for what is known of styles. `aria-hidden` is no reason to drop anything; a
page with an open dialogue says it of all its text.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, repeat

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.encoding import decoded
from pulsedocs.extraction.hiding_styles import (
    DEFAULT_PAINT,
    UNKNOWN_GROUND,
    Declarations,
    Paint,
    declarations_of,
    has_other_sheets,
    hides,
    is_unseen,
    paint_of,
    sheet_declarations,
)
from pulsedocs.extraction.prose import Prose, ProseFile
from pulsedocs.extraction.storable import storable

_PARSER = "html"
_TITLE_CHARACTERS = 1_000
_NO_TEXT = frozenset(
    """
    applet area audio base canvas datalist embed frame head iframe img input link map
    meta noembed noframes noscript object param script source style svg template title
    track video
    """.split()  # noqa: SIM905 -- as a list it takes forty lines
)
_PARAGRAPHS = frozenset(
    """
    address article aside blockquote center details dialog dir dl fieldset figcaption
    figure footer form header hgroup hr main menu nav ol p pre search section ul
    """.split()  # noqa: SIM905 -- as a list it takes forty lines
)
_LINES = frozenset(
    """
    br caption dd div dt legend optgroup option select summary tbody tfoot thead
    """.split()  # noqa: SIM905 -- as a list it takes forty lines
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_VERBATIM = frozenset({"pre", "textarea", "listing", "xmp", "plaintext"})
_LISTS = frozenset({"ul", "ol"})
_POINT = "- "
LABELLED_LIST = '<ol type="none">'
"""A list whose items say themselves what they are counted by."""
_OF_TABLE = frozenset({"table", "tr", "td", "th"})
_ROLES_AROUND = frozenset({"navigation", "contentinfo"})
_PARTS = frozenset({"article", "blockquote", "main", "section"})
_MAY_BE_NOTICE = frozenset({"aside", "dialog", "div", "section"})
_NOTICE = re.compile(r"\bcookie|\bconsent\b|\bgdpr\b", re.IGNORECASE)
_LONGEST_NOTICE = 1_500  # characters; a page about cookies has more
_OF_A_PAGE = "h1, h2, h3, h4, h5, h6, table, pre, textarea"
"""What stands in cells that only place the parts of a page beside each other."""
_LONGEST_CELL = 500  # characters; what is longer is a part of a page, too
_LONGEST_REPEATED = 60  # characters; what is longer names no row and no column
_MOST_COLUMNS, _MOST_ROWS = 50, 1_000  # that a cell may reach over


def open_html(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises TextNotUTF8, TooMuchText and TooManyPages."""
    html = decoded(body, is_html=True)
    prose = prose_of(html, main_only=True)
    # A page may be nothing but links, such as a site map: then they are what it says.
    if prose.aside > len(prose.text):
        prose = prose_of(html)
    if prose.aside:
        prose.unread.append(f"navigation, notices of cookies and footers, {prose.aside} characters")
    return ProseFile([prose], parser=_PARSER, budgets=budgets)


def prose_of(html: str, *, main_only: bool = False) -> Prose:
    """Return what an HTML text says; with `main_only` without what frames a page of a site."""
    parsed = LexborHTMLParser(html)
    root = parsed.root
    prose = Prose()
    named = parsed.css_first("head > title")
    if named is not None:
        prose.title = storable(named.text(deep=True))[:_TITLE_CHARACTERS]
    if root is not None:
        declared = sheet_declarations(parsed)
        paint = UNKNOWN_GROUND if has_other_sheets(parsed) else DEFAULT_PAINT
        _Walk(prose, declared, paint, main_only=main_only).through(root)
    return prose


@dataclass(slots=True)
class _Table:
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
            self.first = words if words and len(words) <= _LONGEST_REPEATED else ""
        self.filled += 2 if words is None else bool(words)
        words = words or ""
        repeated = words if len(words) <= _LONGEST_REPEATED else ""
        for column in range(self.column, self.column + across):
            if down > 1:
                self.below[column] = down - 1, repeated
        self.column += across
        self.cells += 1
        self.wide = across - 1, repeated


class _Walk:
    """Goes through a tree without recursion: files nest deeper than Python calls."""

    def __init__(
        self,
        prose: Prose,
        declared: Mapping[int, Declarations],
        paint: Paint,
        *,
        main_only: bool,
    ) -> None:
        self._main_only = main_only
        self._prose = prose
        self._declared = declared
        self._paints = [paint]  # of the elements around
        self._verbatim = 0
        self._marks: list[Iterator[str]] = []  # of the items to come of each open list
        self._tables: list[_Table] = []  # those around
        self._cell: int | None = None  # where the open cell begins that is one line
        self._unseen: list[int] = []  # the elements that hide what is in them
        self._unseen_characters = 0

    def through(self, root: LexborNode) -> None:
        around: list[LexborNode] = []
        node: LexborNode | None = root
        while node is not None:
            if self._enters(node):
                child = node.child
                if child is not None:
                    around.append(node)
                    node = child
                    continue
                self._leave(node)
            while around and node.next is None:
                node = around.pop()
                self._leave(node)
            node = node.next if around else None

    def _enters(self, node: LexborNode) -> bool:
        if node.is_text_node:
            text = node.text_content or ""
            if self._unseen:
                self._unseen_characters += len(" ".join(text.split()))
            elif is_unseen(self._paints[-1]) and text.strip():
                self._prose.hide(len(" ".join(text.split())))
            elif self._verbatim:
                self._prose.verbatim(text)
            else:
                self._prose.words(text)
            return False
        if not node.is_element_node or node.tag in _NO_TEXT:
            return False
        if self._main_only and not self._unseen and _is_around(node):
            self._prose.aside += len(" ".join(node.text(deep=True).split()))
            return False
        declarations = self._declared.get(node.mem_id, {})
        if style := node.attributes.get("style"):
            declarations = {**declarations, **declarations_of(style)}
        self._paints.append(
            paint_of(declarations, self._paints[-1]) if declarations else self._paints[-1]
        )
        if self._unseen or _is_hidden(node) or (declarations and hides(declarations)):
            self._unseen.append(node.mem_id)
        else:
            self._begin(node)
        return True

    def _leave(self, node: LexborNode) -> None:
        self._paints.pop()
        if self._unseen:
            self._unseen.pop()
            if not self._unseen:
                self._prose.hide(self._unseen_characters)
                self._unseen_characters = 0
            return
        tag = node.tag or ""
        if tag in _HEADINGS:
            self._prose.end_heading()
        elif tag in _OF_TABLE and self._tables:  # none around a cell within a formula
            self._leave_table(tag, node)
        elif tag == "li":
            self._prose.end_marked()
        elif tag in _PARAGRAPHS:
            self._prose.paragraph()
        elif tag in _LINES and tag != "br":
            self._prose.line()
        if tag in _VERBATIM:
            self._verbatim -= 1
        if tag in _LISTS:
            self._marks.pop()

    def _begin(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag in _HEADINGS:
            self._prose.begin_heading(_HEADINGS[tag])
        elif tag in _OF_TABLE and (self._tables or tag == "table"):
            self._begin_table(tag, node)
        elif tag in _PARAGRAPHS:
            self._prose.paragraph()
        elif tag in _LINES:
            self._prose.line()
        elif tag == "li":
            mark = next(self._marks[-1]) if self._marks else _POINT
            if mark == _POINT and node.child is not None and node.child.tag in _LISTS:
                mark = ""  # it has no words, only items that stand further in
            self._prose.begin_item(mark, depth=len(self._marks) - 1)
        if tag in _VERBATIM:
            self._verbatim += 1
        if tag in _LISTS:
            self._marks.append(_marks_of(node))

    def _begin_table(self, tag: str, node: LexborNode) -> None:
        """Begin a table, a row or a cell."""
        if tag == "table":
            self._prose.paragraph()
            self._tables.append(_Table())
            return
        table = self._tables[-1]
        if tag == "tr":
            if table.group:
                self._prose.leave_empty(table.width - 1)
            table.group = False
            self._prose.begin_row()
            table.begin_row()
            return
        self._repeat(table.before_cell())
        self._prose.begin_cell(is_first=not table.column)
        is_line = self._cell is None and node.css_first(_OF_A_PAGE) is None
        if is_line and len(node.text(deep=True)) <= _LONGEST_CELL:
            self._cell = self._prose.begin_line()

    def _leave_table(self, tag: str, node: LexborNode) -> None:
        if tag == "table":
            self._prose.paragraph()
            self._tables.pop()
        elif tag == "tr":
            self._repeat(self._tables[-1].after_cells())
            self._prose.end_marked()
        else:
            words = None
            if self._cell is not None:
                words, self._cell = self._prose.end_line(self._cell), None
            self._tables[-1].end_cell(
                words,
                across=_span(node.attributes.get("colspan"), most=_MOST_COLUMNS),
                down=_span(node.attributes.get("rowspan"), most=_MOST_ROWS),
            )

    def _repeat(self, cells: Iterator[str]) -> None:
        for words in cells:
            self._prose.begin_cell(is_first=not self._tables[-1].column)
            self._prose.words(words)


def _marks_of(node: LexborNode) -> Iterator[str]:
    """Return what stands before each item of a list."""
    if node.tag == "ul" or node.attributes.get("type") == "none":
        return repeat(_POINT if node.tag == "ul" else "")
    start = node.attributes.get("start") or ""
    first = int(start) if re.fullmatch(r"[0-9]{1,9}", start) else 1
    return (f"{number}. " for number in count(first))


def _is_around(node: LexborNode) -> bool:
    """Say whether an element frames the pages of a site: navigation, a footer, a notice."""
    attributes = node.attributes
    if node.tag == "nav" or attributes.get("role") in _ROLES_AROUND:
        return True
    if node.tag == "footer":
        around = node.parent
        while around is not None and around.tag not in _PARTS:
            around = around.parent
        return around is None  # that of an article belongs to it
    named = f"{attributes.get('id') or ''} {attributes.get('class') or ''}"
    if node.tag not in _MAY_BE_NOTICE or not _NOTICE.search(named):
        return False
    return len(node.text(deep=True)) <= _LONGEST_NOTICE


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    if not attributes:
        return node.tag == "dialog"
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    return node.tag == "dialog" and "open" not in attributes


def _span(stated: str | None, *, most: int) -> int:
    is_number = re.fullmatch(r"[0-9]{1,9}", stated or "")
    return max(1, min(int(stated or 1), most)) if is_number else 1
