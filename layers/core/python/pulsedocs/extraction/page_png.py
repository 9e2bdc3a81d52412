"""A page as its reader sees it, in colour, as a PNG that fits into an answer."""

import base64
import struct
import zlib
from ctypes import string_at
from typing import Final

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.pdfium import Handle
from pulsedocs.extraction.picture import MOST_DOTS, Picture
from pulsedocs.model.highlights import MOST_PICTURE_BYTES

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_WHITE: Final = 0xFFFFFFFF  # ARGB
_BYTES: Final = 4  # a dot of pdfium's
_GREY, _COLOUR = 0, 2  # of a PNG


def drawn(page: Handle, dots_across: int, piece: tuple[float, float] = (0.0, 1.0)) -> str:
    """Return a PNG in base64; in grey where a photograph would take too many bytes.

    `piece` is what is shown of the page, from the top, as shares of its height.
    """
    width, height = pdfium.page_width(page), pdfium.page_height(page)
    scale = dots_across / max(width, 1.0)
    scale = min(scale, (MOST_DOTS / max(width * height, 1.0)) ** 0.5)
    across, down = max(1, int(width * scale)), max(1, int(height * scale))
    dots, stride = _dots(page, across, down)
    first, last = (round(share * down) for share in piece)
    dots, down = dots[first * stride : last * stride], last - first
    png = _png(_rows(dots, stride, across, 3), across, down, _COLOUR)
    if len(png) > MOST_PICTURE_BYTES:
        png = _png(_rows(dots, stride, across, 1), across, down, _GREY)
    return base64.b64encode(png).decode()


def grey_png(picture: Picture) -> str:
    """Return a picture as a PNG in base64."""
    starts = range(0, len(picture.dots), picture.stride)
    rows = b"".join(b"\0" + picture.dots[start : start + picture.width] for start in starts)
    return base64.b64encode(_png(rows, picture.width, picture.height, _GREY)).decode()


def _dots(page: Handle, across: int, down: int) -> tuple[bytes, int]:
    bitmap = pdfium.new_bitmap(across, down, 0)
    if not bitmap:
        raise MemoryError
    try:
        pdfium.fill_bitmap(bitmap, 0, 0, across, down, _WHITE)
        flags = pdfium.ANNOTATIONS | pdfium.RED_FIRST
        pdfium.render(bitmap, page, 0, 0, across, down, 0, flags)
        stride = pdfium.bitmap_stride(bitmap)
        return string_at(pdfium.bitmap_bytes(bitmap), stride * down), stride
    finally:
        pdfium.close_bitmap(bitmap)


def _rows(dots: bytes, stride: int, across: int, channels: int) -> bytes:
    """Return the rows of a PNG, each behind its filter, 0; in grey it is the green of each dot."""
    rows = bytearray()
    for start in range(0, len(dots), stride):
        line = dots[start : start + across * _BYTES]
        row = bytearray(across * channels)
        for channel in range(channels):
            row[channel::channels] = line[channel if channels > 1 else 1 :: _BYTES]
        rows += b"\0" + row
    return bytes(rows)


def _png(rows: bytes, across: int, down: int, colours: int) -> bytes:
    head = struct.pack(">IIBBBBB", across, down, 8, colours, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
