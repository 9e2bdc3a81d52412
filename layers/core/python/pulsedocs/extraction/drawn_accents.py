"""Puts an accent on the letter that it is drawn over: "pi`u" is più.

A font of 128 glyphs has no accented letters, and TeX, whose own fonts have no more, lays an accent
over the letter. pdfium gives both as characters, the accent before the letter; that of a capital,
which stands higher, at the end of the line. Only an accent that lies over a letter is moved, so
that code with "`" or "^" stays as it is.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Final

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.pdfium import Handle

_ABOVE: Final = dict(
    zip(
        "`\u00b4^\u02c6~\u02dc\u00af\u02d8\u02d9\u00a8\u02da\u00b0\u02dd\u02c7",
        "\u0300\u0301\u0302\u0302\u0303\u0303\u0304\u0306\u0307\u0308\u030a\u030a\u030b\u030c",
        strict=True,
    )
)
_BELOW: Final = {"\u00b8": "\u0327", "\u02db": "\u0328"}
_COMBINING: Final = _ABOVE | _BELOW
"""The marks that compose, by the accents that fonts have as characters of their own."""
_ACCENT: Final = re.compile(f"[{re.escape(''.join(_COMBINING))}]")
_LINE: Final = re.compile(r"[^\r\n]*")
_MOST: Final = 500  # accents of a page; each is held against the letters of its line
_DOTLESS: Final = {"\u0131": "i", "\u0237": "j"}


def with_accents_on_letters(
    text: str, text_page: Handle, character_at: Callable[[int], int]
) -> tuple[str, Callable[[int], int]]:
    """Return the text with accented letters, and which character stands at each place in it."""
    accents = [found.start() for found in _ACCENT.finditer(text)]
    if not 0 < len(accents) <= _MOST or pdfium.has_pairs(text):
        return text, character_at
    letters: dict[int, str] = {}
    gone: set[int] = set()
    for accent, letter in _over_letters(text, accents, text_page, character_at):
        accented = _accented(letters.get(letter, text[letter]), text[accent])
        if accented is not None:
            letters[letter] = accented
            is_apart = text[accent - 1 : accent] == " " and text[accent + 1 : accent + 2] in "\r\n"
            gone |= {accent - 1, accent} if is_apart else {accent}
    if not letters:
        return text, character_at
    places = [place for place in range(len(text)) if place not in gone]
    composed = "".join(letters.get(place, text[place]) for place in places)
    return composed, lambda place: character_at(places[place])


def is_drawn_as(letter: str, drawn: str) -> bool:
    """Say whether a letter is another one with an accent on it."""
    return unicodedata.normalize("NFD", letter)[0] == _DOTLESS.get(drawn, drawn)


@cache
def _accented(letter: str, accent: str) -> str | None:
    composed = unicodedata.normalize("NFC", _DOTLESS.get(letter, letter) + _COMBINING[accent])
    return composed if len(composed) == 1 else None


def _over_letters(
    text: str, accents: list[int], text_page: Handle, character_at: Callable[[int], int]
) -> Iterator[tuple[int, int]]:
    """Yield where an accent stands, and where the letter that it is drawn over.

    Letters that take it are measured first, and the others of its line where it is over one of
    these: of a line with "20 \u00b0C" in it only a, u, w and y.
    """

    @cache
    def letters_of(
        start: int, end: int, accent: str
    ) -> list[tuple[int, tuple[float, float, float, float]]]:
        places = [place for place in range(start, end) if text[place].isalpha()]
        if accent:
            places = [place for place in places if _accented(text[place], accent)]
        boxes = pdfium.boxes_of_characters(text_page, [character_at(place) for place in places])
        return list(zip(places, boxes, strict=True))

    for at in accents:
        accent = text[at]
        [own] = pdfium.boxes_of_characters(text_page, [character_at(at)])
        start = text.rfind("\n", 0, at) + 1
        line = _LINE.match(text, at)
        end = line.end() if line else at
        is_over = partial(_is_over, own, is_above=accent in _ABOVE)
        if any(is_over(box) for _, box in letters_of(start, end, accent)):
            yield at, next(place for place, box in letters_of(start, end, "") if is_over(box))


def _is_over(
    accent: tuple[float, float, float, float],
    letter: tuple[float, float, float, float],
    *,
    is_above: bool,
) -> bool:
    left, right, bottom, top = letter
    middle, height = (accent[0] + accent[1]) / 2, (accent[2] + accent[3]) / 2
    farthest = top + (top - bottom) if is_above else bottom - (top - bottom)
    low, high = sorted((farthest, (bottom + top) / 2))
    return left <= middle <= right and low <= height <= high
