"""Tells raised numbers of a PDF from those before them: "50" and a raised "3" are 50³, not 503.

pdfium gives characters as they follow each other, and often ends the line at a raised one. Both
ends of each number are measured, and where one is smaller, which of its digits is raised. One over
a small number is a fraction: "3 1/2".
"""

import re
from collections.abc import Callable, Iterator
from ctypes import byref, c_double
from math import hypot
from typing import Final, NamedTuple

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.pdfium import Handle
from pulsedocs.extraction.scripts import raised

_NUMBER: Final = re.compile(r"[0-9]{1,12}(?![^\W_])")
_OVER: Final = re.compile(r"\s{0,3}([/\u2044\u2215])\s{0,3}([0-9]{1,3})")
_SIGNS: Final = "-+\u2212"
_LINE_END: Final = re.compile(r"\r?\n(?=[ ]?(\S))")
_SMALLER: Final = 0.76  # of the size of what it stands behind; most are .58 to .7
_HIGHER: Final = 0.15  # of that size; a lowered one stands below
_LEVEL: Final = 0.05
_WIDEST: Final = 1.2  # of that size, from the beginning of the character before


class _Place(NamedTuple):
    """Where a character of level text stands, and its size, in points."""

    x: float
    baseline: float
    size: float


def with_raised_numbers(
    text: str, text_page: Handle, character_at: Callable[[int], int]
) -> tuple[str, Callable[[int], int]]:
    """Return the text with raised numbers as such, and which character stands at each place."""
    parts: list[str] = []
    places: list[int] = []
    done = 0
    for start, end, number, line_end in _raised(text, text_page, character_at):
        parts += (text[done:start], number)
        places += range(done, start)
        places += range(end - len(number), end)
        done = line_end
    if not parts:
        return text, character_at
    places += range(done, len(text))
    return "".join([*parts, text[done:]]), lambda place: character_at(places[place])


def _raised(
    text: str, text_page: Handle, character_at: Callable[[int], int]
) -> Iterator[tuple[int, int, str, int]]:
    """Yield where each raised number begins and ends, what it is, and where its line goes on."""
    if pdfium.has_pairs(text):
        return
    for found in _NUMBER.finditer(text):
        end = found.end()
        base, begin = _behind(text, found.start())
        small = pdfium.size_of_character(text_page, character_at(end - 1))
        if small >= _SMALLER * pdfium.size_of_character(text_page, character_at(base)):
            continue
        first = end - 1
        while first > begin and (
            pdfium.size_of_character(text_page, character_at(first - 1)) == small
        ):
            first -= 1
        if first > begin:
            base = first - 1
        before, own = (_place(text_page, character_at(place)) for place in (base, first))
        is_next = 0 < own.x - before.x < _WIDEST * before.size
        is_above = _HIGHER * before.size < own.baseline - before.baseline < before.size
        if not (is_next and is_above):
            continue
        over = _OVER.match(text, end) if text[base].isdigit() else None
        if over is not None:
            below = _place(text_page, character_at(over.start(2)))
            if below.size < _SMALLER * before.size:
                yield base + 1, end, f" {text[first:end]}", over.start(1)
                yield over.start(1), over.end(1), "/", over.start(2)
                end = over.end()
                goes_on = _line_end(text, end, before, below, text_page, character_at)
                yield over.start(2), end, over[2], goes_on
                continue
        line_end = _line_end(text, end, before, own, text_page, character_at)
        yield base + 1, end, raised(text[first:end]), line_end


def _line_end(
    text: str,
    end: int,
    before: _Place,
    own: _Place,
    text_page: Handle,
    character_at: Callable[[int], int],
) -> int:
    """Return where the line goes on behind a small number: behind its end, if that is no end."""
    goes_on = _LINE_END.match(text, end)
    next_one = _place(text_page, character_at(goes_on.start(1))) if goes_on else own
    is_level = abs(next_one.baseline - before.baseline) < _LEVEL * before.size
    return goes_on.end() if goes_on and is_level and next_one.x > own.x else end


def _behind(text: str, number: int) -> tuple[int, int]:
    """Return the place of the character that a number stands behind, and where the number begins.

    One that stands behind none is itself the base of what may be raised at its end.
    """
    begin = number - 1 if number and text[number - 1] in _SIGNS else number
    base = begin - 1
    while base > 0 and text[base] in "\r\n":
        base -= 1
    return (base, begin) if base >= 0 and text[base].isalnum() else (number, number)


def _place(text_page: Handle, character: int) -> _Place:
    x, baseline, matrix = c_double(), c_double(), pdfium.Matrix()
    pdfium.origin_of_character(text_page, character, byref(x), byref(baseline))
    pdfium.matrix_of_character(text_page, character, byref(matrix))
    size = pdfium.size_of_character(text_page, character) * hypot(matrix.c, matrix.d)
    return _Place(x.value, baseline.value, size)
