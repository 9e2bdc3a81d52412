"""The bytes decide what a file is."""

import pytest

from pulsedocs.errors import (
    ContentTypeMismatch,
    FileEmpty,
    NotAPDF,
    PulseDocsError,
    TextNotUTF8,
    UnsupportedContentType,
)
from pulsedocs.extraction import PDF, TEXT, detect_type


def test_what_is_declared_and_true_is_returned() -> None:
    assert detect_type(b"%PDF-1.7\n...", PDF) == PDF
    assert detect_type(b"\r\n" * 500 + b"%PDF-1.4", "Application/PDF; x=y") == PDF
    assert detect_type("Grüße".encode(), "text/plain; charset=utf-8") == TEXT
    assert detect_type("Grüße".encode("utf-16"), TEXT) == TEXT


@pytest.mark.parametrize(
    ("body", "declared", "error"),
    [
        (b"", PDF, FileEmpty),
        (b"", TEXT, FileEmpty),
        (b"%", PDF, NotAPDF),
        (b"<html>", PDF, NotAPDF),
        (b"PK\x03\x04%PDF-1.7", PDF, NotAPDF),
        (b"MZ%PDF-1.7", PDF, NotAPDF),
        (b" " * 1_024 + b"%PDF-1.7", PDF, NotAPDF),
        (b"%PDF-1.7", TEXT, ContentTypeMismatch),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), TEXT, ContentTypeMismatch),
        ("Grüße".encode("latin-1"), TEXT, TextNotUTF8),
        (b"PK\x03\x04", "application/zip", UnsupportedContentType),
        (b"text", "", UnsupportedContentType),
    ],
)
def test_what_is_not_true_is_refused_by_name(
    body: bytes, declared: str, error: type[PulseDocsError]
) -> None:
    """S2-15: an unsupported type is named."""
    with pytest.raises(error):
        detect_type(body, declared)
