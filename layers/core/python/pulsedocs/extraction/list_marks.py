"""The marks that a browser sets before the items of an ordered list of HTML."""

import re
from collections.abc import Mapping
from typing import Final

from selectolax.lexbor import LexborNode

from pulsedocs.extraction import counting

_WHOLE: Final = re.compile(r"\s*(-?[0-9]{1,9})\s*")


class Numbering:
    """Counts the items of one list: from `start`, down if `reversed`, and on from a `value`."""

    def __init__(self, node: LexborNode) -> None:
        attributes = node.attributes
        self._step = -1 if "reversed" in attributes else 1
        first = _whole(attributes, "start")
        if first is None:
            first = sum(each.tag == "li" for each in node.iter()) if self._step < 0 else 1
        self._next = first
        self._kind = attributes.get("type") or "1"

    def mark(self, item: LexborNode) -> str:
        stated = _whole(item.attributes, "value")
        number = self._next if stated is None else stated
        self._next = number + self._step
        if self._kind == "none":  # its items say themselves what they are counted by
            return ""
        return f"{_written(number, self._kind)}. "


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
        return str(number)
    return small.upper() if kind.isupper() else small
