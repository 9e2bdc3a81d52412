"""Items of lists in a text: one that lies in another is indented more than that."""

import re
from typing import Final

INDENT: Final = "  "
"""Before an item, for each list around its own."""
DEEPEST: Final = 8
"""Lists within each other; items of deeper ones are indented no further."""

_REACH: Final = 4_000  # characters up the text in which the items around one are looked for
_LONGEST: Final = 300  # characters that these may have together; the nearest are kept
_ITEM: Final = re.compile(
    r"^( *)(?![ \n])(?:[^\w\s(\[{<>=\"'$#/\\@|]|\w{1,4}[.)]|\(\w{1,4}\)) ", re.MULTILINE
)


def items_around(text: str, place: int) -> tuple[tuple[int, int], ...]:
    r"""Return where the items stand that the item at a place lies in, the outermost first.

    >>> text = "- Travel\n  - Train\n  - Plane\n    1. Seats"
    >>> [text[slice(*item)] for item in items_around(text, text.index("Seats"))]
    ['- Travel', '  - Plane']
    """
    line = text.rfind("\n", max(0, place - _REACH), place) + 1
    own = _ITEM.match(text, line)
    depth = len(own[1]) if own else 0
    if not depth:
        return ()
    above = list(_ITEM.finditer(text, max(0, line - _REACH), line))
    found: list[tuple[int, int]] = []
    length = 0
    while above and depth:
        item = above.pop()
        if len(item[1]) < depth:
            depth = len(item[1])
            end = text.find("\n", item.start(), line)
            length += end - item.start()
            if length > _LONGEST:
                break
            found.append((item.start(), end))
    return tuple(reversed(found))
