"""Where the pages of a text without pages end.

Answers cite a page: one ends after about 3,000 characters (a printed page) at the end of a
paragraph, a line or a word, in this order.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

PAGE_CHARACTERS = 3_000
_SHORTEST = PAGE_CHARACTERS // 2
_ENDS = (re.compile(r"\n[ \t]*\n\s*"), re.compile(r"\n"), re.compile(r"\s"))


@dataclass(frozen=True, slots=True)
class Stretch:
    """The characters of a text from `start` to before `end`."""

    start: int
    end: int


def sheets(text: str, *, whole: Sequence[Stretch] = ()) -> Iterator[Stretch]:
    """Yield the stretches of text that are pages; none ends within a `whole` one.

    `whole` is in order, and each is shorter than the shortest page.
    """
    start = 0
    while len(text) - start > PAGE_CHARACTERS:
        end = _page_end(text, start, whole)
        yield Stretch(start, end)
        start = end
    if start < len(text):
        yield Stretch(start, len(text))


def _page_end(text: str, start: int, whole: Sequence[Stretch]) -> int:
    """Return where the page from `start` ends: after the last boundary of the best kind."""
    earliest, latest = start + _SHORTEST, start + PAGE_CHARACTERS
    for kind in _ENDS:
        ends = [
            match.end()
            for match in kind.finditer(text, earliest, latest)
            if _holds(whole, match.end()) is None
        ]
        if ends:
            return ends[-1]
    held = _holds(whole, latest)
    return latest if held is None else held.start


def _holds(whole: Sequence[Stretch], place: int) -> Stretch | None:
    """Return the stretch that an end at `place` would cut in two."""
    index = bisect_right(whole, place - 1, key=lambda stretch: stretch.start) - 1
    if index < 0 or whole[index].end <= place:
        return None
    return whole[index]
