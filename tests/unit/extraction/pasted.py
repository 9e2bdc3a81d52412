"""Reports with a picture pasted into them: text beside a scan or a photograph."""

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import pypdfium2
from PIL import Image, ImageDraw, ImageFilter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.unit.extraction.scans import drawn

ABOVE: Final = (
    "The fares of the ferry are set each spring by the council of the island.",
    "They hold for all crossings of the season, also for those by night.",
)
BELOW: Final = (
    "Children below the age of six travel free when somebody pays for them.",
    "Fares that were paid are given back where a crossing is cancelled.",
)
SCANNED: Final = (
    "A ticket for a bicycle costs four pounds.",
    "A ticket for a motor car costs nineteen pounds.",
    "Dogs travel on the upper deck and pay one pound.",
)
PLACE: Final = (72.0, 360.0, 468.0, 180.0)
"""Left, bottom, width and height of the picture, below the first text and above the second."""


def picture_of(lines: Sequence[str], *, size: int = 14) -> Image.Image:
    """Return a scan of lines, as wide and high as `PLACE`, at 200 dots an inch."""

    def write(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", size)
        for row, line in enumerate(lines):
            canvas.drawString(24, PLACE[3] - 40 - 2 * size * row, line)

    page = pypdfium2.PdfDocument(drawn(write, size=PLACE[2:]))[0]
    return cast("Any", page).render(scale=200 / 72, grayscale=True).to_pil()


def report(
    picture: Image.Image | None,
    more: Callable[[Canvas], object] = lambda _: None,
    place: tuple[float, float, float, float] = PLACE,
) -> bytes:
    """Return a page of text with a picture in it, and what `more` draws over it."""

    def write(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 12)
        for bottom, lines in ((700, ABOVE), (300, BELOW)):
            for row, line in enumerate(lines):
                canvas.drawString(72, bottom - 20 * row, line)
        if picture is not None:
            canvas.drawImage(ImageReader(picture), *place)
        more(canvas)

    return drawn(write)


def foliage() -> Image.Image:
    """Return a picture of leaves and twigs on noise: dark strokes of all sizes, and no letter."""
    photo = Image.effect_noise((900, 400), 60).convert("L")
    pen = ImageDraw.Draw(photo)
    for number in range(700):
        x, y = (number * 389) % 900, (number * 211) % 400
        if number % 2:
            pen.ellipse((x, y, x + 8 + number % 47, y + 5 + number % 23), fill=(number * 53) % 230)
        else:
            slant = (number * 37) % 90 - 45
            pen.line((x, y, x + slant, y + 40 - abs(slant)), fill=number % 90, width=1 + number % 6)
    return photo.filter(ImageFilter.GaussianBlur(1))
