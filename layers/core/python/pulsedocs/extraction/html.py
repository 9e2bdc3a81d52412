"""What a reader of an HTML file sees, as text.

Scripts, styles, comments, pictures and forms' machinery are no text. What the file itself hides
is dropped and counted: it is there for machines only, such as instructions to a language model.
Style sheets are not judged: they need a browser. `aria-hidden` is no reason to drop anything; a
page with an open dialogue says it of all its text.
"""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.plain_text import decoded
from pulsedocs.extraction.prose import Prose, ProseFile

_PARSER = "html"
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
_HIDING = frozenset(
    {("display", "none"), ("visibility", "hidden"), ("visibility", "collapse"), ("opacity", "0")}
)
_NOUGHT = re.compile(r"0*\.?0*(?:[a-z]+|%)?")
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)


def open_html(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises TextNotUTF8, TooMuchText and TooManyPages."""
    return ProseFile(prose_of(decoded(body)), parser=_PARSER, budgets=budgets)


def prose_of(html: str) -> Prose:
    root = LexborHTMLParser(html).root
    prose = Prose()
    if root is not None:
        _Walk(prose).through(root)
    return prose


class _Walk:
    """Goes through a tree without recursion: files nest deeper than Python calls."""

    def __init__(self, prose: Prose) -> None:
        self._prose = prose
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
            self._add(node.text_content or "")
            return False
        if not node.is_element_node or node.tag in _NO_TEXT:
            return False
        if self._unseen or _is_hidden(node):
            self._unseen.append(node.mem_id)
        else:
            self._begin(node, node.tag or "")
        return True

    def _leave(self, node: LexborNode) -> None:
        if not self._unseen:
            self._end(node.tag or "")
            return
        self._unseen.pop()
        if not self._unseen:
            self._prose.hide(self._unseen_characters)
            self._unseen_characters = 0

    def _add(self, text: str) -> None:
        if self._unseen:
            self._unseen_characters += len(" ".join(text.split()))
        elif self._verbatim:
            self._prose.verbatim(text)
        else:
            self._prose.words(text)

    def _begin(self, node: LexborNode, tag: str) -> None:
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
            self._prose.begin_cell(is_first=_is_first_cell(node))
        if tag in _VERBATIM:
            self._verbatim += 1
        if tag in {"ul", "ol"}:
            self._counters.append(_first_number(node) if tag == "ol" else None)

    def _end(self, tag: str) -> None:
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

    def _item_mark(self) -> str:
        number = self._counters[-1] if self._counters else None
        if number is None:
            return "- "
        self._counters[-1] = number + 1
        return f"{number}. "


def _is_first_cell(cell: LexborNode) -> bool:
    before = cell.prev
    while before is not None and before.tag not in _CELLS:
        before = before.prev
    return before is None


def _first_number(node: LexborNode) -> int:
    start = node.attributes.get("start") or ""
    return int(start) if re.fullmatch(r"[0-9]{1,9}", start) else 1


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    if not attributes:
        return node.tag == "dialog"
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    if node.tag == "dialog" and "open" not in attributes:
        return True
    style = attributes.get("style")
    return bool(style) and any(_hides(part) for part in _CSS_COMMENT.sub("", style).split(";"))


def _hides(declaration: str) -> bool:
    name, _, value = declaration.lower().partition(":")
    name, value = name.strip(), value.partition("!")[0].strip()
    if (name, value) in _HIDING:
        return True
    return name in {"opacity", "font-size"} and bool(value and _NOUGHT.fullmatch(value))
