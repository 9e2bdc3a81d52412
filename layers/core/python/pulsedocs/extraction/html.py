"""What a reader of an HTML file sees, as text.

Scripts, styles, comments, pictures and forms' machinery are no text. What the file itself hides
is dropped and counted: it is there for machines only, such as instructions to a language model.
See `hiding_styles` for what is known of styles. `aria-hidden` is no reason to drop anything; a
page with an open dialogue says it of all its text.
"""

import re
from collections.abc import Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pulsedocs.extraction.budgets import Budgets
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
from pulsedocs.extraction.plain_text import decoded
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
    figure footer form header hgroup hr main menu nav ol p pre search section table ul
    """.split()  # noqa: SIM905 -- as a list it takes forty lines
)
_LINES = frozenset(
    """
    br caption dd div dt legend optgroup option select summary tbody tfoot thead
    """.split()  # noqa: SIM905 -- as a list it takes forty lines
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_VERBATIM = frozenset({"pre", "textarea", "listing", "xmp", "plaintext"})
_CELLS = frozenset({"td", "th"})


def open_html(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises TextNotUTF8, TooMuchText and TooManyPages."""
    return ProseFile([prose_of(decoded(body))], parser=_PARSER, budgets=budgets)


def prose_of(html: str) -> Prose:
    parsed = LexborHTMLParser(html)
    root = parsed.root
    prose = Prose()
    named = parsed.css_first("head > title")
    if named is not None:
        prose.title = storable(named.text(deep=True))[:_TITLE_CHARACTERS]
    if root is not None:
        declared = sheet_declarations(parsed)
        paint = UNKNOWN_GROUND if has_other_sheets(parsed) else DEFAULT_PAINT
        _Walk(prose, declared, paint).through(root)
    return prose


class _Walk:
    """Goes through a tree without recursion: files nest deeper than Python calls."""

    def __init__(self, prose: Prose, declared: Mapping[int, Declarations], paint: Paint) -> None:
        self._prose = prose
        self._declared = declared
        self._paints = [paint]  # of the elements around
        self._verbatim = 0
        self._counters: list[int | None] = []  # next number of each open list
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
        elif tag in {"li", "tr"}:
            self._prose.end_marked()
        elif tag in _PARAGRAPHS:
            self._prose.paragraph()
        elif tag in _LINES and tag != "br":
            self._prose.line()
        if tag in _VERBATIM:
            self._verbatim -= 1
        if tag in {"ul", "ol"}:
            self._counters.pop()

    def _begin(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag in _HEADINGS:
            self._prose.begin_heading(_HEADINGS[tag])
        elif tag in _PARAGRAPHS:
            self._prose.paragraph()
        elif tag in _LINES:
            self._prose.line()
        elif tag == "li":
            self._prose.begin_item(self._item_mark())
        elif tag == "tr":
            self._prose.begin_row()
        elif tag in _CELLS:
            before = node.prev
            while before is not None and before.tag not in _CELLS:
                before = before.prev
            self._prose.begin_cell(is_first=before is None)
        if tag in _VERBATIM:
            self._verbatim += 1
        if tag in {"ul", "ol"}:
            start = node.attributes.get("start") or ""
            first = int(start) if re.fullmatch(r"[0-9]{1,9}", start) else 1
            self._counters.append(first if tag == "ol" else None)

    def _item_mark(self) -> str:
        number = self._counters[-1] if self._counters else None
        if number is None:
            return "- "
        self._counters[-1] = number + 1
        return f"{number}. "


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    if not attributes:
        return node.tag == "dialog"
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    return node.tag == "dialog" and "open" not in attributes
