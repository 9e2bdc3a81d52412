"""What stands before items of lists and headings of OpenDocument: counted, it is in no text."""

from collections.abc import Container, Mapping
from typing import Final
from xml.etree.ElementTree import Element

from pulsedocs.extraction.counting import written
from pulsedocs.extraction.namespaces import STYLE, TEXT

LABELLED: Final = "labelled"
"""The attribute of a list whose items then begin with what they are counted by."""
_LIST: Final = f"{TEXT}list"
_PARAGRAPH: Final = f"{TEXT}p"
_HEADING: Final = f"{TEXT}h"
_WITH_WORDS: Final = frozenset({_PARAGRAPH, _HEADING})  # an item that begins with a list has none
_OUTLINE: Final = f"{TEXT}outline-style"
_DELETED: Final = f"{TEXT}tracked-changes"
_LIST_STYLE: Final = f"{STYLE}list-style-name"
_START: Final = f"{TEXT}start-value"
_KINDS: Final = {
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "1": "decimal",
}
_MOST_PARENTS: Final = 20  # of a style; those of a file may go in a circle
_LONGEST: Final = 20  # characters before a number, or behind it
_MOST_DIGITS: Final = 6

Levels = Mapping[int, Element]
"""How each level of a list is counted, from 1 on; points have none."""


def list_styles(*roots: Element | None) -> dict[str, Levels]:
    """Return the styles of lists by their names; those of later roots count."""
    found: dict[str, Levels] = {}
    for root in roots:
        for style in () if root is None else root.iter(f"{TEXT}list-style"):
            found[style.get(f"{STYLE}name", "")] = _levels(style, "list-level-style-number")
    return found


def outline_of(styles: Element | None) -> Levels:
    """Return how the headings of each level are counted."""
    outline = None if styles is None else styles.find(f".//{_OUTLINE}")
    return {} if outline is None else _levels(outline, "outline-level-style")


def unnumbered_styles(*roots: Element | None) -> frozenset[str]:
    """Return the styles whose headings the outline does not count, as they or their parents say.

    Those of no list, and those of a list of their own.
    """
    outlines = (root.find(f".//{_OUTLINE}") for root in roots if root is not None)
    counted = {None, *(each.get(f"{STYLE}name") for each in outlines if each is not None)}
    lists: dict[str, str | None] = {}
    parents: dict[str, str] = {}
    for root in roots:
        for style in () if root is None else root.iter(f"{STYLE}style"):
            if style.get(f"{STYLE}family") == "paragraph":
                name = style.get(f"{STYLE}name", "")
                lists[name] = style.get(_LIST_STYLE)
                parents[name] = style.get(f"{STYLE}parent-style-name", "")

    def said(name: str) -> str | None:
        for _ in range(_MOST_PARENTS):
            if lists.get(name) is not None:
                break
            name = parents.get(name, "")
        return lists.get(name)

    return frozenset(name for name in lists if said(name) not in counted)


def _levels(style: Element, tag: str) -> Levels:
    return {_number(each.get(f"{TEXT}level")): each for each in style.findall(f"{TEXT}{tag}")}


def put_labels(
    node: Element, styles: Mapping[str, Levels], outline: Levels, unnumbered: Container[str]
) -> None:
    """Put before each counted item and heading what is shown there. Raises RecursionError."""
    _Labels(styles, outline, unnumbered).below(node, style="", level=0)


class _Labels:
    def __init__(
        self, styles: Mapping[str, Levels], outline: Levels, unnumbered: Container[str]
    ) -> None:
        self._styles = styles
        self._outline, self._unnumbered = outline, unnumbered
        self._headings: dict[int, int] = {}
        self._counts: dict[str, dict[int, int]] = {}

    def below(self, node: Element, *, style: str, level: int) -> None:
        for child in node:
            if child.tag == _LIST:
                self._label(child, style=child.get(f"{TEXT}style-name") or style, level=level + 1)
            elif child.tag == _HEADING and not level:
                self._label_heading(child)
            elif child.tag != _DELETED:
                self.below(child, style=style, level=level)

    def _label_heading(self, node: Element) -> None:
        stated = node.get(f"{TEXT}outline-level")
        if stated is None or node.get(f"{TEXT}is-list-header") == "true":
            return
        level = _number(stated)
        if level not in self._outline or node.get(f"{TEXT}style-name", "") in self._unnumbered:
            return
        self._headings = {at: count for at, count in self._headings.items() if at <= level}
        if level not in self._headings or node.get(f"{TEXT}restart-numbering") == "true":
            start = node.get(_START) or self._outline[level].get(_START)
            self._headings[level] = _number(start)
        else:
            self._headings[level] += 1
        if self._outline[level].get(f"{STYLE}num-format"):
            node.text = f"{_shown(self._outline, level, self._headings)} {node.text or ''}"

    def _label(self, node: Element, *, style: str, level: int) -> None:
        levels = self._styles.get(style, {})
        counts = self._counts.setdefault(style, {})
        goes_on = node.get(f"{TEXT}continue-numbering") == "true"
        if not goes_on and node.get(f"{TEXT}continue-list") is None:
            counts.pop(level, None)
        if level in levels:
            node.set(LABELLED, "true")
        for item in node.findall(f"{TEXT}list-item"):
            first = next(iter(item), None)
            if level in levels and first is not None and first.tag in _WITH_WORDS:
                start = item.get(_START)
                if level in counts and start is None:
                    counts[level] += 1
                else:
                    counts[level] = _number(start or levels[level].get(_START))
                first.text = f"{_shown(levels, level, counts)} {first.text or ''}"
                if first.tag == _PARAGRAPH:
                    first.tag = f"{TEXT}span"  # a line of the list, without space around it
            self.below(item, style=style, level=level)


def _shown(levels: Levels, level: int, counts: Mapping[int, int]) -> str:
    first = level - _number(_of(levels, level, f"{TEXT}display-levels", "1")) + 1
    numbers = (
        written(counts.get(at, 1), _KINDS.get(_of(levels, at, f"{STYLE}num-format", ""), "none"))
        for at in range(max(1, first), level + 1)
    )
    before = _of(levels, level, f"{STYLE}num-prefix", "")[:_LONGEST]
    behind = _of(levels, level, f"{STYLE}num-suffix", "")[:_LONGEST]
    return f"{before}{'.'.join(filter(None, numbers))}{behind}".strip()


def _of(levels: Levels, level: int, name: str, otherwise: str) -> str:
    return levels[level].get(name, otherwise) if level in levels else otherwise


def _number(stated: str | None) -> int:
    is_number = stated is not None and stated.isdecimal() and len(stated) <= _MOST_DIGITS
    return int(stated or 0) if is_number else 1
