"""A PDF of a few lines a page, written without a library: `[cli]` brings none."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

_LINE = 80  # characters of 12 points that fit between the margins


def pdf_of(pages: Sequence[str]) -> bytes:
    """Return a file in which each text, of Western European letters, has a page of its own."""
    body, offsets = b"%PDF-1.4\n", list[int]()
    for number, written in enumerate(_objects(pages), start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, written.encode("ascii"))
    places = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(offsets) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{places}trailer << /Size {size} /Root 1 0 R >>\n"
    return body + f"{end}startxref\n{len(body)}\n%%EOF\n".encode("ascii")


def _objects(pages: Sequence[str]) -> Iterator[str]:
    """Yield the catalogue, the list of pages and the font; then a page and its text in turn."""
    first = 4
    kids = " ".join(f"{first + 2 * index} 0 R" for index in range(len(pages)))
    yield "<< /Type /Catalog /Pages 2 0 R >>"
    yield f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"
    yield "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    for index, text in enumerate(pages):
        # In hexadecimal, a string needs no escapes.
        lines = " ".join(f"<{line.encode('cp1252').hex()}> Tj T*" for line in wrap(text, _LINE))
        drawn = f"BT /F 12 Tf 16 TL 72 760 Td {lines} ET"
        yield (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]"
            f" /Resources << /Font << /F 3 0 R >> >> /Contents {first + 2 * index + 1} 0 R >>"
        )
        yield f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream"
