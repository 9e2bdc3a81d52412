"""The segments whose neighbours are compared: sentences, by a rule that needs no model.

A wrong boundary here costs one distance, never a citation: quotes are aligned by the stricter rule
of `pulsedocs.answering`.
"""

import re
from collections.abc import Iterator
from typing import Final

from pulsedocs.chunking.cutting import cut_characters

Place = tuple[int, int]

_LONGEST: Final = 1_000  # characters of a "sentence"; a table without stops would have no end
_SHORTEST: Final = 20  # "Fig. 3" or "2." means nothing by itself; it goes with what follows
_LOOK_BACK: Final = 16  # the longest abbreviation below, with its stops
# Written as escapes since most of these look like others: ellipsis, closing quotes, wide stops.
_STOPS: Final = ".!?\u2026"
_CLOSERS: Final = "\"'\u201d\u2019\u00bb)\\]"
_WIDE: Final = "\u3002\uff01\uff1f"
_WIDE_CLOSERS: Final = "\u201d\u300d\u300f\uff09"
# Possessive, and only from the first stop of a run: 200 KB of dots take as long as 200 KB of words.
_END = re.compile(
    rf"(?<![{_STOPS}])[{_STOPS}]++[{_CLOSERS}]*+(?=\s)"
    rf"|[{_WIDE}]++[{_WIDE_CLOSERS}]*+"
    r"|\n[ \t]*+\n"
)
_ABBREVIATIONS: Final = frozenset(
    (
        *("mr", "mrs", "ms", "dr", "prof", "st", "vs", "e.g", "i.e", "cf", "al", "approx", "no"),
        *("fig", "eq", "sec", "ch", "pp", "p", "vol", "ed", "bzw", "z.b", "d.h", "u.a", "nr", "ca"),
    )
)
_LAST_WORD = re.compile(r"[\w.]+\Z")


def split_sentences(text: str) -> list[Place]:
    """Return start and end of each sentence; together they are the whole text, in order."""
    places: list[Place] = []
    start, size = 0, 0
    for begin, end in _stretches(text):
        size += len(text[begin:end].strip())
        if size >= _SHORTEST:
            places.append((start, end))
            start, size = end, 0
    if start < len(text):
        start = places.pop()[0] if places else 0
        places.append((start, len(text)))
    return places


def _stretches(text: str) -> Iterator[Place]:
    """Yield sentences, short or not, those without an end cut to the longest size."""
    start = 0
    for end in (*_ends(text), len(text)):
        for begin, stop in cut_characters(text[start:end], size=_LONGEST, overlap=0):
            yield start + begin, start + stop
        start = end


def _ends(text: str) -> Iterator[int]:
    return (end.end() for end in _END.finditer(text) if _ends_sentence(text, end))


def _ends_sentence(text: str, end: re.Match[str]) -> bool:
    if not end.group().startswith("."):
        return True
    follows = text[end.end() : end.end() + 3].lstrip()[:1]
    if follows.islower():
        return False
    word = _LAST_WORD.search(text, max(0, end.start() - _LOOK_BACK), end.start())
    last = "" if word is None else word.group().lower()
    return last not in _ABBREVIATIONS and not (len(last) == 1 and last.isalpha())
