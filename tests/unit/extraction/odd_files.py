"""Files that no honest program writes, made by code so that none lies in the repository."""

import io
import random
import zlib
from collections.abc import Callable, Iterator

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

WORDS = "The pump delivers 12 litres a minute."


def pdf_of(
    *texts: str,
    password: str | None = None,
    draw: Callable[[Canvas], None] | None = None,
) -> bytes:
    """Return a PDF with one page a text; `draw` may add to the first."""
    target = io.BytesIO()
    encryption = None if password is None else StandardEncryption(password, "owner", strength=128)
    canvas = Canvas(target, invariant=1, encrypt=encryption)
    for index, text in enumerate(texts):
        for line, words in enumerate(text.splitlines()):
            canvas.drawString(72, 720 - 14 * line, words)
        if draw and index == 0:
            draw(canvas)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def raw_pdf(*objects: bytes) -> bytes:
    """Return a PDF of these objects, numbered from 1; the first is the root."""
    body = b"%PDF-1.7\n"
    places: list[int] = []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return (
        body
        + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Root 1 0 R/Size %d>>\n"
        % (
            size,
            table,
            size,
        )
        + b"startxref\n%d\n%%%%EOF\n" % len(body)
    )


def one_page(
    content: bytes, *, stream_entries: bytes = b"", page_count: int = 1, to_unicode: bytes = b""
) -> bytes:
    """Return a PDF whose pages all show the same content stream, in Helvetica."""
    last = 5 + page_count
    kids = b" ".join(b"%d 0 R" % (5 + index) for index in range(page_count))
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 3 0 R"
    page += b"/Resources<</Font<</F 4 0 R>>>>>>"
    return raw_pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (page_count, kids),
        b"<</Length %d%s>>stream\n%s\nendstream" % (len(content), stream_entries, content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode %d 0 R>>" % last
        if to_unicode
        else b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *[page] * page_count,
        b"<</Length %d>>stream\n%s\nendstream" % (len(to_unicode), to_unicode),
    )


def flate_bomb(megabytes: int = 200) -> bytes:
    """Return a page whose content is spaces, a thousand times larger than the file."""
    packer = zlib.compressobj(9)
    block = b" " * (1 << 20)
    packed = b"".join(packer.compress(block) for _ in range(megabytes)) + packer.flush()
    return one_page(packed, stream_entries=b"/Filter/FlateDecode")


def page_loop() -> bytes:
    return raw_pdf(
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 3/Kids[2 0 R 2 0 R 2 0 R]>>"
    )


def deep_nesting(depth: int = 50_000) -> bytes:
    return raw_pdf(b"<</Type/Catalog/Pages 2 0 R/X " + b"[" * depth + b"]" * depth + b">>")


def unreadable_files() -> Iterator[tuple[str, bytes]]:
    """Yield what has to end as a typed error, or as pages of which none is invented."""
    whole = pdf_of(WORDS, WORDS)
    noise = random.Random(7).randbytes(100_000)
    yield "one byte", b"%"
    yield "header only", b"%PDF-1.7\n"
    for tenth in range(1, 10):
        yield f"truncated at {tenth}0 %", whole[: len(whole) * tenth // 10]
    yield "random bytes", noise
    yield "random bytes behind a header", b"%PDF-1.7\n" + noise
    yield "zip", b"PK\x03\x04" + noise
    yield "zip that is also a PDF", b"PK\x03\x04" + whole
    yield "program", b"MZ" + noise
    yield "html", b"<!doctype html><title>%</title>"
    yield "png", b"\x89PNG\r\n\x1a\n" + noise
    yield "late header", b" " * 2_000 + whole
    yield "page loop", page_loop()
    yield "deep nesting", deep_nesting()
    yield (
        "count lie",
        raw_pdf(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1000000000/Kids[]>>"),
    )
    yield "missing root", b"%PDF-1.7\ntrailer<<>>\n%%EOF"
