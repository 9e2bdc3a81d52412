"""Image files that lie about their size, swell, end early, or turn in circles."""

import io
import struct
import zlib
from typing import Any

from PIL import Image

from tests.hostile.building import Case, cases
from tests.hostile.offices import named

_FAILED = "FAILED:1"
_TOO_LARGE = "PICTURE_TOO_LARGE"
_MARK = b"\x89PNG\r\n\x1a\n"
_GREY, _COLOURS = 0, 2


def _part(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _png(width: int, height: int, data: bytes, *more: bytes, kind: int = _GREY) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return b"".join(
        [_MARK, _part(b"IHDR", header), *more, _part(b"IDAT", data), _part(b"IEND", b"")]
    )


def _white(width: int, height: int, *, dots: int = 1) -> bytes:
    packer = zlib.compressobj(9)
    row = b"\0" + b"\xff" * width * dots
    return b"".join([*(packer.compress(row) for _ in range(height)), packer.flush()])


def _saved(kind: str, size: tuple[int, int] = (600, 400), **options: Any) -> bytes:
    target = io.BytesIO()
    Image.effect_noise(size, 90).convert("RGB").save(target, kind, **options)
    return target.getvalue()


def _tiff(*fields: tuple[int, int, int, int], after: int = 0) -> bytes:
    """Return a little-endian TIFF with one directory of (tag, type, count, value)."""
    rows = b"".join(struct.pack("<HHII", *field) for field in fields)
    return b"II*\0" + struct.pack("<IH", 8, len(fields)) + rows + struct.pack("<I", after)


def _strip(width: int, height: int, **other: int) -> bytes:
    """Return a TIFF of one strip of bytes that are not there."""
    sizes = {256: width, 257: height, 258: 8, 259: 1, 262: 1, 273: 8, 277: 1, 278: height, 279: 9}
    sizes |= {int(tag[1:]): value for tag, value in other.items()}
    return _tiff(*((tag, 4, 1, value) for tag, value in sorted(sizes.items())))


def _lying_jpeg() -> bytes:
    """Say 65,000 x 65,000 in the header of a small picture."""
    body = _saved("JPEG")
    at = body.index(b"\xff\xc0") + 5
    return body[:at] + struct.pack(">HH", 65_000, 65_000) + body[at + 4 :]


IMAGES: list[Case] = [
    *named(
        ".png",
        [
            *cases(
                _TOO_LARGE,
                {
                    "400 million dots in 400 kB": lambda: _png(
                        20_000, 20_000, _white(20_000, 20_000)
                    ),
                    "four billion dots": lambda: _png(65_000, 65_000, _white(10, 10)),
                    "white in colours, 169 million dots": lambda: _png(
                        13_000, 13_000, _white(13_000, 13_000, dots=3), kind=_COLOURS
                    ),
                },
            ),
            *cases(
                "FAILED:1",
                {
                    "no width": lambda: _png(0, 10, _white(10, 10)),
                    "cut in two": lambda: _saved("PNG")[:100_000],
                    "no data": lambda: _png(10, 10, b""),
                    "no bytes of zlib": lambda: _png(10, 10, b"\0" * 1_000),
                    "nothing but its mark": lambda: _MARK,
                    "a million parts": lambda: _MARK + _part(b"tEXt", b"a\0b") * 1_000_000,
                    "a colour type of its own": lambda: _png(10, 10, _white(10, 10), kind=7),
                },
            ),
            *cases(
                "EMPTY:1",
                {
                    "one dot": lambda: _png(1, 1, _white(1, 1)),
                    "a line": lambda: _png(20_000, 1, _white(20_000, 1)),
                    "a program behind it": lambda: _png(9, 9, _white(9, 9)) + b"MZ" * 9_000,
                },
            ),
            *cases(
                "FAILED:1",
                {
                    "more rows than there are": lambda: _png(3_000, 3_000, _white(3_000, 3)),
                    "text that swells": lambda: _png(
                        10,
                        10,
                        _white(10, 10),
                        *[_part(b"zTXt", b"a\0\0" + zlib.compress(bytes(1_000_000)))] * 100,
                    ),
                },
            ),
            *cases("CONTENT_TYPE_MISMATCH", {"a JPEG": lambda: _saved("JPEG")}),
        ],
    ),
    *named(
        ".jpg",
        [
            *cases(_TOO_LARGE, {"a size it has not": _lying_jpeg}),
            *cases(
                _FAILED,
                {
                    "cut in two": lambda: _saved("JPEG")[:40_000],
                    "its mark alone": lambda: b"\xff\xd8\xff",
                    "marks without end": lambda: b"\xff\xd8" + b"\xff\xe1\0\x02" * 500_000,
                    "no tables": lambda: _saved("JPEG").replace(b"\xff\xdb", b"\xff\xee"),
                },
            ),
            *cases("CONTENT_TYPE_MISMATCH", {"a web page": lambda: b"<html><p>words</p></html>"}),
        ],
    ),
    *named(
        ".tif",
        [
            *cases(_TOO_LARGE, {"four billion dots": lambda: _strip(65_000, 65_000)}),
            *cases(
                _FAILED,
                {
                    "no fields": _tiff,
                    "a strip that is not there": lambda: _strip(1_000, 1_000),
                    "a packing nobody knows": lambda: _strip(10, 10, t259=12_345),
                    "sixty thousand colours a dot": lambda: _strip(10, 10, t277=60_000),
                    "a field of four billion": lambda: _tiff((256, 4, 0xFFFFFFFF, 8)),
                    "a page that follows itself": lambda: _tiff((256, 4, 1, 1), after=8),
                },
            ),
            *cases("FILE_UNREADABLE", {"no directory": lambda: b"II*\0\0\0\0\0"}),
            *cases("FILE_UNREADABLE", {"a directory beyond its end": lambda: b"MM\0*\x7f\0\0\0"}),
            *cases(
                "TOO_MANY_PAGES",
                {
                    "6,000 pages": lambda: (
                        b"II*\0\x08\0\0\0"
                        + b"".join(
                            struct.pack("<HI", 0, 14 + 6 * number) for number in range(6_000)
                        )
                    )
                },
            ),
        ],
    ),
]
"""What a limit or a typed refusal ends."""
