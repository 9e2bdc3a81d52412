"""What stands before the items of lists in OpenDocument text: counted, it is in no paragraph."""

from collections.abc import Mapping
from typing import Final
from xml.etree.ElementTree import Element

from pulsedocs.extraction.counting import written

TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
STYLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
LABELLED: Final = "labelled"
"""The attribute of a list whose items then begin with what they are counted by."""
_LIST: Final = f"{TEXT}list"
_PARAGRAPH: Final = f"{TEXT}p"
_WITH_WORDS: Final = frozenset({_PARAGRAPH, f"{TEXT}h"})  # an item that begins with a list has none
_DELETED: Final = f"{TEXT}tracked-changes"
_START: Final = f"{TEXT}start-value"
_KINDS: Final = {
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "1": "decimal",
}
_LONGEST: Final = 20  # characters before a number, or behind it
_MOST_DIGITS: Final = 6

Levels = Mapping[int, Element]
"""How each level of a list is counted, from 1 on; points have none."""


def list_styles(*roots: Element | None) -> dict[str, Levels]:
    """Return the styles of lists by their names; those of later roots count."""
    found: dict[str, Levels] = {}
    for root in roots:
        for style in () if root is None else root.iter(f"{TEXT}list-style"):
            levels = style.findall(f"{TEXT}list-level-style-number")
            found[style.get(f"{STYLE}name", "")] = {
                _number(level.get(f"{TEXT}level")): level for level in levels
            }
    return found


def put_labels(node: Element, styles: Mapping[str, Levels]) -> None:
    """Put before each counted item what is shown there. Raises RecursionError."""
    _Labels(styles).below(node, style="", level=0)


class _Labels:
    def __init__(self, styles: Mapping[str, Levels]) -> None:
        self._styles = styles
        self._counts: dict[str, dict[int, int]] = {}

    def below(self, node: Element, *, style: str, level: int) -> None:
        for child in node:
            if child.tag == _LIST:
                self._label(child, style=child.get(f"{TEXT}style-name") or style, level=level + 1)
            elif child.tag != _DELETED:
                self.below(child, style=style, level=level)

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
