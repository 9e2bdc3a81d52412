"""Takes text that a PDF states of several signs (/ActualText) once, and without gaps between them.

A letter of Thai, Hindi or Arabic with its vowel sign is often drawn in pieces. pdfium says again
what such pieces are where it meets another letter between them, and measures from one of them
alone how far the next letter is: there it makes up spaces and ends of lines.
"""

import re
from collections.abc import Callable, Mapping
from ctypes import byref, c_double, c_float
from math import hypot
from typing import Final, NamedTuple

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.pdfium import Handle

SPACE: Final = 0.17
"""The narrowest space, of the size of its letters: gaps within words were up to .15, those between
words from .2."""
LEVEL: Final = 0.5
"""How far from the line of its letter a sign stands at most, of the same size."""
BESIDE: Final = 1.0
"""How far from each other parts of one line stand at most, of the same size."""
_DRAWN_IN_PIECES: Final = re.compile(r"[\u0590-\u109f\u1780-\u17ff]")


class Piece(NamedTuple):
    """Which text a sign is a piece of, and the sides of all its pieces, in points."""

    of: Handle
    left: float
    right: float


class _Spot(NamedTuple):
    """Where something stands, and its size, in points."""

    left: float
    right: float
    baseline: float
    size: float


def pieces_on(page: Handle, text: str) -> dict[Handle, Piece]:
    """Return what signs of a page are pieces of, by what draws them.

    Nothing for a text of scripts whose letters are seldom drawn in pieces.
    """
    if _DRAWN_IN_PIECES.search(text) is None:
        return {}
    sides: dict[Handle, tuple[float, float]] = {}
    mark_of: dict[Handle, Handle] = {}
    left, bottom, right, top = (c_float() for _ in range(4))
    for number in range(pdfium.count_objects(page)):
        drawn = pdfium.object_at(page, number)
        if pdfium.object_type(drawn) != pdfium.OBJECT_TEXT:
            continue
        for mark_number in range(pdfium.count_marks(drawn)):
            mark = pdfium.mark_at(drawn, mark_number)
            if not pdfium.mark_text(mark, b"ActualText"):
                continue
            pdfium.object_bounds(drawn, *map(byref, (left, bottom, right, top)))
            lowest, highest = sides.get(mark, (left.value, right.value))
            sides[mark] = min(lowest, left.value), max(highest, right.value)
            mark_of[drawn] = mark
    return {drawn: Piece(mark, *sides[mark]) for drawn, mark in mark_of.items()}


def with_stated_once(
    text: str,
    text_page: Handle,
    character_at: Callable[[int], int],
    pieces: Mapping[Handle, Piece],
) -> tuple[str, Callable[[int], int]]:
    """Return the text without what is said again, and which character stands at each place."""
    if not pieces or pdfium.has_pairs(text):
        return text, character_at
    signs: list[str] = []
    places: list[int] = []
    first: dict[Handle, Handle] = {}
    gap, before, is_near_pieces = "", None, False
    for place, sign in enumerate(text):
        index = character_at(place)
        owner = pdfium.object_of_character(text_page, index) or 0
        if not owner and sign.isspace():
            gap += sign
            continue
        piece = pieces.get(owner)
        is_near_pieces |= piece is not None
        if piece and first.setdefault(piece.of, owner) != owner:
            continue
        here = _spot(text_page, index, piece)
        if gap and before and is_near_pieces:
            gap = _true_gap(gap, before, here)
        signs += (*gap, sign)
        places += (*range(place - len(gap), place), place)
        gap, before, is_near_pieces = "", here, piece is not None
    return "".join(signs), lambda place: character_at(places[place])


def _true_gap(gap: str, before: _Spot, here: _Spot) -> str:
    """Return what is between two signs, of which pdfium knows one piece each."""
    apart = max(here.left - before.right, before.left - here.right)
    size = max(before.size, here.size)
    is_one_line = abs(here.baseline - before.baseline) < LEVEL * size
    if is_one_line and apart < SPACE * size:
        return ""
    return " " if is_one_line and apart < BESIDE * size else gap


def _spot(text_page: Handle, index: int, piece: Piece | None) -> _Spot:
    x, baseline, matrix, box = c_double(), c_double(), pdfium.Matrix(), pdfium.Box()
    pdfium.origin_of_character(text_page, index, byref(x), byref(baseline))
    pdfium.matrix_of_character(text_page, index, byref(matrix))
    pdfium.loose_box_of_character(text_page, index, byref(box))
    left, right = (piece.left, piece.right) if piece else (box.left, box.right)
    size = pdfium.size_of_character(text_page, index) * hypot(matrix.c, matrix.d)
    return _Spot(left, right, baseline.value, size)
