"""The body of an answer, as far as it is allowed to go: on the wire, and unpacked."""

import zlib
from collections.abc import Iterator
from http.client import HTTPResponse
from typing import Final

from pulsedocs.adapters.web.wire import Wire
from pulsedocs.errors import FileEmpty, FileTooLarge, SourceUnavailable

_BLOCK: Final = 64 * 1024  # what may be in memory beyond the limit
_WINDOW: Final = {"gzip": 31, "x-gzip": 31, "deflate": 15}  # zlib's names for the two formats
_PLAIN: Final = frozenset({"", "identity"})


def read_body(response: HTTPResponse, *, max_bytes: int, wire: Wire) -> bytes:
    """Return the whole body, unpacked.

    Raises FileTooLarge, FileEmpty, and SourceUnavailable for a body that ends early.
    """
    encoding = (response.getheader("Content-Encoding") or "").strip().lower()
    if encoding not in _PLAIN and encoding not in _WINDOW:
        raise SourceUnavailable(f"the page is packed as {encoding[:50]!r}, which was not asked for")
    if (response.length or 0) > max_bytes:
        raise _too_large(max_bytes)
    blocks = _limited(_blocks(response, wire), max_bytes=max_bytes)
    if encoding in _WINDOW:
        blocks = _limited(_unpacked(blocks, _WINDOW[encoding]), max_bytes=max_bytes)
    body = b"".join(blocks)
    if not body:
        raise FileEmpty("the page has no bytes")
    return body


def _blocks(response: HTTPResponse, wire: Wire) -> Iterator[bytes]:
    while block := response.read1(_BLOCK):
        yield block
    if wire.has_expired or response.length:
        raise SourceUnavailable("the page ended before its announced length, or took too long")


def _limited(blocks: Iterator[bytes], *, max_bytes: int) -> Iterator[bytes]:
    size = 0
    for block in blocks:
        size += len(block)
        if size > max_bytes:
            raise _too_large(max_bytes)
        yield block


def _unpacked(blocks: Iterator[bytes], window: int) -> Iterator[bytes]:
    """Yield small pieces, so that a bomb is noticed before it is in memory."""
    unpacker = zlib.decompressobj(window)
    try:
        for block in blocks:
            rest = block
            while rest and not unpacker.eof:
                yield unpacker.decompress(rest, _BLOCK)
                rest = unpacker.unconsumed_tail
    except zlib.error as error:
        raise SourceUnavailable("the page's packing is damaged") from error
    if not unpacker.eof:
        raise SourceUnavailable("the page's packing ends early")


def _too_large(max_bytes: int) -> FileTooLarge:
    return FileTooLarge(f"the page has more than {max_bytes} bytes (MAX_URL_MB)")
