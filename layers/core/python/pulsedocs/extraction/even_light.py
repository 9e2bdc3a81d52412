"""A photograph of a page in even light: without the shadow of a hand, a lamp or a book's fold.

Tesseract parts ink from paper by one shade for the whole page. Of a letter whose corner had a third
of the light it read 58 words of 100, and was sure of them.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL.Image import Image

_GRAIN: Final = 16
"""Dots of the picture to one of its ground: shadows are larger, and a look at it takes 2 ms."""
_LETTERS: Final = 5
"""Of these together the lightest is paper: 80 dots, more than letters of half an inch are high."""
_SOFT: Final = 3
_DARKEST: Final = 64
"""Of 255: paper in a shadow has .3 of the light or more. What is darker is a border or a ground of
its own, whose noise is not to become letters."""
_EVEN: Final = 0.75
"""Of the lightest paper: one shade parts ink from all of it. Of scanners and faxes it has .96."""
_WHITE: Final = 255


def in_even_light(image: "Image") -> "Image":
    """Return a picture in grey with each dot as a share of the paper around it, if that differs."""
    from PIL import Image, ImageFilter, ImageMath  # noqa: PLC0415 -- only with the engine

    size = max(1, image.width // _GRAIN), max(1, image.height // _GRAIN)
    ground = (
        image.resize(size, Image.Resampling.BOX)
        .filter(ImageFilter.MaxFilter(_LETTERS))
        .filter(ImageFilter.GaussianBlur(_SOFT))
        .point([max(shade, _DARKEST) for shade in range(_WHITE + 1)])
    )
    shades = [shade for shade, dots in enumerate(ground.histogram()) if dots]
    if shades[0] >= _EVEN * shades[-1]:
        return image
    return ImageMath.lambda_eval(
        lambda of: of["convert"](of["image"] * _WHITE / of["ground"], "L"),
        image=image,
        ground=ground.resize(image.size, Image.Resampling.BILINEAR),
    )
