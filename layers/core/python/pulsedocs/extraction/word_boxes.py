"""Boxes of words on one page, joined to one for each line."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from pulsedocs.errors import NoBoxes
from pulsedocs.model.highlights import Box, is_within, text_digest

if TYPE_CHECKING:
    from pulsedocs.extraction.recognition import RecognisedText

_SAME_LINE = 0.5  # of the lower one's height


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
    """Join the boxes of characters that stand on one line, level or upright."""
    found = [box for box in boxes if box is not None]
    line: Box | None = None
    for box in found:
        if line is not None:
            # Level lines share their height, upright ones their width.
            shared = max(
                (min(line[axis + 2], box[axis + 2]) - max(line[axis], box[axis]))
                / min(line[axis + 2] - line[axis], box[axis + 2] - box[axis])
                for axis in (0, 1)
            )
            if shared < _SAME_LINE:
                yield line
                line = None
        if line is None:
            line = box
        else:
            low = min(line[0], box[0]), min(line[1], box[1])
            line = (*low, max(line[2], box[2]), max(line[3], box[3]))
    if line is not None:
        yield line
