"""Where the pages of a text without pages end.

Answers cite a page: one ends after about 3,000 characters (a printed page) at the end of a
paragraph, of a line that ends a sentence, of a line, a sentence or a word, in this order. A
sentence that is cut between two pages answers no question in either half.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pulsedocs.model.sentences import CLOSERS, STOPS, WIDE_STOPS, sentence_ends

PAGE_CHARACTERS = 3_000
_SHORTEST = PAGE_CHARACTERS // 2
_PARAGRAPH = re.compile(r"\n(?:[ \t]*\n)+")
_STOPPED_LINE = re.compile(rf"[{STOPS}{WIDE_STOPS}][{CLOSERS}]*[ \t]*\n")
_LINE = re.compile(r"\n")
_WORD = re.compile(r"\s")


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
    for kind in (_PARAGRAPH, _STOPPED_LINE, _LINE, None, _WORD):
        ends = (
            [match.end() for match in kind.finditer(text, earliest, latest)]
            if kind is not None
            else [end for end in sentence_ends(text, earliest, latest) if earliest < end < latest]
        )
        free = [end for end in ends if _around(whole, end) is None]
        if free:
            return free[-1]
    cut_in_two = _around(whole, latest)
    return latest if cut_in_two is None else cut_in_two.start


def _around(whole: Sequence[Stretch], place: int) -> Stretch | None:
    """Return the stretch that an end at `place` would cut in two."""
    index = bisect_right(whole, place - 1, key=lambda stretch: stretch.start) - 1
    if index < 0 or whole[index].end <= place:
        return None
    return whole[index]
