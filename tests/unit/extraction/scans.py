"""Scans: pages of text that were drawn, photographed and bound into a PDF without a letter."""

import io
import re
from collections.abc import Callable, Sequence
from typing import Any, cast

import pypdfium2
from pypdf import PdfWriter
from pypdf.generic import NameObject, StreamObject
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

_SHEET = (612, 792)


def drawn(draw: Callable[[Canvas], object], size: tuple[float, float] = _SHEET) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1, pagesize=size)
    draw(canvas)
    canvas.showPage()
    canvas.save()
    return target.getvalue()


def prose(lines: Sequence[str]) -> bytes:
    """Return a page with these lines, 20 points apart, the first one 52 points from the top."""

    def write(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 12)
        for row, line in enumerate(lines):
            canvas.drawString(72, 740 - 20 * row, line)

    return drawn(write)


def photographed(
    *pages: bytes,
    turned: int = 0,
    stamp: str = "",
    layer: tuple[str, ...] = (),
    dots_per_inch: int = 150,
) -> bytes:
    """Return the first page of each file as a picture, turned clockwise by so many degrees.

    Lines of a `layer` are there for programs only.
    """
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    for body in pages:
        page = pypdfium2.PdfDocument(body)[0]
        render = cast("Any", page).render
        picture = render(scale=dots_per_inch / 72, grayscale=True, rotation=turned).to_pil()
        width, height = reversed(_SHEET) if turned % 180 else _SHEET
        canvas.setPageSize((width, height))
        canvas.drawImage(ImageReader(picture), 0, 0, width=width, height=height)
        if stamp:
            canvas.drawString(420, 40, stamp)
        text = canvas.beginText(72, 740)
        text.setTextRenderMode(3)
        text.textLines(layer)
        canvas.drawText(text)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def outlined(body: bytes, footer: str) -> bytes:
    """Return the first page of a file as filled paths, as drawing programs write letters."""
    scale = 2
    page = cast("Any", pypdfium2.PdfDocument(body)[0])
    picture = page.render(scale=scale, grayscale=True).to_pil()

    def draw(canvas: Canvas) -> None:
        path = canvas.beginPath()
        for row in range(picture.height):
            dots = picture.crop((0, row, picture.width, row + 1)).tobytes()
            for run in re.finditer(rb"[\x00-\x7f]+", dots):
                left, right = run.start() / scale, run.end() / scale
                path.rect(left, _SHEET[1] - (row + 1) / scale, right - left, 1 / scale)
        canvas.drawPath(path, stroke=0, fill=1)
        canvas.drawString(72, 30, footer)

    return drawn(draw)


def misnamed(body: bytes, first: str) -> bytes:
    """Return a file whose fonts draw what they drew, and say of their letters from " " on others.

    From `first` on, as programs leave it that take the names of a font's letters away.
    """
    writer = PdfWriter(clone_from=io.BytesIO(body))
    names = StreamObject()
    names.set_data(
        b"/CIDInit/ProcSet findresource begin begincmap 1 begincodespacerange<00><FF>"
        b"endcodespacerange 1 beginbfrange<20><7E><%04X>endbfrange endcmap end" % ord(first)
    )
    resources = cast("Any", writer.pages[0])["/Resources"]
    for font in resources["/Font"].values():
        font.get_object()[NameObject("/ToUnicode")] = writer._add_object(  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] -- pypdf has no other
            names
        )
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()
