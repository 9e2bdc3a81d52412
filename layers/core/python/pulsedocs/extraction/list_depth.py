"""Indents the items of a page's lists by how far to the right of others they stand.

pdfium gives lines without the space before them. Only the first letter of a line is measured, and
only on pages of which two lines or more begin as items do.
"""

import re
from collections.abc import Callable, Iterator
from ctypes import byref, c_double
from typing import Final

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.pdfium import Handle
from pulsedocs.model.lists import DEEPEST, INDENT
from pulsedocs.model.pages import Stretches
from pulsedocs.model.tables import has_cells

MARK: Final = (
    r"(?:[-*o\u00a7\u00b7\u2022\u2023\u2043\u2013\u25a0-\u25ff\u2713\u2714\u27a2\u2756\uf000-\uf0ff]"
    r"|\d{1,2}[.)]|\(?[a-z]\)|\(?[ivx]{1,5}\))"
)
_ITEM: Final = re.compile(rf"^{MARK}[ \r\n]", re.MULTILINE)
_INDENTED: Final = re.compile(rf"^(?:{INDENT})++(?={_ITEM.pattern[1:]})", re.MULTILINE)
_LINE: Final = re.compile(r"^\S", re.MULTILINE)
_STEP: Final = 6.0  # points that an item stands to the right of the one around it, at least
_WIDEST: Final = 60.0  # points; what stands further right is in another column
_SAME: Final = 3.0  # points
_FARTHEST: Final = 150.0  # points from an item down to the next of its list


def depths_of(text: str, text_page: Handle, character_at: Callable[[int], int]) -> dict[int, int]:
    """Return how many items each item lies in, by its place in the text, but for those in none."""
    items = {
        found.start()
        for found in _ITEM.finditer(text)
        if not has_cells(text[found.start() : text.find("\n", found.end())])
    }
    if len(items) < len("ab") or pdfium.has_pairs(text):
        return {}
    return {
        place: min(depth, DEEPEST)
        for place, depth in _depths(text, items, text_page, character_at)
        if depth
    }


def indents_of(text: str) -> Stretches:
    """Return where items of a text are indented."""
    return tuple(found.span() for found in _INDENTED.finditer(text)) if INDENT in text else ()


def with_indents(
    text: str, character_at: Callable[[int], int], depths: dict[int, int]
) -> tuple[str, Callable[[int], int]]:
    """Return the text with its items indented, and which character stands at each place in it."""
    parts: list[str] = []
    places: list[int] = []
    done = 0
    for place, depth in sorted(depths.items()):
        parts += (text[done:place], INDENT * depth)
        places += range(done, place)
        places += [place] * len(parts[-1])
        done = place
    places += range(done, len(text))
    return "".join([*parts, text[done:]]), lambda place: character_at(places[place])


def _depths(
    text: str, items: set[int], text_page: Handle, character_at: Callable[[int], int]
) -> Iterator[tuple[int, int]]:
    """Yield places of items and their depths; a line that begins left of a list ends it."""
    left, foot = c_double(), c_double()
    around: list[float] = []
    last = 0.0
    for found in _LINE.finditer(text, min(items)):
        place = found.start()
        if not around and place not in items:
            continue
        index = character_at(place)
        if pdfium.code_of_character(text_page, index) != ord(text[place]) or not (
            pdfium.box_of_character(
                text_page, index, byref(left), byref(c_double()), byref(foot), byref(c_double())
            )
        ):
            around = []
            continue
        is_next = around and -_SAME < last - foot.value < _FARTHEST
        if not is_next or left.value < around[0] - _SAME or left.value > around[-1] + _WIDEST:
            around = []
        if place in items:
            last = foot.value
            while around and left.value < around[-1] + _STEP:
                around.pop()
            around.append(left.value)
            yield place, len(around) - 1
