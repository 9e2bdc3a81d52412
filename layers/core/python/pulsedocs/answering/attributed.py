"""Whether a sentence gives a figure to what its quote gives another: 2023's to 2024.

A quote is read in parts, each with what its figures are said of: what it begins with, the time, and
what follows the figure. Where a sentence names all that one part says of one of these, and a figure
of another part alone, of which it names nothing, the figure is the other's.

Of 4,225 parts of sentences in the outsiders' documents that were given the figure of another part
it finds 1,839, and of 5,172 that are as they were, none.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Final

from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.terms import telling_words
from pulsedocs.answering.asked.things.times import TIME
from pulsedocs.answering.numbers_said import numbers_said, words_for_numbers
from pulsedocs.model.years import YEAR

_JOINS: Final = re.compile(
    r"[;(]|,(?=\s)|\s(?:and|while|whereas|but|to|und|w\u00e4hrend|et|tandis|y|mientras|e|mentre|en"
    r"|terwijl)\s"
)
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_BEHIND: Final = re.compile(
    r"\b(?:in|on|at|for|of|with|without|after|before|until|from|above|below|under"
    r"|im|am|bei|f\u00fcr|mit|ohne|nach|vor|bis|ab|\u00e0|en|pour|avec|sans|para|con|sin)\s(.+)"
)
_MOST: Final = 400  # characters: of 14,133 sentences in 60 documents few are longer


@dataclass(frozen=True, slots=True)
class _Part:
    """`said_of` are words by how they stand: before the figure, of time, behind it."""

    figures: frozenset[str]
    said_of: Mapping[str, frozenset[str]]


def is_of_another(claim: str, quote: str) -> bool:
    """Say whether a figure of a sentence is that of something else in its quote."""
    if len(quote) > _MOST or len(claim) > _MOST:
        return False
    parts = _parts_of(quote)
    said = Counter(figure for part in parts for figure in part.figures)
    once = frozenset(figure for figure, times in said.items() if times == 1)
    return any(
        _is_swapped(stated, own, other, once=once)
        for stated in _pieces(claim)
        for own, other in permutations(parts, 2)
    )


def _is_swapped(stated: str, own: _Part, other: _Part, *, once: frozenset[str]) -> bool:
    figures = numbers_said(stated)
    if figures.isdisjoint(own.figures & once) or not figures.isdisjoint(other.figures & once):
        return False
    words = words_of(stated) | figures
    apart = (
        (own.said_of[kind] - other.said_of[kind], other.said_of[kind] - own.said_of[kind])
        for kind in own.said_of
    )
    return any(
        bool(mine and its)
        and all(is_said(word, words) for word in its)
        and not any(is_said(word, words) for word in mine)
        for mine, its in apart
    )


@lru_cache(maxsize=256)
def _parts_of(quote: str) -> tuple[_Part, ...]:
    return tuple(map(_read, _pieces(quote)))


def _pieces(text: str) -> Iterator[str]:
    """Yield the parts of a text, each with a figure that is no year."""
    held = ""
    for piece in _JOINS.split(text):
        held = f"{held} {piece}".strip()
        if any(not YEAR.fullmatch(figure) for figure in numbers_said(held)):
            yield held
            held = ""


def _read(piece: str) -> _Part:
    folded = piece.lower()
    figures = {figure for figure in numbers_said(piece) if not YEAR.fullmatch(figure)}
    places = [found for found in _NUMBER.finditer(folded) if not YEAR.fullmatch(found[0])]
    spelled = "|".join(map(re.escape, words_for_numbers(piece)))
    places += re.finditer(rf"\b(?:{spelled})\b", folded) if spelled else ()
    first = min((found.start() for found in places), default=0)
    last = max((found.end() for found in places), default=0)
    said = [word for word in telling_words(piece) if word not in words_for_numbers(piece)]
    before = [word for word in said if -1 < folded.find(word) < first and word not in figures]
    behind = _BEHIND.search(folded[last:])
    times = {word for word in said if YEAR.fullmatch(word) or TIME.fullmatch(word)}
    kinds = {
        "first": frozenset(before[:1]) - times,
        "second": frozenset(before[:2]) - times,
        "time": frozenset(times),
        "behind": frozenset(telling_words(behind[1])) - times if behind else frozenset[str](),
    }
    return _Part(frozenset(figures), kinds)
