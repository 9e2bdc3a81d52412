"""The project's samples in each format that can be written here, with the words that they say."""

import html
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

import pypdfium2
from openpyxl import Workbook
from PIL.Image import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from local import samples
from local.samples.typesetting import blocks_of

PDF: Final = "application/pdf"
DOTS_PER_POINT: Final = 150 / 72


@dataclass(frozen=True, slots=True)
class Made:
    """A file whose words are known."""

    kind: str
    content_type: str
    body: bytes
    written: str


def made() -> Iterator[Made]:
    """Yield the project's samples, typeset and in other formats."""
    sources = {
        samples.HANDBOOK: "handbook.txt",
        samples.MEMO: "memo.txt",
        samples.QUARTERLY_REPORT: "quarterly_report.txt",
    }
    with TemporaryDirectory(prefix="pulsedocs-extraction-") as folder:
        samples.write_samples(Path(folder))
        pdfs = {name: (Path(folder) / name).read_bytes() for name in sources}
    texts = Path(samples.__file__).parent / "text"
    for name, source in sources.items():
        blocks = [one for one in blocks_of((texts / source).read_text("utf-8")) if _is_text(one)]
        written = "\n\n".join(_plain(block) for block in blocks)
        yield Made("PDF", PDF, pdfs[name], written)
        for kind, content_type, write in _WRITERS:
            yield Made(kind, content_type, write(blocks), written)
    report = pdfs[samples.QUARTERLY_REPORT]
    shown = "\n".join(_own_text(report))
    images = list(drawn(report))
    yield Made("scanned PDF", PDF, _scan(images), shown)
    yield Made("TIFF", "image/tiff", image_bytes(images[0], "TIFF", images[1:]), shown)
    for kind in ("PNG", "JPEG"):
        first = _own_text(report)[0]
        yield Made(kind, f"image/{kind.lower()}", image_bytes(images[0], kind), first)


def _is_text(block: str) -> bool:
    return not block.startswith("!") or block.startswith("!table")


def _rows(block: str) -> list[list[str]]:
    """Return the cells of a table, none of another block."""
    lines = block.splitlines()[1:] if block.startswith("!table") else []
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def _plain(block: str) -> str:
    if rows := _rows(block):
        return "\n".join(" ".join(row) for row in rows)
    return block.lstrip("# ")


def _markdown(blocks: Sequence[str]) -> bytes:
    def table(rows: Sequence[Sequence[str]]) -> str:
        lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    return "\n\n".join(table(_rows(block)) if _rows(block) else block for block in blocks).encode()


def _html(blocks: Sequence[str]) -> bytes:
    def element(block: str) -> str:
        if rows := _rows(block):
            cells = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows)
            return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
        marks = len(block) - len(block.lstrip("#"))
        name = f"h{marks}" if marks else "p"
        return f"<{name}>{html.escape(_plain(block))}</{name}>"

    return f"<!DOCTYPE html><html><body>{''.join(map(element, blocks))}</body></html>".encode()


def _text(blocks: Sequence[str]) -> bytes:
    return "\n\n".join(map(_plain, blocks)).encode()


def _mail(blocks: Sequence[str]) -> bytes:
    message = EmailMessage()
    message.set_content(_text(blocks).decode(), cte="quoted-printable")
    return message.as_bytes()


def _workbook(blocks: Sequence[str]) -> bytes:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    for block in blocks:
        for row in _rows(block) or [[_plain(block)]]:
            sheet.append(row)
    target = io.BytesIO()
    workbook.save(target)
    return target.getvalue()


_OOXML: Final = "application/vnd.openxmlformats-officedocument"
_WRITERS: Final[Sequence[tuple[str, str, Callable[[Sequence[str]], bytes]]]] = (
    ("plain text", "text/plain", _text),
    ("Markdown", "text/markdown", _markdown),
    ("HTML", "text/html", _html),
    ("e-mail", "message/rfc822", _mail),
    ("Excel", f"{_OOXML}.spreadsheetml.sheet", _workbook),
)


def _own_text(body: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(body)
    return [document[index].get_textpage().get_text_range() for index in range(len(document))]


def _scan(images: Sequence[Image]) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    for image in images:
        size = image.width / DOTS_PER_POINT, image.height / DOTS_PER_POINT
        canvas.setPageSize(size)
        canvas.drawImage(ImageReader(image), 0, 0, *size)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def image_bytes(image: Image, kind: str, more: Sequence[Image] = ()) -> bytes:
    target = io.BytesIO()
    options: dict[str, Any] = {"save_all": True, "append_images": more} if more else {}
    image.save(target, kind, **options)
    return target.getvalue()


def drawn(body: bytes, numbers: Iterable[int] | None = None) -> Iterator[Image]:
    """Yield pages of a PDF as pictures; `numbers` count from 1, None is all of them."""
    document = pypdfium2.PdfDocument(body)
    for number in numbers or range(1, len(document) + 1):
        page = cast("Any", document[number - 1])
        yield page.render(scale=DOTS_PER_POINT, grayscale=True).to_pil()
