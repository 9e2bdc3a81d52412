"""What a reader of an HTML file sees, as text.

Scripts, styles, comments, pictures and forms' machinery are no text. What the file itself hides
is dropped and counted: it is there for machines only, such as instructions to a language model.
See `hiding_styles` for what is known of styles. `aria-hidden` is no reason to drop anything; a
page with an open dialogue says it of all its text.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.encoding import decoded
from pulsedocs.extraction.form_signs import NOT_TICKED, TICKED
from pulsedocs.extraction.hiding_styles import (
    DEFAULT_PAINT,
    UNKNOWN_PAINT,
    Declarations,
    Paint,
    attribute_declarations,
    declarations_of,
    has_other_sheets,
    hides,
    is_unseen,
    paint_of,
    sheet_declarations,
    strikes,
)
from pulsedocs.extraction.list_marks import Numbering
from pulsedocs.extraction.prose import Prose, ProseFile
from pulsedocs.extraction.remarks import STRUCK
from pulsedocs.extraction.scripts import called, lowered, raised
from pulsedocs.extraction.storable import storable
from pulsedocs.extraction.table_cells import LONGEST_CELL, Table
from pulsedocs.model.tables import MOST_COLUMNS, MOST_ROWS

_PARSER = "html"
_PAIR = 2  # cells of a row: a name, and what is said of it
_TITLE_CHARACTERS = 1_000
_NO_TEXT = frozenset(
    """
    annotation annotation-xml applet area audio base canvas datalist embed frame head
    iframe img link map meta noembed noframes noscript object param rp script
    source style svg template title track video
    """.split()  # noqa: SIM905 -- as a list it takes forty lines
)
_PARAGRAPHS = frozenset(
    """
    address article aside blockquote center details dialog dir dl fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section ul
    """.split()  # noqa: SIM905 -- as a list it takes forty lines
)
_LINES = frozenset(
    """
    br caption dd div dt legend optgroup option select summary tbody tfoot thead
    """.split()  # noqa: SIM905 -- as a list it takes forty lines
)
_BLOCKS = frozenset({"block", "flex", "flow-root", "grid", "list-item", "table", "table-row"})
_IN_ROWS = frozenset({"flex", "grid", "inline-flex", "inline-grid"})
_DISPLAYS = {"button": "table-cell"}
"""What a browser draws apart from the words beside it, where no style says how."""
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_VERBATIM = frozenset({"pre", "textarea", "listing", "xmp", "plaintext"})
_LISTS = frozenset({"ul", "ol"})
_STRUCK = {"del": "deleted text", "s": STRUCK, "strike": STRUCK}
_SIGNS = {"mfrac": "/", "msup": "^", "msub": "_"}
"""What stands before the second part of a formula."""
_OF_FORMULA = frozenset(
    """
    math menclose mfenced mfrac mi mn mo mover mpadded mroot mrow msqrt mstyle msub msubsup
    msup mtable mtext munder munderover semantics
    """.split()  # noqa: SIM905 -- as a list it takes twenty lines
)
_TICKS = frozenset({"checkbox", "radio"})
_TYPED = frozenset(
    "date datetime-local email month number search tel text time url week".split()  # noqa: SIM905 -- as a list it takes twelve lines
)
"""The kinds of fields whose values are words; of a password or a button they are not."""
_SIGNED = _OF_FORMULA | {"rt"}
_SCRIPTS = frozenset({"sup", "sub"})
_POINT = "- "
LABELLED_LIST = '<ol type="none">'
"""A list whose items say themselves what they are counted by."""
_NOTE_CALL = re.compile(r"\b(?:foot|end)?note-?ref(?:erence)?\b", re.IGNORECASE)
_ARROW = re.compile(r"\s*[\u2191\u21a9\u21b5\u23ce\u2934^][\ufe0e\ufe0f]?\d{0,3}\s*")
"""Numbered where a note is called several times."""
_CELLS = frozenset({"td", "th"})
_OF_TABLE = _CELLS | {"table", "tr"}
_ROLES_AROUND = frozenset({"navigation", "contentinfo"})
_PARTS = frozenset({"article", "blockquote", "main", "section"})
_MAY_BE_NOTICE = frozenset({"aside", "dialog", "div", "section"})
_NOTICE = re.compile(
    r"\bcookie|\bgdpr\b|\bconsent[-_]?(?:banner|bar|box|dialog|layer|manager|modal|notice|overlay|popup)",
    re.IGNORECASE,
)
_BUTTON = "button, input[type=button], input[type=submit], [role=button], a.button, a.btn"
_LONGEST_NOTICE = 1_500  # characters; a page about cookies has more
_ANY_HEADING = ", ".join(_HEADINGS)
_OF_A_PAGE = f"{_ANY_HEADING}, table"
"""What stands in cells that only place the parts of a page beside each other."""
_WITH_LINES = "pre, textarea"
_MOST_TABLES = 3  # within each other, of which one may be what a cell says
_PARTS_OF_DEFINITION = f"p ~ p, ul, ol, dl, {_OF_A_PAGE}, {_WITH_LINES}"
"""With these in it a definition stands below its term, not behind it."""


def open_html(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises TextNotUTF8, TooMuchText and TooManyPages."""
    return file_of(decoded(body), budgets=budgets)


def file_of(html: str, *, budgets: Budgets) -> ProseFile:
    """Return the pages of a page of a site, without what frames it."""
    prose = prose_of(html, main_only=True)
    # A page may be nothing but links, such as a site map: then they are what it says.
    if prose.aside > len(prose.text):
        prose = prose_of(html)
    if prose.aside:
        prose.unread.append(f"navigation, notices of cookies and footers, {prose.aside} characters")
    return ProseFile([prose], parser=_PARSER, budgets=budgets)


def prose_of(html: str, *, main_only: bool = False, behind: Prose | None = None) -> Prose:
    """Return what an HTML text says; with `main_only` without what frames a page of a site.

    It is added to the prose that it stands `behind`, on which its styles and comments have no say.
    """
    parsed = LexborHTMLParser(html)
    root = parsed.root
    prose = Prose() if behind is None else behind
    prose.paragraph()
    named = parsed.css_first("head > title")
    if named is not None:
        prose.title = storable(named.text(deep=True))[:_TITLE_CHARACTERS]
    if root is not None:
        declared = sheet_declarations(parsed)
        paint = UNKNOWN_PAINT if has_other_sheets(parsed) else DEFAULT_PAINT
        _Walk(prose, declared, paint, main_only=main_only).through(root)
    return prose


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
        self._displays = [""]
        self._verbatim = 0
        self._scripts: list[Callable[[str], str]] = []  # of the open `sup` and `sub`
        self._lists: list[Numbering | None] = []  # those around; None for one without numbers
        self._tables: list[Table] = []  # those around
        self._cell: int | None = None  # where the open cell begins that is one line
        self._cell_node = 0
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
            # White space between the parts of a formula is none of it.
            if text.strip() or node.parent is None or node.parent.tag not in _OF_FORMULA:
                self._add(text)
            return False
        if not node.is_element_node or node.tag in _NO_TEXT:
            return False
        if self._main_only and not self._unseen and _is_around(node):
            self._prose.aside += len(" ".join(node.text(deep=True).split()))
            return False
        if _leads_back(node):
            return False
        declarations = self._said_of(node)
        reason = _STRUCK.get(node.tag or "") or (STRUCK if strikes(declarations) else "")
        if reason and not self._unseen:
            if reason not in self._prose.unread and node.text(deep=True).strip():
                self._prose.unread.append(reason)
            if node.tag in _CELLS and self._tables:
                # It stays, without words: those behind it belong under their own headings.
                self._begin_table(node.tag, node)
                self._leave_table(node.tag, node)
            return False
        self._paints.append(
            paint_of(declarations, self._paints[-1]) if declarations else self._paints[-1]
        )
        self._displays.append(declarations.get("display") or _DISPLAYS.get(node.tag or "", ""))
        if self._unseen or _is_hidden(node) or (declarations and hides(declarations)):
            self._unseen.append(node.mem_id)
        else:
            self._set_apart()
            self._begin(node, declarations)
        return True

    def _said_of(self, node: LexborNode) -> Declarations:
        """Return what the styles of a file say of an element."""
        declarations = self._declared.get(node.mem_id, {})
        if attributes := node.attributes:
            stated = attributes.get("style")
            declarations = {
                **attribute_declarations(node.tag, attributes),
                **declarations,
                **(declarations_of(stated) if stated else {}),
            }
        return declarations

    def _add(self, text: str) -> None:
        if self._scripts:
            text = self._scripts[-1](text)
        if self._unseen:
            self._unseen_characters += len(" ".join(text.split()))
        elif is_unseen(self._paints[-1]) and text.strip():
            self._prose.hide(len(" ".join(text.split())))
        elif self._verbatim:
            self._prose.verbatim(text)
        else:
            self._prose.words(text)

    def _set_apart(self) -> None:
        """Part an element from the words before it, or behind it, as its style does."""
        *_, around, own = self._displays
        if own in _BLOCKS:
            self._prose.line()
        elif own == "table-cell" or around in _IN_ROWS:
            self._prose.words(" ")

    def _leave(self, node: LexborNode) -> None:
        self._paints.pop()
        if self._unseen:
            self._displays.pop()
            self._unseen.pop()
            if not self._unseen:
                self._prose.hide(self._unseen_characters)
                self._unseen_characters = 0
            return
        tag = node.tag or ""
        if tag in _SIGNED:
            self._prose.words(_signs(node)[1])
        if tag in _HEADINGS and self._cell is None:
            self._prose.end_heading()
        elif tag in _OF_TABLE and self._tables:  # none around a cell within a formula
            self._leave_table(tag, node)
        elif tag == "li" or (tag == "dd" and _mark_before(node)):
            self._prose.end_marked()
        elif tag in _PARAGRAPHS:
            self._prose.paragraph()
        elif tag in _LINES and tag != "br":
            self._prose.line()
        self._set_apart()
        self._displays.pop()
        self._leave_state(tag, node)

    def _leave_state(self, tag: str, node: LexborNode) -> None:
        """Forget what holds within an element only."""
        if tag in _VERBATIM:
            self._verbatim -= 1
        elif tag in _SCRIPTS or _calls_note(node):
            self._scripts.pop()
        elif tag in _LISTS:
            self._lists.pop()

    def _begin(self, node: LexborNode, declarations: Declarations) -> None:
        tag = node.tag or ""
        if tag in _SIGNED:
            self._prose.words(_signs(node)[0])
        elif tag == "input":
            self._add(_entry(node))
        if tag in _HEADINGS and self._cell is None:
            self._prose.begin_heading(_HEADINGS[tag])
        elif tag in _OF_TABLE and (self._tables or tag == "table"):
            self._begin_table(tag, node)
        elif tag in _PARAGRAPHS:
            self._prose.paragraph()
        elif tag in _LINES:
            self._begin_line(tag, node)
        elif tag == "li":
            numbering = self._lists[-1] if self._lists else None
            mark = numbering.mark(node, declarations) if numbering else _POINT
            if mark == _POINT and node.child is not None and node.child.tag in _LISTS:
                mark = ""  # it has no words, only items that stand further in
            self._prose.begin_item(mark, depth=len(self._lists) - 1)
        self._begin_state(tag, node, declarations)

    def _begin_state(self, tag: str, node: LexborNode, declarations: Declarations) -> None:
        """Take notice of what holds within an element only."""
        if tag in _VERBATIM:
            self._verbatim += 1
        elif tag in _SCRIPTS:
            self._scripts.append(_script_of(node))
        elif _calls_note(node):
            self._scripts.append(called)
        elif tag in _LISTS:
            self._lists.append(Numbering(node, declarations) if tag == "ol" else None)

    def _begin_line(self, tag: str, node: LexborNode) -> None:
        """Begin a line, or an item: a term, behind which its definition goes on."""
        if tag == "dt" and _explains(_beside(node)):
            self._prose.begin_item(_POINT, depth=len(self._lists))
        elif tag == "dd" and (mark := _mark_before(node)):
            self._prose.go_on(mark)
        else:
            self._prose.line()

    def _begin_table(self, tag: str, node: LexborNode) -> None:
        """Begin a table, a row or a cell; those within a cell are parts of what it says."""
        if self._cell is not None:
            if tag == "tr" or _beside(node, back=True) is not None:
                self._prose.go_on(";" if tag == "tr" else ",")
        elif tag == "table":
            self._prose.paragraph()
            self._tables.append(Table(are_pairs=_are_pairs(node)))
        elif tag == "tr":
            self._begin_row(node)
        elif self._tables[-1].is_layout:
            self._prose.paragraph()
        else:
            self._begin_cell(node)

    def _begin_row(self, node: LexborNode) -> None:
        table = self._tables[-1]
        table.is_layout = _is_layout(node, tables=len(self._tables))
        if table.group:
            self._prose.leave_empty(table.width - 1)
        table.group = False
        table.begin_row()
        if table.is_layout:
            self._prose.paragraph()
        else:
            self._prose.begin_row()

    def _begin_cell(self, node: LexborNode) -> None:
        table = self._tables[-1]
        self._repeat(table.before_cell())
        self._prose.begin_cell(is_first=not table.column)
        if node.css_first(_WITH_LINES) is None and len(node.text(deep=True)) <= LONGEST_CELL:
            self._cell, self._cell_node = self._prose.begin_line(), node.mem_id

    def _leave_table(self, tag: str, node: LexborNode) -> None:
        if self._cell is not None and self._cell_node != node.mem_id:
            self._prose.line()  # of what the cell says
        elif tag == "table":
            self._prose.paragraph()
            self._tables.pop()
        elif self._tables[-1].is_layout:
            self._prose.paragraph()
        elif tag == "tr":
            self._repeat(self._tables[-1].after_cells())
            self._prose.end_marked()
        else:
            words = None
            if self._cell is not None:
                words, self._cell = self._prose.end_line(self._cell), None
            table, goes_on = self._tables[-1], _beside(node) is not None
            if words and goes_on and table.are_pairs and not table.column:
                self._prose.end_label()
            self._tables[-1].end_cell(
                words,
                across=_span(node.attributes.get("colspan"), most=MOST_COLUMNS),
                down=_span(node.attributes.get("rowspan"), most=MOST_ROWS),
            )

    def _repeat(self, cells: Iterator[str]) -> None:
        for words in cells:
            self._prose.begin_cell(is_first=not self._tables[-1].column)
            self._prose.words(words)


def _calls_note(node: LexborNode) -> bool:
    """Say whether a link is the call of a footnote, which its style may raise, as in e-books."""
    if node.tag != "a":
        return False
    attributes = node.attributes
    named = (attributes.get(name) or "" for name in ("role", "epub:type", "class"))
    return _NOTE_CALL.search(" ".join(named)) is not None


def _leads_back(node: LexborNode) -> bool:
    """Say whether a link is the arrow from a footnote to its call."""
    is_link = node.tag == "a" and "#" in (node.attributes.get("href") or "")
    return is_link and _ARROW.fullmatch(node.text(deep=True)) is not None


def _script_of(node: LexborNode) -> Callable[[str], str]:
    """Return how the text of a `sup` or a `sub` is written in a line."""
    if node.tag == "sub":
        before, after = (each.text_content or "" if each else "" for each in (node.prev, node.next))
        return partial(lowered, before=before[-1:], after=after[:1])
    around = node.parent
    link = around if around is not None and around.tag == "a" else node.css_first("a")
    address = link.attributes.get("href") if link is not None else None
    return called if "#" in (address or "") else raised


def _signs(node: LexborNode) -> tuple[str, str]:
    """Return what a line has before and behind a reading, or a part of a formula.

    A fraction is drawn by places: without signs a over b is "ab".
    """
    if node.tag == "rt":
        return ("(", ")") if node.text(deep=True).strip() else ("", "")
    around = node.parent.tag if node.parent is not None else None
    if around not in _SIGNS:
        return "", ""
    is_sum = node.tag == "mrow" and _beside(node.child) is not None
    is_second = _beside(node, back=True) is not None
    return f"{_SIGNS[around] if is_second else ''}{'(' if is_sum else ''}", ")" if is_sum else ""


def _entry(field: LexborNode) -> str:
    """Return what a field of a form shows, with the signs for boxes that those of a PDF have."""
    attributes = field.attributes
    kind = (attributes.get("type") or "text").lower()
    if kind in _TICKS:
        # One that stands on the page itself opens its menu; generators of manuals make such.
        is_of_page = field.parent is not None and field.parent.tag == "body"
        return "" if is_of_page else f" {TICKED if 'checked' in attributes else NOT_TICKED} "
    return f" {attributes.get('value') or ''} " if kind in _TYPED else ""


def _beside(node: LexborNode | None, *, back: bool = False) -> LexborNode | None:
    """Return the element next to a node, or before it."""
    while node is not None:
        node = node.prev if back else node.next
        if node is not None and node.is_element_node:
            return node
    return None


def _explains(node: LexborNode | None) -> bool:
    """Say whether a node is a definition of one paragraph."""
    if node is None or node.tag != "dd":
        return False
    return node.css_first(_PARTS_OF_DEFINITION) is None


def _mark_before(node: LexborNode) -> str:
    """Return what parts a definition from its term, or from another; "" where it stands below."""
    before = _beside(node, back=True)
    if before is None or not _explains(node):
        return ""
    return ":" if before.tag == "dt" else ";" if _explains(before) else ""


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
    text = node.text(deep=True)
    if len(text) > _LONGEST_NOTICE:
        return False
    # Generators name a section by its heading: the one about cookies has nothing to accept.
    heading = node.css_first(_ANY_HEADING)
    is_section = heading is not None and text.lstrip().startswith(heading.text(deep=True).strip())
    return not is_section or node.css_first(_BUTTON) is not None


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    if not attributes:
        return node.tag == "dialog"
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    return node.tag == "dialog" and "open" not in attributes


def _is_layout(row: LexborNode, *, tables: int) -> bool:
    """Say whether cells hold parts of a page: a heading over words, a table beside none.

    A short table beside words is what its cell says, and a heading alone is the name of a column.
    """
    cells = [each for each in row.iter() if each.tag in {"td", "th"}]
    parts = [each for each in cells if each.css_first(_OF_A_PAGE) is not None]
    if not parts or tables > _MOST_TABLES:
        return bool(parts)
    texts = [text for each in cells if (text := each.text(deep=True).strip())]
    return (
        len(texts) < _PAIR
        or any(len(text) > LONGEST_CELL for text in texts)
        or any(map(_has_heading_over_words, parts))
        or sum(each.css_first("table") is not None for each in parts) >= len(texts)
    )


def _are_pairs(table: LexborNode) -> bool:
    """Say whether rows are two cells each, of which the first alone is a head, or bold.

    As text they would be a table like others, whose first row names the columns. A head without
    words, which Markdown cannot leave out, says that none does.
    """
    head = next((each for each in table.iter() if each.tag == "thead"), None)
    is_without_heads = head is not None and not head.text(deep=True).strip()
    parts = [table, *(each for each in table.iter() if each.tag == "tbody")]
    rows = [row for part in parts for row in part.iter() if row.tag == "tr"]
    cells = [[each for each in row.iter() if each.tag in _CELLS] for row in rows]
    pairs = [row for row in cells if len(row) == _PAIR]
    is_each_one = len(pairs) > 1 and all(len(row) <= _PAIR for row in cells)
    return is_each_one and all(
        (name.tag == "th" or _is_bold(name) or is_without_heads)
        and said.tag == "td"
        and not _is_bold(said)
        for name, said in pairs
    )


def _is_bold(cell: LexborNode) -> bool:
    words, bold = cell.text(deep=True).strip(), cell.css_first("b, strong")
    return bool(words) and bold is not None and bold.text(deep=True).strip() == words


def _has_heading_over_words(cell: LexborNode) -> bool:
    heading = cell.css_first(_ANY_HEADING)
    return heading is not None and heading.text(deep=True).strip() != cell.text(deep=True).strip()


def _span(stated: str | None, *, most: int) -> int:
    is_number = re.fullmatch(r"[0-9]{1,9}", stated or "")
    return max(1, min(int(stated or 1), most)) if is_number else 1
