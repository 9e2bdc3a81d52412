"""Where one passage ends and the next begins, in a text without pages."""

import re
from collections.abc import Iterator
from typing import Final

MAX_CHARACTERS: Final = 8_000
"""The longest passage that is stored; what fits in it fits into a reply of 200 candidates."""

_NEAR = 24  # characters looked back for the end of a word; 99.9 % of words on 263 pages have 18
_WORD = re.compile(rf"\S{{1,{MAX_CHARACTERS}}}")


def cut_characters(text: str, *, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Cut every `size` characters, the next piece starting `overlap` before the end of the last.

    A cut inside a word moves back to its start if that is near; the piece only becomes shorter.
    The start of the next piece moves forward likewise, so it overlaps a little less.
    """
    start = 0
    while start < len(text):
        end = min(start + size, len(text))
        if end < len(text):
            end = _word_boundary_before(text, end, earliest=max(start + 1, end - _NEAR))
        yield start, end
        if end == len(text):
            return
        start = word_start_after(text, max(start + 1, end - overlap), latest=end)


def cut_words(text: str, *, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Cut every `size` words, the next piece starting `overlap` words before the end of the last.

    No word is cut, unless it alone exceeds what can be stored; a piece of very long words holds
    fewer of them.
    """
    words = [match.span() for match in _WORD.finditer(text)]
    first = 0
    while first < len(words):
        last = min(first + size, len(words)) - 1
        while words[last][1] - words[first][0] > MAX_CHARACTERS and last > first:
            last -= 1
        yield words[first][0], words[last][1]
        if last == len(words) - 1:
            return
        first = max(first + 1, last + 1 - overlap)


def _word_boundary_before(text: str, end: int, *, earliest: int) -> int:
    """Return the nearest place at or before `end` that is not inside a word, else `end`."""
    for place in range(end, earliest, -1):
        if text[place].isspace() or text[place - 1].isspace():
            return place
    return end


def word_start_after(text: str, start: int, *, latest: int) -> int:
    """Return the nearest start of a word at or after `start`, up to `latest`; else `start`."""
    for place in range(start, min(start + _NEAR, latest) + 1):
        if text[place - 1].isspace() and not text[place : place + 1].isspace():
            return place
    return start
