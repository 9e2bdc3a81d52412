"""Bytes of PDFs that no honest program writes, and the list of them."""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.unit.extraction.odd_files import WORDS, one_page, pdf_of, raw_pdf

__all__ = ["WORDS", "Case", "Make", "cases", "document", "flate", "one_page", "pdf_of", "raw_pdf"]

Make = Callable[[], bytes]
CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
PAGES = b"<</Type/Pages/Count 1/Kids[5 0 R]>>"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
SHOWN = b"BT /F 12 Tf 72 700 Td (The pump delivers 12 litres a minute.) Tj ET"


@dataclass(frozen=True, slots=True)
class Case:
    """A file, and how reading it has to end: a code, or how many pages have which outcome.

    `lost` is the one page that may not be read, and why.
    """

    name: str
    outcome: str
    make: Make
    lost: tuple[int, str] | None = None
    suffix: str = ".pdf"


def cases(outcome: str, files: Mapping[str, Make]) -> list[Case]:
    return [Case(name, outcome, make) for name, make in files.items()]


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(content), entries, content)


def document(  # noqa: PLR0913 -- each is one part of a PDF that a case may bend
    *more: bytes,
    catalog: bytes = CATALOG,
    pages: bytes = PAGES,
    content: bytes = SHOWN,
    entries: bytes = b"",
    font: bytes = FONT,
    page: bytes = b"",
    resources: bytes = b"",
    box: bytes = b"0 0 612 792",
) -> bytes:
    """Return a PDF of one page: 1 catalog, 2 pages, 3 content, 4 font, 5 page; `more` from 6 on."""
    leaf = b"<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents 3 0 R" % box
    leaf += b"/Resources<</Font<</F 4 0 R>>%s>>%s>>" % (resources, page)
    return raw_pdf(catalog, pages, stream(content, entries), font, leaf, *more)


def many_pages(contents: list[bytes], *more: bytes, resources: bytes = b"") -> bytes:
    """Return a PDF with one page a content stream; `more` begins at object 4."""
    first = 4 + len(more)
    leaves: list[bytes] = []
    for index, content in enumerate(contents):
        leaf = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R"
        leaf += b"/Resources<</Font<</F 3 0 R>>%s>>>>"
        leaves += [leaf % (first + 2 * index + 1, resources), stream(content)]
    kids = b" ".join(b"%d 0 R" % (first + 2 * index) for index in range(len(contents)))
    pages = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(contents), kids)
    return raw_pdf(CATALOG, pages, FONT, *more, *leaves)


def flate(block: bytes, times: int) -> bytes:
    """Pack `times` times `block` without going through all of it: after a flush it packs alike."""
    packer = zlib.compressobj(9)
    head = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + again * (times - 1) + packer.flush()
