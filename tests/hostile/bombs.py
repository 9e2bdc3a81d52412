"""Files that grow when they are read."""

import base64
import zlib
from functools import partial

from tests.hostile.building import (
    CATALOG,
    FONT,
    SHOWN,
    Case,
    Make,
    cases,
    document,
    flate,
    many_pages,
    raw_pdf,
    stream,
)

MEGABYTE = 1 << 20
SPACES = b" " * MEGABYTE
WORD = b"(A) Tj "


def filtered(packed: bytes, filters: bytes, parameters: bytes = b"") -> bytes:
    return document(content=packed, entries=b"/Filter%s%s" % (filters, parameters))


def stacked(times: int) -> Make:
    """Return a page whose content went through Flate so many times."""

    def make() -> bytes:
        packed = SHOWN
        for _ in range(times):
            packed = zlib.compress(packed)
        return filtered(packed, b"[%s]" % (b"/FlateDecode" * times))

    return make


def lzw(codes: int) -> bytes:
    """Return codes that each stand for one byte more than the one before."""
    bits, written, width = "100000000" + "000100000", 1, 9
    for code in range(258, 258 + codes):
        written += 1
        width = 9 + (written + 257 >= 511) + (written + 257 >= 1023) + (written + 257 >= 2047)
        bits += f"{code:0{width}b}"
    bits = bits.ljust(-(-len(bits) // 8) * 8, "0")
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def shown_text(megabytes: int) -> bytes:
    """Return a page that shows text without end."""
    block = b"BT /F 1 Tf 72 700 Td " + WORD * (MEGABYTE // len(WORD)) + b"ET "
    return filtered(flate(block, megabytes), b"/FlateDecode")


def predicted(columns: int, *, kind: bytes = b"/FlateDecode", colours: int = 1) -> Make:
    parameters = b"/DecodeParms<</Predictor 15/Columns %d/Colors %d>>" % (columns, colours)
    return lambda: filtered(zlib.compress(SHOWN), kind, parameters)


def form(content: bytes, resources: bytes) -> bytes:
    entries = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<<%s>>" % resources
    return stream(content, entries)


def fan(levels: int, *, first: int = 6) -> tuple[bytes, ...]:
    """Return forms that each call the next ten times; the last one shows a word."""
    forms: list[bytes] = []
    for level in range(levels):
        below = b"/XObject<</X %d 0 R>>" % (first + level + 1)
        forms.append(form(b"/X Do " * 10, below))
    return (*forms, form(SHOWN, b"/Font<</F %d 0 R>>" % (first - 2)))


def fan_out(levels: int) -> bytes:
    return document(*fan(levels), content=b"/X Do", resources=b"/XObject<</X 6 0 R>>")


def shared_stream(pages: int) -> bytes:
    """Return pages that all show one stream of 50 words."""
    kids = b" ".join(b"%d 0 R" % (5 + index) for index in range(pages))
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 3 0 R"
    page += b"/Resources<</Font<</F 4 0 R>>>>>>"
    content = b"BT /F 2 Tf 72 700 Td " + WORD * 50 + b"ET"
    return raw_pdf(
        CATALOG,
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (pages, kids),
        stream(zlib.compress(content), b"/Filter/FlateDecode"),
        FONT,
        *[page] * pages,
    )


def poisoned(page: int, *, of: int = 10) -> bytes:
    """Return pages of which one calls forms ten thousand million times."""
    words = b"pump valve gauge filter nozzle sensor motor piston gasket bearing".split()
    contents = [SHOWN.replace(b"pump", words[index % 10]) for index in range(of)]
    contents[page - 1] = b"/X Do"
    return many_pages(contents, b"null", *fan(10, first=5), resources=b"/XObject<</X 5 0 R>>")


def object_stream(count: int, *, extends: bytes = b"") -> bytes:
    packed = zlib.compress(b"1 0 " * 10 + SPACES)
    entries = b"/Type/ObjStm/N %d/First 40/Filter/FlateDecode%s" % (count, extends)
    return document(stream(packed, entries))


def table_stream(*, size: int, widths: bytes, index: bytes = b"") -> bytes:
    """Return a file whose cross-reference is a packed stream."""
    body = document()
    place = len(body)
    entries = b"/Type/XRef/Size %d/W[%s]%s/Root 1 0 R/Filter/FlateDecode" % (size, widths, index)
    body += b"99 0 obj\n%s\nendobj\n" % stream(flate(bytes(MEGABYTE), 64), entries)
    return body + b"startxref\n%d\n%%%%EOF\n" % place


BOMBS: list[Case] = [
    *cases(
        "EMPTY:1",
        {
            "runs of spaces": lambda: filtered(b"\x81 " * MEGABYTE + b"\x80", b"/RunLengthDecode"),
            "base 85 of zeros": lambda: filtered(b"z" * 20_000_000 + b"~>", b"/ASCII85Decode"),
            "hexadecimal spaces": lambda: filtered(b"20" * 20_000_000 + b">", b"/ASCIIHexDecode"),
            "spaces by LZW": lambda: filtered(lzw(3_800), b"/LZWDecode"),
            "columns beyond all numbers": predicted(2_000_000_000),
            "columns and colours beyond all numbers": predicted(1 << 30, colours=1 << 30),
            "columns below zero": predicted(-5),
            "LZW columns beyond all numbers": predicted(2_000_000_000, kind=b"/LZWDecode"),
        },
    ),
    *cases("TEXT:1", {f"{times} filters in a row": stacked(times) for times in range(11, 18)}),
    *cases(
        "TEXT:1",
        {
            "unknown filter": lambda: filtered(SHOWN, b"/Unknown"),
            "Brotli": lambda: filtered(SHOWN, b"/BrotliDecode"),
            "two filters": lambda: filtered(
                base64.a85encode(zlib.compress(SHOWN)) + b"~>", b"[/ASCII85Decode/FlateDecode]"
            ),
            "objects packed beyond all numbers": partial(object_stream, 1_000_000_000),
            "objects that extend themselves": partial(object_stream, 5, extends=b"/Extends 6 0 R"),
            "table packed": partial(table_stream, size=2_000_000_000, widths=b"1 8 8"),
            "table with an index beyond all numbers": partial(
                table_stream, size=10, widths=b"1 2 1", index=b"/Index[0 2000000000]"
            ),
            "table with wide fields": partial(table_stream, size=10, widths=b"1 2000000000 9"),
            "forms that call three levels": partial(fan_out, 3),
        },
    ),
    *cases(
        "FAILED:1",
        {
            "1 GB of spaces": lambda: filtered(flate(SPACES, 1_024), b"/FlateDecode"),
            "1 GB of spaces, packed twice": lambda: filtered(
                zlib.compress(flate(SPACES, 1_024)), b"[/FlateDecode/FlateDecode]"
            ),
            "text without end": partial(shown_text, 100),
            "forms that call ten levels": partial(fan_out, 10),
        },
    ),
    *cases("TEXT:1000", {"one stream on 1,000 pages": partial(shared_stream, 1_000)}),
    *[
        Case(
            f"poison on page {page} of 10",
            "TEXT:9 FAILED:1",
            partial(poisoned, page),
            lost=(page, "RESOURCE_EXHAUSTED"),
        )
        for page in (1, 5, 10)
    ],
]
