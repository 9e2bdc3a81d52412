"""Puts the charts and diagrams of a Word file behind their paragraphs, as text for the library."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from pulsedocs.extraction.graphics import Graphic
from pulsedocs.extraction.namespaces import MC, W
from pulsedocs.extraction.word_styles import PARAGRAPH, VALUE
from pulsedocs.model.lists import DEEPEST

_POINT: Final = "PulseDocsPoint"
POINTS: Final = "\n".join(
    f"p.{_POINT}{depth} => {'ul > li > ' * depth}ul > li:fresh" for depth in range(DEEPEST)
)
"""The styles of points, as the library maps styles to HTML."""
_NOT_SHOWN: Final = frozenset({f"{W}del", f"{W}moveFrom", f"{MC}Fallback"})


def put_graphics(root: Element, graphics: Sequence[Graphic]) -> None:
    if not graphics:
        return
    around = {child: parent for parent in root.iter() for child in parent}
    for graphic in reversed(graphics):  # those of one paragraph stay in their order
        above = list(_above(graphic.node, around))
        paragraph = next((each for each in above if each.tag == PARAGRAPH), None)
        if paragraph is None or any(each.tag in _NOT_SHOWN for each in above):
            continue
        parent = around[paragraph]
        place = list(parent).index(paragraph) + 1
        parent[place:place] = _written(graphic)


def _above(node: Element, around: dict[Element, Element]) -> Iterator[Element]:
    while node in around:
        node = around[node]
        yield node


def _written(graphic: Graphic) -> Iterator[Element]:
    if graphic.title:
        yield _paragraph(graphic.title)
    for rows in graphic.tables:
        yield _table(rows)
        yield _paragraph("")  # or the next one would be of this table
    for depth, words in graphic.points:
        yield _paragraph(words, style=f"{_POINT}{min(depth, DEEPEST - 1)}")


def _table(rows: Iterable[Iterable[str]]) -> Element:
    table = Element(f"{W}tbl")
    for row in rows:
        line = SubElement(table, f"{W}tr")
        for cell in row:
            SubElement(line, f"{W}tc").append(_paragraph(cell))
    return table


def _paragraph(words: str, *, style: str = "") -> Element:
    paragraph = Element(PARAGRAPH)
    if style:
        SubElement(SubElement(paragraph, f"{W}pPr"), f"{W}pStyle", {VALUE: style})
    SubElement(SubElement(paragraph, f"{W}r"), f"{W}t").text = words
    return paragraph
