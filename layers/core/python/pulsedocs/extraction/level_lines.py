"""A picture of a page turned until its lines are level, and the way back from there.

At four degrees Tesseract exchanged the halves of lines, at seven it read 27 words of 100, and was
sure of them.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import cos, radians, sin, tan
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL.Image import Image

_STEEPEST: Final = 15
"""Degrees that are tried, one by one: a sheet that lies worse is seen to."""
_LEVEL: Final = 1
"""Degrees at which lines are read as well as level ones; turning costs the finest strokes: ß."""
_ROWS: Final = 800
"""Of the copy on which slopes are compared: small letters of a letter are four rows high."""
_COLUMNS: Final = 48
"""A row of one is at most a fiftieth of a line: the slope within it blurs no letter."""
_CLEARER: Final = 2
"""How much more than level rows sloping ones have to part: lines at two degrees or more do it 4 to
24 times, a page on its side, a photograph or noise at most 1.2."""
_LONGEST: Final = 4
"""Times as long as wide: on a longer strip a step of slope is hundreds of rows of the copy."""
_WHITE: Final = 255


@dataclass(frozen=True, slots=True)
class Levelled:
    """A picture that was turned anticlockwise by some degrees, larger by its corners."""

    image: "Image"
    degrees: int
    size: tuple[int, int]
    """Of the picture before."""

    def before(self, box: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
        """Return the box around what a box of this picture holds, on the picture before."""
        if not self.degrees:
            return box
        left, top, right, bottom = box
        turn = radians(self.degrees)
        from_middle = [
            (x - self.image.width / 2, y - self.image.height / 2)
            for x in (left, right)
            for y in (top, bottom)
        ]
        across = [self.size[0] / 2 + x * cos(turn) - y * sin(turn) for x, y in from_middle]
        down = [self.size[1] / 2 + x * sin(turn) + y * cos(turn) for x, y in from_middle]
        return round(min(across)), round(min(down)), round(max(across)), round(max(down))


def levelled(image: "Image") -> Levelled:
    """Return a picture in grey with its lines level; what may be none is not touched."""
    from PIL import Image  # noqa: PLC0415 -- only with the engine

    degrees = _slope(image)
    if not degrees:
        return Levelled(image, 0, image.size)
    turned = image.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=_WHITE)
    return Levelled(turned, degrees, image.size)


def _slope(image: "Image") -> int:
    """Return by how many degrees the lines of a picture fall to the right.

    Along lines, rows of ink and rows of paper follow each other; across them all rows are alike.
    """
    from PIL import Image  # noqa: PLC0415 -- only with the engine

    if max(image.size) > _LONGEST * min(image.size):
        return 0
    copy = image.resize((_COLUMNS, _ROWS), Image.Resampling.BOX)
    squeezed = (_ROWS / image.height) / (_COLUMNS / image.width)

    def contrast(degrees: int) -> int:
        rise = tan(radians(degrees)) * squeezed
        sheared = copy.transform(
            copy.size,
            Image.Transform.AFFINE,
            (1, 0, 0, rise, 1, -rise * _COLUMNS / 2),
            Image.Resampling.BILINEAR,
            fillcolor=_WHITE,
        )
        rows = sheared.resize((1, _ROWS), Image.Resampling.BOX).tobytes()
        return sum((one - other) ** 2 for one, other in pairwise(rows))

    best = max(range(-_STEEPEST, _STEEPEST + 1), key=contrast)
    is_clear = abs(best) > _LEVEL and 0 < _CLEARER * contrast(0) < contrast(best)
    return best if is_clear else 0
