"""PDF files made for a test, line by line."""

import io
from collections.abc import Callable, Sequence
from typing import Any

from reportlab.pdfgen.canvas import Canvas


def drawn(draw: Callable[[Canvas], None], **options: Any) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1, pagesize=(612, 792), **options)
    draw(canvas)
    canvas.save()
    return target.getvalue()


def pages_of_lines(pages: Sequence[Sequence[str]]) -> bytes:
    def draw(canvas: Canvas) -> None:
        for lines in pages:
            for index, line in enumerate(lines):
                canvas.drawString(72, 740 - 15 * index, line)
            canvas.showPage()

    return drawn(draw)
