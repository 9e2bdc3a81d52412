"""Puts the marks of a page's lists before their items, where a file draws them elsewhere.

Some programs draw the marks of all lists behind the last paragraph of the page. Only pages with
lines that hold nothing but a mark are measured, by the first letters of their lines.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.list_depth import MARK
from pulsedocs.extraction.pdfium import Handle

_LONE: Final = re.compile(rf"^({MARK})[ ]*(?:\r?\n|\Z)", re.MULTILINE)
_LINE: Final = re.compile(r"^\S", re.MULTILINE)
_MOST_MARKS: Final = 100  # each is held against all lines of the page
_FARTHEST: Final = 60.0  # points to the item; what stands further right is in another column
_LEVEL: Final = 3.0  # points


def with_marks_in_place(
    text: str, text_page: Handle, character_at: Callable[[int], int]
) -> tuple[str, Callable[[int], int]]:
    """Return the text with each mark at its item, and which character stands at each place."""
    lone = list(_LONE.finditer(text))
    signs = [mark for mark in lone if mark[1][-1] not in ".)"]
    if len(signs) == 1:  # a picture of a sign font, in a margin
        lone.remove(signs[0])
    if not 0 < len(lone) <= _MOST_MARKS or pdfium.has_pairs(text):
        return text, character_at
    moved = dict(_items(text, lone, text_page, character_at))
    gone = ((mark.start(), mark.end(), None) for mark in moved.values())
    edits = [*gone, *((item, item, mark) for item, mark in moved.items())]
    parts: list[str] = []
    places: list[int] = []
    done = 0
    for start, end, mark in sorted(edits, key=lambda edit: edit[:2]):
        parts.append(text[done:start])
        places += range(done, start)
        if mark is not None:
            parts.append(f"{mark[1]} ")
            places += range(mark.start(), mark.end(1))
            places.append(mark.end(1) - 1)
        done = end
    places += range(done, len(text))
    return "".join([*parts, text[done:]]), lambda place: character_at(places[place])


def _items(
    text: str, lone: list[re.Match[str]], text_page: Handle, character_at: Callable[[int], int]
) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield where lines begin right of a mark at its height, unless they follow it."""
    starts = [line.start() for line in _LINE.finditer(text)]
    boxes = pdfium.boxes_of_characters(text_page, [character_at(start) for start in starts])
    box_at = dict(zip(starts, boxes, strict=True))
    for mark in lone:
        left, _, bottom, top = box_at[mark.start()]
        middle = (bottom + top) / 2
        beside = [
            (x - left, start)
            for start, (x, _, foot, head) in box_at.items()
            if 0 < x - left < _FARTHEST and foot - _LEVEL <= middle <= head + _LEVEL
        ]
        item = min(beside, default=(0.0, mark.end()))[1]
        if item != mark.end():
            yield item, mark
