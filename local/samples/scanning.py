"""A page that was written, printed and scanned: letters as dots of a picture, none as text."""

import io
from pathlib import Path
from typing import Any, Final, cast

import pypdfium2
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

_WIDTH, _HEIGHT = 595, 842
_DOTS_PER_INCH: Final = 150
_NOTE: Final = (
    "Halden Instruments, goods received",
    "",
    "Two cylinders of test gas for the HX-400 were delivered on 3 November 2025.",
    "They stand in the cage behind workshop B, and the key hangs at the gate.",
    "Each of them is good for about ninety calibrations.",
)


def write_scan(path: Path) -> Path:
    """Write a scanned delivery note."""
    printed = io.BytesIO()
    canvas = Canvas(printed, pagesize=(_WIDTH, _HEIGHT), invariant=1)
    canvas.setFont("Times-Roman", 12)
    for row, line in enumerate(_NOTE):
        canvas.drawString(72, 760 - 20 * row, line)
    canvas.save()
    page = cast("Any", pypdfium2.PdfDocument(printed.getvalue())[0])
    picture = page.render(scale=_DOTS_PER_INCH / 72, grayscale=True).to_pil()
    scan = Canvas(str(path), pagesize=(_WIDTH, _HEIGHT), invariant=1)
    scan.drawImage(ImageReader(picture), 0, 0, width=_WIDTH, height=_HEIGHT)
    scan.save()
    return path
