"""What a file is: its bytes decide, and what was declared must agree with them."""

from collections.abc import Mapping
from typing import Final

from pulsedocs.errors import (
    ContentTypeMismatch,
    FileEmpty,
    NotAPDF,
    TextNotUTF8,
    UnsupportedContentType,
)

PDF: Final = "application/pdf"
TEXT: Final = "text/plain"
SUPPORTED_TYPES: Final[Mapping[str, frozenset[str]]] = {
    PDF: frozenset({".pdf"}),
    TEXT: frozenset({".txt", ".text"}),
}
"""Content types that can be read, with the file extensions that go with each."""

_PDF_MARK = b"%PDF-"
_PDF_MARK_WITHIN = 1024  # where viewers look for it; anything later is another file's payload
_PROGRAM_OR_ARCHIVE = (b"PK", b"MZ")  # a polyglot: a ZIP or a program that is also a PDF
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_SNIFFED = 64 * 1024
_BINARY_SHARE = 0.1


def detect_type(body: bytes, declared: str) -> str:
    """Return the type of the bytes, which is the declared one.

    Raises FileEmpty, UnsupportedContentType, NotAPDF, TextNotUTF8 and ContentTypeMismatch.
    """
    if not body:
        raise FileEmpty("the file has no bytes")
    expected = declared.partition(";")[0].strip().lower()
    if expected not in SUPPORTED_TYPES:
        supported = ", ".join(sorted(SUPPORTED_TYPES))
        raise UnsupportedContentType(f"{declared[:100]!r} is not one of {supported}")
    if expected == PDF:
        _check_pdf(body)
    else:
        _check_text(body)
    return expected


def is_pdf(body: bytes) -> bool:
    return _PDF_MARK in body[:_PDF_MARK_WITHIN] and not body.startswith(_PROGRAM_OR_ARCHIVE)


def _check_pdf(body: bytes) -> None:
    if not is_pdf(body):
        raise NotAPDF(f"no {_PDF_MARK.decode()!r} in the first {_PDF_MARK_WITHIN} bytes")


def _check_text(body: bytes) -> None:
    if body.startswith(_PDF_MARK):
        raise ContentTypeMismatch(f"the file is a PDF, declared as {TEXT}")
    if body.startswith(_UTF16_MARKS):
        return
    start = body[:_SNIFFED]
    if sum(start.count(byte) for byte in range(32) if byte not in b"\t\n\f\r") > (
        _BINARY_SHARE * len(start)
    ):
        raise ContentTypeMismatch(f"the file is binary, declared as {TEXT}")
    _check_utf8(body)


def _check_utf8(body: bytes) -> None:
    try:
        body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise TextNotUTF8(f"byte {error.start} is not UTF-8", byte=error.start) from error
