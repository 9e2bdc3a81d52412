"""Turns words of Arabic and Hebrew that a PDF holds as they are drawn: from left to right.

pdfium turns them itself, but not those of which the file states each letter by itself
(/ActualText), as Chromium's print to PDF does.
"""

import re
from collections.abc import Callable
from ctypes import byref
from typing import Final

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.pdfium import Handle

_WORD: Final = re.compile(r"[\u0590-\u065f\u066d-\u06ef\u06fa-\u08ff]{2,}")
"""Without figures, which are drawn from left to right."""


def with_words_turned(
    text: str, text_page: Handle, character_at: Callable[[int], int]
) -> tuple[str, Callable[[int], int]]:
    """Return the text with its words as they are read, and which character stands at each place."""
    words = [] if text.isascii() else [found.span() for found in _WORD.finditer(text)]
    if not words or max(text) > "\uffff":  # whose places would be others
        return text, character_at
    ends = [place for start, end in words for place in (start, end - 1)]
    boxes = pdfium.boxes_of_characters(text_page, [character_at(place) for place in ends])
    letters, places = list(text), list(range(len(text)))
    for (start, end), first, last in zip(words, boxes[::2], boxes[1::2], strict=True):
        is_left_of_last = (first[0] + first[1]) / 2 < last[0]
        if is_left_of_last and _is_upright(text_page, character_at(start)):
            letters[start:end] = letters[start:end][::-1]
            places[start:end] = places[start:end][::-1]
    return "".join(letters), lambda place: character_at(places[place])


def _is_upright(text_page: Handle, character: int) -> bool:
    """Say whether a line runs to the right of the page, whose sheet may be turned later."""
    matrix = pdfium.Matrix()
    pdfium.matrix_of_character(text_page, character, byref(matrix))
    return matrix.a > 0
