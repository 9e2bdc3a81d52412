"""Leaves out the numbers of lines, as bills, pleadings and drafts have them in their margin.

They stand in front of each line, or at one end of the page, every fifth of them alone. Within a
sentence they are wrong words: "the fee is 13 due in May". In doubt they stay.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from pulsedocs.cleaning.characters import tidy
from pulsedocs.cleaning.draft import Edit, PageDraft

_FEWEST_PAGES: Final = 3
_FEWEST: Final = 10  # lines of a page
_FEWEST_ALONE: Final = 3
_STEP_ALONE: Final = 5
_SHARE_WITHIN_SENTENCES: Final = 1 / 3  # of the lines; rows and items begin otherwise
_PROSE: Final = 40  # characters of a line
_GAPS: Final = (1, 2, 3)  # a formula or a raised sign has its line's number to itself
_IN_FRONT: Final = re.compile(r"^(\d{1,5})(?: \| | |$)(.*)", re.MULTILINE)
_ALONE: Final = re.compile(r"(?:\d{1,5}(?:\n|$)){3,}")


def without_line_numbers(drafts: Sequence[PageDraft]) -> list[PageDraft]:
    """Return the pages without the numbers of their lines, where enough pages have them."""
    found = [*_edits([draft.text for draft in drafts])]
    if sum(map(bool, found)) < _FEWEST_PAGES:
        return list(drafts)
    return [
        tidy(draft.edited(edits)) if edits else draft
        for draft, edits in zip(drafts, found, strict=True)
    ]


def _edits(pages: Iterable[str]) -> Iterator[list[Edit]]:
    """Yield those of each page; the numbers of a short page count on from the page before."""
    last = 0
    for text in pages:
        chain = _longest_count(_IN_FRONT.finditer(text))
        goes_on = len(chain) > 1 and last > 0 and int(chain[0][1]) - last in _GAPS
        if goes_on or _are_of_sentences([match[2] for match in chain]):
            last = int(chain[-1][1])
            yield [Edit(match.start(), match.start(2), "") for match in chain]
        else:
            yield [*_alone(text)]


def _longest_count(matches: Iterable[re.Match[str]]) -> list[re.Match[str]]:
    """Return the most lines whose numbers count on, past lines with another number or none."""
    ends: dict[int, list[re.Match[str]]] = {}
    for match in matches:
        number = int(match[1])
        before = next((number - gap for gap in _GAPS if number - gap in ends), None)
        chain = [] if before is None else ends.pop(before)
        chain.append(match)
        ends[number] = chain
    return max(ends.values(), key=len, default=list[re.Match[str]]())


def _are_of_sentences(lines: Sequence[str]) -> bool:
    within = sum(line[:1].islower() for line in lines)
    is_long = len(lines) >= _FEWEST and median(map(len, lines)) >= _PROSE
    return is_long and within >= _SHARE_WITHIN_SENTENCES * len(lines)


def _alone(text: str) -> Iterator[Edit]:
    """Yield the numbers that stand below each other at either end of a page: 5, 10, 15."""
    at_top, at_foot = _ALONE.match(text), _ALONE.match(text[::-1])
    if at_top and _is_scale(at_top[0]):
        yield Edit(0, at_top.end(), "")
    elif at_foot and _is_scale(at_foot[0][::-1]):
        yield Edit(len(text) - at_foot.end(), len(text), "")


def _is_scale(text: str) -> bool:
    numbers = [0, *map(int, text.split())]
    is_even = all(later - number == _STEP_ALONE for number, later in pairwise(numbers))
    return is_even and len(numbers) > _FEWEST_ALONE
