"""A page as dots, whoever drew it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL.Image import Image

DOTS_PER_INCH: Final = 150
"""Of a page that is drawn for its words: 300 took twice the time and found no more."""
LONGEST_SIDE: Final = 3_200
"""Dots, however large the page: a drawing in colours takes 40 MB at most."""
FEWEST_READ: Final = 1_600
"""Dots on the longest side of a page whose letters are large enough. Screenshots have letters of 7
dots: drawn twice as large, 99 % of their words were found instead of 97, and at 72 dots an inch 96
instead of 78."""
LONGEST_READ: Final = 32_767  # dots: the engine reads no longer side
MOST_READ: Final = 7_240_000
"""Dots of a page that is read: A4 at 270 dots an inch. It bounds the area, because a till's receipt
of a foot and a half is no wider for it: in 3,200 dots of length its figures were lost."""

MOST_DOTS: Final = 3_000_000
"""Of a page for an eye, a byte each in grey: 4 MB in base64, of the 6 MB of Lambda."""

_Pixels = tuple[int, int, int, int]
_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Picture:
    """A page in shades of grey, a byte a dot, turned clockwise by `quarter_turns`.

    `width` and `height` are in dots; a row takes `stride` bytes. `scale` is how many dots make a
    unit of the page: a point of a PDF, a pixel of an image file.
    """

    width: int
    height: int
    stride: int
    dots: bytes
    scale: float
    quarter_turns: int
    dots_per_inch: int

    @property
    def digest(self) -> str:
        from hashlib import sha256  # noqa: PLC0415 -- 4 ms, of drawn pages only

        return sha256(b"%d %d " % (self.width, self.height) + self.dots).hexdigest()

    @property
    def is_blank(self) -> bool:
        return len(set(self.dots)) == 1

    def image(self) -> "Image":
        from PIL import Image  # noqa: PLC0415 -- only where words are recognised

        size = self.width, self.height
        return Image.frombuffer("L", size, self.dots, "raw", "L", self.stride, 1)

    def on_page(self, box: _Pixels) -> _Box:
        """Return where a box of the picture lies on the page, in its units from its top left."""
        left, top, right, bottom = box
        match self.quarter_turns:
            case 1:
                turned = (top, self.width - right, bottom, self.width - left)
            case 2:
                turned = (
                    self.width - right,
                    self.height - bottom,
                    self.width - left,
                    self.height - top,
                )
            case 3:
                turned = (self.height - bottom, left, self.height - top, right)
            case _:
                turned = box
        x0, y0, x1, y1 = (each / self.scale for each in turned)
        return x0, y0, x1, y1
