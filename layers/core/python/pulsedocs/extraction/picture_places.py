"""Where in the text of a page its pictures stand: behind the line above, or before that below."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pulsedocs.extraction.sheet import CharacterBoxes

if TYPE_CHECKING:
    from pulsedocs.model.highlights import Box

_LINE = re.compile(r"\S[^\r\n]*")


def places_in(text: str, boxes: Sequence["Box"], characters: CharacterBoxes) -> Sequence[int]:
    """Return for each picture, by its box as shown, the offset at which its words belong.

    It is the end of a line, and no line that a sentence goes on behind.
    """
    lines = list(_lines(text, characters))
    return [_place(text, box, lines) for box in boxes]


def _lines(text: str, characters: CharacterBoxes) -> Iterator[tuple[int, int, "Box"]]:
    """Yield start, end and box of each line; that of its first and last letter will do."""
    for line in _LINE.finditer(text):
        end = line.start() + len(line[0].rstrip())
        first, last = characters.box(line.start()), characters.box(end - 1)
        edges = [box for box in (first, last) if box is not None]
        if edges:
            lefts, tops, rights, bottoms = zip(*edges, strict=True)
            yield line.start(), end, (min(lefts), min(tops), max(rights), max(bottoms))


def _place(text: str, picture: "Box", lines: Sequence[tuple[int, int, "Box"]]) -> int:
    left, top, right, bottom = picture
    column = [line for line in lines if line[2][0] < right and left < line[2][2]]
    above = [line for line in column if _middle(line[2]) < top]
    below = [line for line in column if _middle(line[2]) > bottom]
    if above and below and below[0][2][1] - bottom < top - above[-1][2][3]:
        return _end_before(text, below[0][0])
    if above:
        return _end_of_sentence(text, above[-1][1])
    return _end_before(text, below[0][0]) if below else len(text.rstrip())


def _middle(box: "Box") -> float:
    return (box[1] + box[3]) / 2


def _end_before(text: str, start: int) -> int:
    return _end_of_sentence(text, len(text[:start].rstrip()))


def _end_of_sentence(text: str, end: int) -> int:
    """Return the end of the line in which a sentence ends: text flows around pictures."""
    while (following := _LINE.search(text, end)) and following[0][0].islower() and end:
        end = following.start() + len(following[0].rstrip())
    return end
