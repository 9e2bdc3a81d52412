"""Where one passage ends and the next begins, in a text without pages."""

import re
import zlib
from collections.abc import Iterator
from typing import Final

MAX_CHARACTERS: Final = 8_000
"""The longest passage that is stored; what fits in it fits into a reply of 200 candidates."""

_NEAR = 24  # characters looked ahead for a word's start; 99.9 % of words on 263 pages have 18
_MARKED = 16  # characters: more than a page number, less than a sentence
_SENTENCE_END = re.compile(r"[.!?][\"')\]]*\s")
_WORD_END = re.compile(r"\s")
_WORD = re.compile(rf"\S{{1,{MAX_CHARACTERS}}}")


def cut_characters(text: str, *, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Cut after at most `size` characters, the next piece starting `overlap` before that end.

    A piece ends in the last quarter of what it may hold, at an end of a sentence or else of a
    word, chosen by the characters before it. So the same text is cut at the same places wherever
    it stands: a page inserted in front changes the pieces around it, not all that follow. The
    start of the next piece moves forward to that of a word, so it overlaps a little less.
    """
    start = 0
    while start < len(text):
        end = min(start + size, len(text))
        if end < len(text):
            earliest = max(start + 1, end - size // 4)
            for kind in (_SENTENCE_END, _WORD_END):
                places = [match.end() for match in kind.finditer(text, earliest, end)]
                if places:  # a number made of nothing but the characters before a place chooses
                    end = min(
                        places,
                        key=lambda place: zlib.crc32(
                            text[max(0, place - _MARKED) : place].encode(errors="replace")
                        ),
                    )
                    break
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


def word_start_after(text: str, start: int, *, latest: int) -> int:
    """Return the nearest start of a word at or after `start`, up to `latest`; else `start`."""
    for place in range(start, min(start + _NEAR, latest) + 1):
        if text[place - 1].isspace() and not text[place : place + 1].isspace():
            return place
    return start
