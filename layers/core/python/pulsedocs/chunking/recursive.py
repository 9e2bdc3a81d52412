"""Cuts a text at its largest joints that make pieces small enough, and lets them overlap."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from pulsedocs.chunking.cutting import word_start_after

Place = tuple[int, int]
Measure = Callable[[str], int]
"""The size of a text, in whatever its limit is counted in."""

SEPARATORS: Final = ("\n\n", "\n", ". ", " ", "")  # paragraph, line, sentence, word
_WIDEST_UNIT: Final = 8  # characters that one unit of a measure holds at most, on average


def cut_recursively(text: str, within: Place, *, size: int, measure: Measure) -> Iterator[Place]:
    """Yield pieces of at most `size` that together are all of `within`.

    Each is as many neighbours as fit of: paragraphs, else lines, else sentences, else words, else
    stretches of characters.
    """
    group: list[Place] = []
    total = 0
    for atom in _atoms(text, within, SEPARATORS, size=size, measure=measure):
        cost = measure(text[slice(*atom)])
        if group and total + cost > size:
            yield from _joined(text, group, size=size, measure=measure)
            group, total = [], 0
        group.append(atom)
        total += cost
    if group:
        yield from _joined(text, group, size=size, measure=measure)


def with_overlap(
    text: str,
    cores: Iterable[Place],
    *,
    budget_of: Callable[[int], int],
    cap: int,
    measure: Measure,
) -> Iterator[Place]:
    """Let each core but the first begin in the one before it, by the budget for its own size.

    The overlap starts at a word, ends where the core starts, and gives way to the cap.
    """
    earliest: int | None = None
    for start, end in cores:
        core = text[start:end]
        if not core.strip():
            continue
        if earliest is None:
            yield start, end
        else:
            budget = budget_of(measure(core.strip()))
            room = range(max(earliest, start - budget * _WIDEST_UNIT), start)
            yield _reach_back(text, room, end, budget=budget, cap=cap, measure=measure), end
        # Not at the start of the core before, or this chunk would contain that one.
        earliest = start + len(core) - len(core.lstrip()) + 1


def _atoms(
    text: str, within: Place, separators: Sequence[str], *, size: int, measure: Measure
) -> Iterator[Place]:
    start, end = within
    if end - start <= 1 or measure(text[start:end].strip()) <= size:
        yield within
        return
    separator, *smaller = separators
    cuts = [(start + end) // 2]
    if separator:  # which stays with what it ends
        cuts = [match.end() for match in re.compile(re.escape(separator)).finditer(text, *within)]
    for part in pairwise(dict.fromkeys([start, *cuts, end])):
        yield from _atoms(text, part, smaller or separators, size=size, measure=measure)


def _joined(text: str, group: Sequence[Place], *, size: int, measure: Measure) -> Iterator[Place]:
    """Yield a group as one piece, or as it is where a whole is more than the sum of its parts."""
    whole = group[0][0], group[-1][1]
    if measure(text[slice(*whole)].strip()) <= size:
        yield whole
    else:
        yield from group


def _reach_back(
    text: str, room: range, end: int, *, budget: int, cap: int, measure: Measure
) -> int:
    """Return the first place in `room`, at a word if one is near, that keeps budget and cap."""
    start = room.stop
    if not room or budget <= 0:
        return start
    index = bisect_left(room, -budget, key=lambda place: -measure(text[place:start].strip()))
    place = word_start_after(text, room.start + index, latest=start)
    while place < start and measure(text[place:end].strip()) > cap:
        nearer = place + max(1, (start - place) // 4)
        place = word_start_after(text, nearer, latest=start)
    return min(place, start)
