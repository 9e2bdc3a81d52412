"""The marks that a browser sets before the items of an ordered list of HTML."""

import re
from collections.abc import Mapping
from typing import Final

from selectolax.lexbor import LexborNode

from pulsedocs.extraction import counting
from pulsedocs.extraction.hiding_styles import Declarations

_KINDS: Final = {
    "decimal": "1",
    "decimal-leading-zero": "01",
    "lower-alpha": "a",
    "lower-latin": "a",
    "lower-roman": "i",
    "none": "none",
    "upper-alpha": "A",
    "upper-latin": "A",
    "upper-roman": "I",
}
"""The attribute `type` that says what a style does."""
_WHOLE: Final = re.compile(r"\s*(-?[0-9]{1,9})\s*")


class Numbering:
    """Counts the items of one list: from `start`, down if `reversed`, and on from a `value`."""

    def __init__(self, node: LexborNode, declared: Declarations) -> None:
        attributes = node.attributes
        self._step = -1 if "reversed" in attributes else 1
        first = _whole(attributes, "start")
        if first is None:
            first = sum(each.tag == "li" for each in node.iter()) if self._step < 0 else 1
        self._next = first
        self._kind = _kind(declared) or attributes.get("type") or "1"
        self._is_counted = "counter-reset" in declared

    def mark(self, item: LexborNode, declared: Declarations) -> str:
        stated = _whole(item.attributes, "value")
        number = self._next if stated is None else stated
        self._next = number + self._step
        kind = _kind(declared) or self._kind
        # Without a mark the items say themselves what they are counted by, or a counter does.
        if kind == "none" and not self._is_counted and "counter-increment" not in declared:
            return ""
        return f"{_written(number, kind)}. "


def _kind(declared: Declarations) -> str | None:
    stated = declared.get("list-style-type", "")
    return next((_KINDS[word] for word in stated.split() if word in _KINDS), None)


def _whole(attributes: Mapping[str, str | None], name: str) -> int | None:
    found = _WHOLE.fullmatch(attributes.get(name) or "")
    return int(found[1]) if found else None


def _written(number: int, kind: str) -> str:
    small = ""
    if kind in {"a", "A"} and number > 0:
        while number:
            number, letter = divmod(number - 1, 26)
            small = chr(ord("a") + letter) + small
    elif kind in {"i", "I"}:
        small = counting.written(number, "lowerRoman")
    else:
        return f"{number:02}" if kind == "01" else str(number)
    return small.upper() if kind.isupper() else small
