"""What the styles of a Word file say of its paragraphs and runs."""

from collections.abc import Iterator
from typing import Final
from unicodedata import normalize
from xml.etree.ElementTree import Element, SubElement

from pulsedocs.extraction.namespaces import W

PARAGRAPH: Final = f"{W}p"
VALUE: Final = f"{W}val"
_OFF: Final = frozenset({"0", "false", "off"})
_OUTLINE: Final = f"{W}pPr/{W}outlineLvl"
_CELL: Final = f"{W}tc"
_LEVELS: Final = frozenset("012345")  # of the nine, as many as HTML has
_LONGEST_HEADING: Final = 120  # characters
_ENDS: Final = tuple(".;:,?!。、؛،؟।")  # wide ones are folded to these


class Styles:
    """The styles by their ids; the first of those with one id counts."""

    def __init__(self, root: Element | None) -> None:
        found = [] if root is None else list(root.iter(f"{W}style"))
        self._by_id = {style.get(f"{W}styleId", ""): style for style in reversed(found)}
        self.of_paragraphs = next(
            (
                style.get(f"{W}styleId", "")
                for style in found
                if style.get(f"{W}type") == "paragraph" and style.get(f"{W}default") == "1"
            ),
            "",
        )
        self._of_all = None if root is None else root.find(f"{W}docDefaults/{W}rPrDefault")
        self._said: dict[tuple[str, str], Element | None] = {}

    def of_paragraph(self, paragraph: Element) -> str:
        """Return the id of a paragraph's style."""
        return _value(paragraph.find(f"{W}pPr/{W}pStyle")) or self.of_paragraphs

    def said(self, style: str, path: str) -> Element | None:
        """Return what a style has at a path, or the nearest of those that it is based on."""
        passed: list[tuple[str, str]] = []
        found: Element | None = None
        while found is None and style in self._by_id and (style, path) not in self._said:
            passed.append((style, path))
            self._said[style, path] = None  # also ends a circle of styles
            found = self._by_id[style].find(path)
            style = style if found is not None else _value(self._by_id[style].find(f"{W}basedOn"))
        found = self._said.get((style, path)) if found is None else found
        self._said.update(dict.fromkeys(passed, found))
        return found

    def said_of_run(self, run: Element, paragraph: Element | None, name: str) -> Element | None:
        """Return a property of a run: its own, or that of the nearest style."""
        path = f"{W}rPr/{W}{name}"
        found = run.find(path)
        if found is None:
            found = self.said(_value(run.find(f"{W}rPr/{W}rStyle")), path)
        if found is None and paragraph is not None:
            found = self.said(self.of_paragraph(paragraph), path)
        if found is None and self._of_all is not None:
            found = self._of_all.find(path)
        return found


def is_on(switch: Element | None) -> bool:
    """Say whether a switch is on: one that is there without a value is."""
    return switch is not None and switch.get(VALUE) not in _OFF


def nodes_of(root: Element, *, but: str = "") -> Iterator[tuple[Element, Element | None]]:
    """Yield what lies in a tree, each with its paragraph, in the order of the text.

    Text boxes are paragraphs within others. What lies in tags `but` is passed over.
    """
    left: list[tuple[Element, Element | None]] = [(root, None)]
    while left:
        node, paragraph = left.pop()
        yield node, paragraph
        if node.tag != but:
            inside = node if node.tag == PARAGRAPH else paragraph
            left += ((child, inside) for child in reversed(node))


def say_headings(root: Element, styles: Styles) -> None:
    """Give paragraphs of an outline the style of a heading, which the library knows by its id.

    Not those that read as sentences: contracts have every clause in their outline. Nor those in
    cells: a heading would break their row. A level of the usual style would make all of them one.
    """
    usual = styles.said(styles.of_paragraphs, _OUTLINE)
    for paragraph, _ in nodes_of(root, but=_CELL):
        if paragraph.tag != PARAGRAPH:
            continue
        stated = paragraph.find(_OUTLINE)
        if stated is None:
            stated = styles.said(styles.of_paragraph(paragraph), _OUTLINE)
        level = "" if stated is usual else _value(stated)
        text = "".join(each.text or "" for each in paragraph.iter(f"{W}t")).rstrip()
        if (
            level not in _LEVELS
            or len(text) > _LONGEST_HEADING
            or normalize("NFKC", text).endswith(_ENDS)
        ):
            continue
        put_property(paragraph, "pStyle").set(VALUE, f"Heading{int(level) + 1}")


def put_property(paragraph: Element, name: str) -> Element:
    """Give a paragraph a property that says nothing yet, instead of its own of that name."""
    properties = paragraph.find(f"{W}pPr")
    if properties is None:
        properties = Element(f"{W}pPr")
        paragraph.insert(0, properties)
    for own in properties.findall(f"{W}{name}"):
        properties.remove(own)
    return SubElement(properties, f"{W}{name}")


def _value(node: Element | None) -> str:
    return "" if node is None else node.get(VALUE, "")
