"""The bytes decide what a file is; the name and the announced type must agree with them."""

import codecs

import pytest

from pulsedocs.errors import (
    ContentTypeMismatch,
    FileEmpty,
    NotAPDF,
    PulseDocsError,
    TextNotUTF8,
    UnsupportedContentType,
)
from pulsedocs.extraction import FORMATS, PDF, TEXT, Budgets, detect_type, format_of
from pulsedocs.extraction.reading import open_file

TEXT_TYPES = [
    kind.content_types[0]
    for kind in FORMATS
    if kind.part is None and not kind.marks and kind.content_types[0] != PDF
]
EVERY_TYPE = [kind.content_types[0] for kind in FORMATS]
BINARY = {
    "ZIP": b"PK\x03\x04\x14\0\0\0",
    "Windows": b"MZ\x90\0\x03\0\0\0",
    "PNG": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "JPEG": b"\xff\xd8\xff\xe0\0\x10JFIF",
    "gzip": b"\x1f\x8b\x08\0\0\0\0\0",
    "old Office": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "RTF": b"{\\rtf1\\ansi Hello}",
}


def test_what_is_declared_and_true_is_returned() -> None:
    assert detect_type(b"%PDF-1.7\n...", PDF) == PDF
    assert detect_type(b"\r\n" * 500 + b"%PDF-1.4", "Application/PDF; x=y") == PDF
    assert detect_type("Grüße".encode(), "text/plain; charset=utf-8") == TEXT
    assert detect_type("Grüße".encode("utf-8-sig"), TEXT) == TEXT


@pytest.mark.parametrize("declared", TEXT_TYPES)
def test_a_text_is_what_it_is_said_to_be(declared: str) -> None:
    """Text formats cannot be told apart by their bytes."""
    assert detect_type(b"<h1># PK or MZ, GIF89a: a title</h1>", declared) == declared


@pytest.mark.parametrize(
    ("declared", "name"),
    [
        (declared, name)
        for declared in EVERY_TYPE
        for name in BINARY
        if name.lower() not in declared
    ],
)
def test_a_binary_file_never_passes_and_both_types_are_named(declared: str, name: str) -> None:
    """S4-02: the message says what was announced and what came."""
    kind = next(kind.name for kind in FORMATS if declared == kind.content_types[0])

    with pytest.raises(ContentTypeMismatch, match=f"announced as {kind}, .* {name}"):
        detect_type(BINARY[name] + bytes(2_000), declared)


@pytest.mark.parametrize("declared", TEXT_TYPES)
def test_a_pdf_is_no_text(declared: str) -> None:
    with pytest.raises(ContentTypeMismatch, match="a PDF"):
        detect_type(b"\n%PDF-1.7\n%\xe2\xe3\xcf\xd3", declared)


@pytest.mark.parametrize("mark", [b"PK\x03\x04", b"MZ\x90\0"])
@pytest.mark.parametrize("declared", EVERY_TYPE)
def test_an_archive_that_is_also_a_pdf_is_told_so(declared: str, mark: bytes) -> None:
    """S4-02: the polyglot has a message of its own."""
    with pytest.raises(ContentTypeMismatch, match="that also claims to be a PDF"):
        detect_type(mark + bytes(600) + b"%PDF-1.7", declared)


@pytest.mark.parametrize(
    ("body", "declared", "error"),
    [
        (b"", PDF, FileEmpty),
        (b"", TEXT, FileEmpty),
        (b"%", PDF, NotAPDF),
        (b"<html>", PDF, NotAPDF),
        (b" " * 1_024 + b"%PDF-1.7", PDF, NotAPDF),
        (bytes(range(1, 30)) * 9, TEXT, ContentTypeMismatch),
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


@pytest.mark.parametrize("declared", [each for each in TEXT_TYPES if each != "message/rfc822"])
@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b"5 \xb5\xb0\xb5 of \xff", 2),
        ("Grüße, größer, schön ".encode() * 3 + b"\xfc", 78),
        (codecs.BOM_UTF16_LE + b"\x00\xd8a\0", 2),
        ("Gruesse, und mehr".encode("utf-16-be"), 0),
        (b"A pump\0 and a valve are here.", 6),
        ("A pump\0 and a valve are here.".encode("utf-16"), 14),
        (b"A pump \xed\xa0\x80 is here.", 7),
        (b"cut off \xe2\x82", 8),
        (b"overlong \xc0\xaf", 9),
    ],
    ids=[
        "no letters",
        "damaged",
        "half of UTF-16",
        "UTF-16 without mark",
        "NUL",
        "NUL of UTF-16",
        "surrogate",
        "cut off",
        "overlong",
    ],
)
def test_text_that_is_not_utf8_is_refused_at_its_byte(
    declared: str, body: bytes, place: int
) -> None:
    """S4-02: what is neither UTF-8 nor reads as words in another encoding is no text."""
    with pytest.raises(TextNotUTF8) as caught:
        open_file(body, content_type=declared, budgets=Budgets())

    assert caught.value.context == {"byte": place}


@pytest.mark.parametrize("declared", TEXT_TYPES)
def test_bytes_that_only_begin_as_utf16_are_no_text(declared: str) -> None:
    with pytest.raises((ContentTypeMismatch, TextNotUTF8)):
        detect_type(codecs.BOM_UTF16_LE + bytes(range(1, 30)) * 9 + bytes(500), declared)


@pytest.mark.parametrize(
    ("content_type", "filename", "name"),
    [
        ("application/octet-stream", "a.MD", "Markdown"),
        ("", "a.rst", "reStructuredText"),
        ("text/plain", "README.md", "Markdown"),
        ("text/plain; charset=utf-8", "page.html", "HTML"),
        ("application/xhtml+xml", "page.html", "HTML"),
        ("text/html", "page", "HTML"),
        ("", "page.xhtml", "XHTML"),
        ("text/html", "page.xhtml", "XHTML"),
        ("application/xhtml+xml", "page", "XHTML"),
        ("text/plain", "raw", "plain text"),
        ("application/octet-stream", "a.pdf", "PDF"),
        ("application/vnd.ms-excel", "data.csv", "CSV"),  # a browser on Windows with Excel
        ("application/csv", "data.csv", "CSV"),
        ("application/zip", "a.docx", "Word"),
        ("application/vnd.ms-word.document.macroEnabled.12", "a.docm", "Word"),
        ("", "a.dotx", "Word"),
        ("application/vnd.ms-excel.sheet.macroEnabled.12", "a.xlsm", "Excel"),
        ("application/vnd.ms-powerpoint.slideshow.macroEnabled.12", "show", "PowerPoint"),
        ("application/octet-stream", "a.ppsx", "PowerPoint"),
        ("", "a.ott", "OpenDocument text"),
        ("image/pjpeg", "a.jpg", "JPEG"),
        (PDF, "Contract v1.2", "PDF"),
        (PDF, "Report 2024.03", "PDF"),
        ("text/html", "index.php", "HTML"),
        (TEXT, "server.log", "plain text"),
    ],
)
def test_what_is_known_decides_the_type_or_the_extension(
    content_type: str, filename: str, name: str
) -> None:
    assert format_of(content_type, filename).name == name


@pytest.mark.parametrize(
    ("content_type", "filename"),
    [
        ("application/msword", "a.doc"),
        ("text/plain", "a.doc"),
        ("application/octet-stream", "a.exe"),
        ("text/html", "a.md"),
        ("text/plain", "a.pdf"),
        ("application/pdf", "a.txt"),
    ],
)
def test_an_extension_that_does_not_fit_is_named(content_type: str, filename: str) -> None:
    """S2-15: the refusal names the extension."""
    with pytest.raises(UnsupportedContentType, match=rf"'\{filename[1:]}'"):
        format_of(content_type, filename)


def test_a_file_with_neither_extension_nor_type_is_refused() -> None:
    with pytest.raises(UnsupportedContentType, match="no extension"):
        format_of("application/octet-stream", "LICENSE")


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("a.heic", ".jpg or .png"),
        ("a.doc", ".docx or"),
        ("a.xlsb", ".xlsx"),
        ("a.mht", ".html or"),
        ("a.mbox", ".eml, each message by itself"),
    ],
)
def test_a_refused_file_of_a_known_kind_is_told_what_to_save_it_as(name: str, instead: str) -> None:
    with pytest.raises(UnsupportedContentType, match=f"; save it as {instead}"):
        format_of("application/octet-stream", name)


@pytest.mark.parametrize(
    ("content_type", "name"),
    [
        ("application/json", "a.json"),
        ("application/octet-stream", "a.adoc"),
        ("text/calendar", "a.ics"),
        ("text/x-python", "a.py"),
    ],
)
def test_a_text_without_a_reader_of_its_own_is_told_how_it_is_read(
    content_type: str, name: str
) -> None:
    with pytest.raises(UnsupportedContentType, match=r"; save it as \.txt to have it read"):
        format_of(content_type, name)

    assert format_of("text/plain", name).name == "plain text"
