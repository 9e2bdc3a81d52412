"""What reading a page costs, by format: CPU of our readers over that of the bare library.

Both read the same bytes in this process, one after the other: the ratio is not the machine's.
Our reader also looks for what is hidden, finds headings and cuts texts into pages; the library only
gives the text. A child process to read in is started for each file, and measured apart.
"""

import io
import os
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from email import message_from_bytes, policy
from functools import partial
from typing import Any, Final, cast

import openpyxl
import pypdfium2
from markdown_it import MarkdownIt
from PIL import Image
from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from selectolax.lexbor import LexborHTMLParser

from local.samples.formats import Made, drawn, made
from pulsedocs.adapters.sandbox import SandboxedExtractor
from pulsedocs.extraction import Budgets
from pulsedocs.extraction.reading import open_file
from pulsedocs.extraction.recognition import Recogniser
from pulsedocs.model.pages import ALWAYS_RECOGNISED

RUNS: Final = 5
_PASTED: Final = "PDF with a picture of words"
_RECOGNISED: Final = frozenset({_PASTED, "scanned PDF", "TIFF", "PNG", "JPEG"})


def run() -> dict[str, Any]:
    """Return milliseconds of CPU a page: ours, the bare library's, and their ratio."""
    os.environ["OMP_THREAD_LIMIT"] = "1"  # noqa: TID251 -- as in the child; the engine reads it
    recogniser = Recogniser(ALWAYS_RECOGNISED)
    largest: dict[str, Made] = {}
    for document in made():
        largest.setdefault(document.kind, document)  # the handbook comes first
    largest[_PASTED] = _with_picture(largest["PDF"])
    formats: dict[str, dict[str, float]] = {}
    for kind, document in largest.items():
        is_recognised = kind in _RECOGNISED
        runs = 1 if is_recognised else RUNS
        pages = _pages(document, recogniser)
        ours = _least_ms(partial(_pages, document, recogniser), runs) / pages
        formats[kind] = {"pages": pages, "ms_a_page": round(ours, 2)}
        if kind in _BARE:  # plain text needs no library
            bare = _least_ms(partial(_BARE[kind], document.body, recogniser), runs) / pages
            formats[kind] |= {"bare_ms_a_page": round(bare, 2), "ratio": round(ours / bare, 2)}
    return {"runs": RUNS, "child_ms": round(_child_ms(), 1), "formats": formats}


def _with_picture(document: Made) -> Made:
    """Return a page of text over a picture: the upper half of a document's first page."""
    [page] = drawn(document.body, [1])
    upper = page.crop((0, 0, page.width, page.height // 2))
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4)
    for line in range(20):  # with a few words only, it would be a scan with a note
        words = f"Line {line} of this page is text; what is below was pasted as a picture."
        canvas.drawString(72, A4[1] - 72 - 16 * line, words)
    canvas.drawImage(ImageReader(upper), 0, 0, A4[0], A4[1] / 2)
    canvas.save()
    return replace(document, kind=_PASTED, body=target.getvalue())


def _least_ms(work: Callable[[], object], runs: int) -> float:
    """Return the minimum over the runs: what the machine adds is never less than nothing."""
    samples: list[float] = []
    for _ in range(runs):
        started = time.process_time()
        work()
        samples.append(time.process_time() - started)
    return min(samples) * 1000


def _pages(document: Made, recogniser: Recogniser) -> int:
    file = open_file(
        document.body,
        content_type=document.content_type,
        budgets=Budgets(),
        recogniser=recogniser if document.kind in _RECOGNISED else None,
    )
    return sum(1 for _ in file.pages())


def _child_ms() -> float:
    """Return the CPU of a child that reads one line."""

    def children() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    samples: list[float] = []
    for _ in range(RUNS):
        started = children()
        list(SandboxedExtractor().pages(b"One line.", content_type="text/plain"))
        samples.append(children() - started)
    return min(samples) * 1000


def _text_of_pdf(body: bytes, _: Recogniser) -> None:
    document = pypdfium2.PdfDocument(body)
    for index in range(len(document)):
        document[index].get_textpage().get_text_range()


def _cells(body: bytes, _: Recogniser) -> None:
    for sheet in openpyxl.load_workbook(io.BytesIO(body)).worksheets:
        for row in sheet.iter_rows(values_only=True):
            tuple(row)


def _mail(body: bytes, _: Recogniser) -> None:
    cast("Any", message_from_bytes(body, policy=policy.default).get_body()).get_content()


def _tesseract(image: Image.Image, recogniser: Recogniser) -> None:
    """Ask for the text and nothing else, with the engine that ours has loaded."""
    engine = cast("Any", recogniser)._api  # noqa: SLF001 -- the bare library, loaded once
    grey = image.convert("L")
    engine.SetImageBytes(grey.tobytes(), grey.width, grey.height, 1, grey.width)
    engine.GetUTF8Text()


def _drawn(body: bytes, recogniser: Recogniser) -> None:
    for image in drawn(body):
        _tesseract(image, recogniser)


def _text_and_pictures(body: bytes, recogniser: Recogniser) -> None:
    _text_of_pdf(body, recogniser)
    document = pypdfium2.PdfDocument(body)
    for index in range(len(document)):
        page = cast("Any", document[index])
        for picture in page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE]):
            _tesseract(picture.get_bitmap().to_pil(), recogniser)


def _decoded(body: bytes, recogniser: Recogniser) -> None:
    with Image.open(io.BytesIO(body)) as image:
        for index in range(getattr(image, "n_frames", 1)):
            image.seek(index)
            _tesseract(image, recogniser)


_BARE: Final[dict[str, Callable[[bytes, Recogniser], object]]] = {
    "PDF": _text_of_pdf,
    "Markdown": lambda body, _: MarkdownIt("gfm-like", {"linkify": False}).parse(body.decode()),
    "HTML": lambda body, _: LexborHTMLParser(body.decode()).text(),
    "e-mail": _mail,
    "Excel": _cells,
    _PASTED: _text_and_pictures,
    "scanned PDF": _drawn,
    "TIFF": _decoded,
    "PNG": _decoded,
    "JPEG": _decoded,
}
