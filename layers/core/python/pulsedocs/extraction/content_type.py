"""Detects the type of a file from its bytes, and checks that the announced type agrees.

Text formats cannot be told apart by their bytes; among them the announced one is believed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pulsedocs.errors import (
    ContentTypeMismatch,
    DocumentRejected,
    FileEmpty,
    FileUnreadable,
    NotAPDF,
    PDFCorruptedError,
    TextNotUTF8,
    UnsupportedContentType,
)
from pulsedocs.extraction.encoding import decoded, is_wide
from pulsedocs.model.content_types import kind_of

PDF: Final = "application/pdf"
TEXT: Final = "text/plain"
_RIFF: Final = b"RIFF"
_OOXML: Final = "application/vnd.openxmlformats-officedocument"
_OF_WORD: Final = "application/vnd.ms-word"
_OF_POWERPOINT: Final = "application/vnd.ms-powerpoint"
_OF_EXCEL: Final = "application/vnd.ms-excel"
_MACROS: Final = "macroenabled.12"


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file. The first content type is the one recorded; `reader` is `module:name`.

    The bytes begin with one of `marks`, where the kind has any. One that is a ZIP archive has a
    part whose name begins with `part`. The pages of one `with_pictures` may be pictures, on which
    words are recognised.
    """

    name: str
    content_types: tuple[str, ...]
    extensions: tuple[str, ...]
    reader: str
    part: str | None = None
    marks: tuple[bytes, ...] = ()
    with_pictures: bool = False

    @property
    def is_text(self) -> bool:
        """Say whether its files are text that may be sent as such, not bytes of another form."""
        return not self.part and not self.with_pictures

    @property
    def has_one_encoding(self) -> bool:
        """Say whether a file is written in one encoding; the parts of an e-mail say each theirs."""
        return self.is_text and self.name != "e-mail"

    @property
    def is_markup(self) -> bool:
        return self.name in {"HTML", "XHTML"}


FORMATS: Final = (
    Format("PDF", (PDF, "application/x-pdf"), (".pdf",), "pdf:PdfFile", with_pictures=True),
    Format("plain text", (TEXT,), (".txt", ".text"), "plain_text:TextFile"),
    Format(
        "Markdown",
        ("text/markdown", "text/x-markdown"),
        (".md", ".markdown"),
        "markdown:open_markdown",
    ),
    Format(
        "HTML",
        ("text/html", "application/xhtml+xml"),
        (".html", ".htm"),
        "html:open_html",
    ),
    Format("XHTML", ("application/xhtml+xml", "text/html"), (".xhtml",), "xhtml:open_xhtml"),
    Format(
        "reStructuredText",
        ("text/x-rst", "text/prs.fallenstein.rst"),
        (".rst", ".rest"),
        "restructured_text:open_restructured_text",
    ),
    Format(
        "CSV", ("text/csv", "text/tab-separated-values"), (".csv", ".tsv"), "workbooks:open_csv"
    ),
    Format("e-mail", ("message/rfc822",), (".eml",), "mail:open_eml"),
    Format(
        "Word",
        (
            f"{_OOXML}.wordprocessingml.document",
            f"{_OF_WORD}.document.{_MACROS}",
            f"{_OOXML}.wordprocessingml.template",
            f"{_OF_WORD}.template.{_MACROS}",
        ),
        (".docx", ".docm", ".dotx", ".dotm"),
        "word:open_docx",
        part="word/document",  # Microsoft 365 also writes word/document2.xml
    ),
    Format(
        "PowerPoint",
        (
            f"{_OOXML}.presentationml.presentation",
            f"{_OF_POWERPOINT}.presentation.{_MACROS}",
            f"{_OOXML}.presentationml.slideshow",
            f"{_OF_POWERPOINT}.slideshow.{_MACROS}",
            f"{_OOXML}.presentationml.template",
            f"{_OF_POWERPOINT}.template.{_MACROS}",
        ),
        (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"),
        "slides:open_pptx",
        part="ppt/presentation.xml",
    ),
    Format(
        "Excel",
        (
            f"{_OOXML}.spreadsheetml.sheet",
            f"{_OF_EXCEL}.sheet.{_MACROS}",
            f"{_OOXML}.spreadsheetml.template",
            f"{_OF_EXCEL}.template.{_MACROS}",
        ),
        (".xlsx", ".xlsm", ".xltx", ".xltm"),
        "workbooks:open_xlsx",
        part="xl/workbook.xml",
    ),
    Format(
        "OpenDocument text",
        (
            "application/vnd.oasis.opendocument.text",
            "application/vnd.oasis.opendocument.text-template",
        ),
        (".odt", ".ott"),
        "open_document:open_odt",
        part="content.xml",
    ),
    Format(
        "e-book",
        ("application/epub+zip",),
        (".epub",),
        "epub:open_epub",
        part="META-INF/container.xml",
    ),
    Format(
        "PNG",
        ("image/png",),
        (".png",),
        "image_file:ImageFile",
        marks=(b"\x89PNG\r\n\x1a\n",),
        with_pictures=True,
    ),
    Format(
        "JPEG",
        ("image/jpeg", "image/jpg"),
        (".jpg", ".jpeg"),
        "image_file:ImageFile",
        marks=(b"\xff\xd8\xff",),
        with_pictures=True,
    ),
    Format(
        "TIFF",
        ("image/tiff",),
        (".tif", ".tiff"),
        "image_file:ImageFile",
        marks=(b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"),
        with_pictures=True,
    ),
    Format(
        "WebP",
        ("image/webp",),
        (".webp",),
        "image_file:ImageFile",
        marks=(_RIFF,),
        with_pictures=True,
    ),
    Format(
        "GIF",
        ("image/gif",),
        (".gif",),
        "image_file:ImageFile",
        marks=(b"GIF87a", b"GIF89a"),
        with_pictures=True,
    ),
)
FORMAT_OF_TYPE: Final[Mapping[str, Format]] = {
    content_type: each for each in FORMATS for content_type in each.content_types
} | {each.content_types[0]: each for each in FORMATS}
"""One that two formats have is that of the one whose first it is."""

SUPPORTED_TYPES: Final[Mapping[str, frozenset[str]]] = {
    content_type: frozenset(each.extensions) for content_type, each in FORMAT_OF_TYPE.items()
}
"""Content types that can be read, with the file extensions that go with each."""

_BY_EXTENSION = {extension: each for each in FORMATS for extension in each.extensions}
_SAVE_AS = {
    **dict.fromkeys((".heic", ".heif", ".avif"), ".jpg or .png"),
    **dict.fromkeys((".doc", ".rtf", ".pages"), ".docx or .pdf"),
    **dict.fromkeys((".xls", ".xlsb", ".ods", ".numbers"), ".xlsx"),
    **dict.fromkeys((".ppt", ".odp", ".key"), ".pptx or .pdf"),
    **dict.fromkeys((".mht", ".mhtml"), ".html or .pdf"),
    ".msg": ".eml",
    ".mbox": ".eml, each message by itself",
}
"""What the programs that write a file can also save it as."""
_WRITTEN_AS_TEXT = frozenset(
    {
        *(".adoc", ".asciidoc", ".ics", ".json", ".jsonl", ".log", ".org", ".srt", ".tex"),
        *(".toml", ".vcf", ".vtt", ".xml", ".yaml", ".yml"),
    }
)
"""What has no reader of its own and is text, whichever type is announced for it."""
_NOT = f" cannot be read; supported are {', '.join(_BY_EXTENSION)}"

_PDF_MARK = b"%PDF-"
_PDF_MARK_WITHIN = 1024  # where viewers look for it; anything later is another file's payload
_ZIP = b"PK\x03\x04"
_POLYGLOT = {b"PK": "a ZIP archive", b"MZ": "a program"}
_SIGNATURES: Final = {
    _ZIP: "a ZIP archive (also DOCX, XLSX, EPUB)",
    b"PK\x05\x06": "an empty ZIP archive",
    b"MZ": "a Windows program",
    b"\x7fELF": "a Linux program",
    **{mark: f"a {each.name} picture" for each in FORMATS for mark in each.marks},
    _RIFF: "a RIFF file (WebP, WAV, AVI)",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!\x1a": "a RAR archive",
    b"\xd0\xcf\x11\xe0": "an old Office document (DOC, XLS, PPT), or one with a password",
    b"SQLite format 3\0": "a SQLite database",
    b"{\\rtf": "an RTF document",
}
"""What may declare its encoding."""
_SNIFFED = 64 * 1024
_BINARY_SHARE = 0.1
_WIDE_SHARE = 0.3  # NULs in the even, or the odd, places: Latin letters of two bytes each


def format_of(content_type: str, filename: str) -> Format:
    """Return what a file is announced as, before there are bytes.

    What is known decides, the type or the extension: programs announce types of their own, and the
    end of a name is often no extension, as in "Contract v1.2". Browsers know few text formats: the
    extension decides too for what is said to be plain text. Raises UnsupportedContentType.
    """
    from pathlib import PurePosixPath  # noqa: PLC0415 -- 5 ms, which no child that reads needs

    declared = kind_of(content_type)
    suffix = PurePosixPath(filename).suffix.lower()
    by_type, by_suffix = FORMAT_OF_TYPE.get(declared), _BY_EXTENSION.get(suffix)
    if by_suffix is not None and (
        by_type is None
        or declared in by_suffix.content_types
        or (declared == TEXT and by_suffix.name != "PDF")
    ):
        return by_suffix
    if by_type is None or suffix in _SAVE_AS:
        extension = f"the extension {suffix!r}" if suffix else "no extension"
        message = f"a file with {extension} and type {declared[:100]!r}{_NOT}"
        is_written = suffix in _WRITTEN_AS_TEXT or declared.startswith("text/")
        instead = _SAVE_AS.get(suffix) or (".txt to have it read as it stands" * is_written)
        raise UnsupportedContentType(f"{message}; save it as {instead}" if instead else message)
    if by_suffix is not None:
        raise UnsupportedContentType(f"the extension {suffix!r} is not one of {declared!r}")
    return by_type


def declared_format(declared: str) -> Format | None:
    """Return the format of a content type, whatever parameters it has; None of one not read."""
    return FORMAT_OF_TYPE.get(kind_of(declared))


def detect_type(body: bytes, declared: str) -> str:
    """Return the type of the bytes, which is the declared one, by its first name.

    Raises FileEmpty, UnsupportedContentType, NotAPDF, TextNotUTF8 and ContentTypeMismatch.
    """
    if not body:
        raise FileEmpty("the file has no bytes")
    expected = declared_format(declared)
    if expected is None:
        raise UnsupportedContentType(f"the type {declared[:100]!r}{_NOT}")
    found = next(_signs(body, expected), None) or _lacking(body, expected)
    if found is not None:
        raise ContentTypeMismatch(f"announced as {expected.name}, but the bytes are {found}")
    if expected.part is not None or expected.marks:
        return expected.content_types[0]
    if expected.name != "PDF":
        _check_text(body, expected)
    elif _PDF_MARK not in body[:_PDF_MARK_WITHIN] or body.startswith(tuple(_POLYGLOT)):
        raise NotAPDF(f"no {_PDF_MARK.decode()!r} in the first {_PDF_MARK_WITHIN} bytes")
    return expected.content_types[0]


def broken_as(declared: str) -> type[DocumentRejected]:
    """Return the error of a file that breaks the parser of its format."""
    expected = declared_format(declared)
    return PDFCorruptedError if expected is None or expected.name == "PDF" else FileUnreadable


def _signs(body: bytes, expected: Format) -> Iterator[str]:
    """Yield what the bytes are if they are not what was expected."""
    if expected.marks and body.startswith(expected.marks):
        return
    start = body[:_PDF_MARK_WITHIN]
    if _PDF_MARK in start:
        for mark, name in _POLYGLOT.items():
            if body.startswith(mark) and (expected.name == "PDF" or _is_binary(start)):
                yield f"{name} that also claims to be a PDF"
    for signature, name in _SIGNATURES.items():
        if signature == _ZIP and expected.part is not None:
            continue
        if body.startswith(signature) and (_is_binary(start) or signature.startswith(b"{")):
            yield name
    if expected.name != "PDF" and start.lstrip().startswith(_PDF_MARK):
        yield "a PDF"


def _lacking(body: bytes, expected: Format) -> str | None:
    """Return what the bytes are where they are not all that was expected."""
    if expected.part is None:
        is_marked = not expected.marks or body.startswith(expected.marks)
        if body.startswith(_RIFF):  # a container of sounds and films too
            is_marked = body[8:12] == b"WEBP"
        return None if is_marked else f"no {expected.name}"
    if not body.startswith(_ZIP):
        return "no ZIP archive"
    # Names of parts stand in a ZIP as they are.
    return None if expected.part.encode() in body else f"a ZIP archive without {expected.part!r}"


def _is_binary(start: bytes) -> bool:
    """Say whether a text could not begin like this; some signatures are also words."""
    return b"\0" in start or any(byte in start for byte in b"\x03\x05\x1a\x1f\x7f\x89\xbc\xd0\xff")


def _check_text(body: bytes, expected: Format) -> None:
    is_marked = is_wide(body) and expected.has_one_encoding
    if is_marked:
        sample = decoded(body)[:_SNIFFED]
    else:
        start = body[:_SNIFFED]
        low, high = start[::2].count(0), start[1::2].count(0)
        if max(low, high) > _WIDE_SHARE * len(start):
            name = "UTF-16LE" if high > low else "UTF-16BE"
            raise TextNotUTF8(f"every other byte is NUL, as in {name}", byte=start.index(0))
        sample = start.decode("latin-1")
    if sum(sample.count(chr(code)) for code in range(32) if code not in b"\t\n\f\r") > (
        _BINARY_SHARE * len(sample)
    ):
        raise ContentTypeMismatch(f"announced as {expected.name}, but the bytes are no text at all")
    nul = body.find(b"\0") if expected.has_one_encoding and not is_marked else -1
    if nul >= 0:
        raise TextNotUTF8(f"byte {nul} is NUL, which no text has", byte=nul)
