"""Boxes of words on one page, joined to one for each line."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from pulsedocs.errors import NoBoxes
from pulsedocs.model.highlights import Box, is_within, text_digest

if TYPE_CHECKING:
    from pulsedocs.extraction.recognition import RecognisedText

_SAME_LINE = 0.5  # of the lower one's height
_MOST_GROWN = 1.5  # times its highest word: from the foot of a "p" to the head of an "l" it is 1.4


def boxes_of_words(
    found: "RecognisedText", wanted: Sequence[tuple[int, int]], page: int, text_sha256: str
) -> tuple[Box, ...]:
    """Return a box for each line that ranges of a text touch; raise NoBoxes where it differs."""
    if text_digest(found.text) != text_sha256 or not is_within(wanted, length=len(found.text)):
        raise NoBoxes("the text recognised now is not the one that was stored", page=page)
    touched = [
        word
        for word in found.words
        if any(word.start < end and start < word.end for start, end in wanted)
    ]
    # By the text: a word at the left lies within the width of the line above it.
    lines = groupby(touched, key=lambda word: found.text.count("\n", 0, word.start))
    return tuple(box for _, line in lines for box in lines_of([word.box for word in line]))


def lines_of(boxes: Sequence[Box | None]) -> Iterator[Box]:
    """Join the boxes of characters or words that stand on one line, level or upright.

    Of a line that slopes each box holds a piece: one box would lie over the words of its
    neighbours.
    """
    line: Box | None = None
    thickest = (0.0, 0.0)
    for box in boxes:
        if box is None:
            continue
        sizes = box[2] - box[0], box[3] - box[1]
        if line is not None:
            thicker = max(thickest[0], sizes[0]), max(thickest[1], sizes[1])
            joined = _around(line, box)
            # Level lines share their height, upright ones their width.
            shared, axis = max((_shared(line, box, axis), axis) for axis in (0, 1))
            is_straight = joined[axis + 2] - joined[axis] <= _MOST_GROWN * thicker[axis]
            if shared >= _SAME_LINE and is_straight:
                line, thickest = joined, thicker
                continue
            yield line
        line, thickest = box, sizes
    if line is not None:
        yield line


def _shared(one: Box, other: Box, axis: int) -> float:
    """Return how much two boxes share of the smaller one's width (0) or height (1)."""
    both = min(one[axis + 2], other[axis + 2]) - max(one[axis], other[axis])
    return both / min(one[axis + 2] - one[axis], other[axis + 2] - other[axis])


def _around(one: Box, other: Box) -> Box:
    low = min(one[0], other[0]), min(one[1], other[1])
    return (*low, max(one[2], other[2]), max(one[3], other[3]))
