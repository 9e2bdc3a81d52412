"""Reads a PDF with pypdf, the slower reader for files that pdfium refuses."""

import logging
from collections.abc import Iterator, Sequence
from io import BytesIO
from math import hypot
from typing import Any, TypeAlias

from pypdf import PasswordType, PdfReader, apply_configuration, mult
from pypdf.errors import FileNotDecryptedError, WrongPasswordError
from pypdf.generic import TextStringObject

from pulsedocs.errors import PDFCorruptedError, PDFEncryptedError
from pulsedocs.extraction.headings import MAX_DEPTH, MAX_ENTRIES, OutlineEntry
from pulsedocs.extraction.pdf_reader import PageReading
from pulsedocs.extraction.tex_letters import with_tex_letters
from pulsedocs.extraction.unseen import SMALLEST, UNSEEN_MODES

Parsed: TypeAlias = Any
"""An object that pypdf read from the file: of any type, whatever the format says."""

_NAMED = 10  # attachments
_SHOWING = frozenset({b"Tj", b"TJ", b"'", b'"'})
_LIMITS: dict[str, Any] = {
    # pypdf's own limits are per stream and generous: 75 MB a stream let a 5 KB file cost 21 CPU-s.
    "zlib_maximum_output_length": 20_000_000,
    "lzw_maximum_output_length": 20_000_000,
    "run_length_maximum_output_length": 20_000_000,
    "brotli_maximum_output_length": 20_000_000,
    "stream_decoding_work_maximum_length": 60_000_000,
    "stream_parsing_work_maximum_count": 300_000,
    "stream_filters_maximum_length": 4,
    "page_tree_maximum_entries": 6_000,
    "page_tree_maximum_page_entries": 50_000,
    "outline_maximum_entries": MAX_ENTRIES,
    "outline_maximum_depth": MAX_DEPTH,
    "xform_maximum_invocations_per_extraction": 500,
    "jbig2dec_binary": None,  # never start a program for an untrusted file
}

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it warns about each oddity of each object


class PypdfReader:
    """Implements `pulsedocs.extraction.pdf_reader.PdfReader`."""

    name = "pypdf"

    def __init__(self, body: bytes) -> None:
        with apply_configuration(**_LIMITS):
            self._reader = PdfReader(BytesIO(body), strict=False)
            is_locked = self._reader.is_encrypted
            if is_locked and self._reader.decrypt("") == PasswordType.NOT_DECRYPTED:
                raise PDFEncryptedError("the file opens with a password only")
            try:
                self.page_count = len(self._reader.pages)
            except (FileNotDecryptedError, WrongPasswordError) as error:
                raise PDFEncryptedError("the file opens with a password only") from error
        if not self.page_count:
            raise PDFCorruptedError("the file has no pages")

    def outline(self) -> Sequence[OutlineEntry]:
        with apply_configuration(**_LIMITS):
            return list(self._entries(self._reader.outline, level=1))

    def label(self, index: int) -> str | None:
        if "/PageLabels" not in self._reader.root_object:
            return None  # pypdf would make up a number
        return self._reader.page_labels[index]

    def title(self) -> str | None:
        with apply_configuration(**_LIMITS):
            metadata = self._reader.metadata
        return None if metadata is None else str(metadata.title or "")

    def unread(self) -> Sequence[str]:
        with apply_configuration(**_LIMITS):
            return [f"attachment {name}" for name in list(self._reader.attachments)[:_NAMED]]

    def read(self, index: int) -> PageReading:
        with apply_configuration(**_LIMITS):
            page: Parsed = self._reader.pages[index]
            eraser = _HiddenTextEraser(tuple(float(edge) for edge in page.cropbox))
            text = page.extract_text(visitor_operand_before=eraser.before)
            return PageReading(with_tex_letters(text), eraser.hidden)

    def _entries(self, outline: Parsed, *, level: int) -> Iterator[OutlineEntry]:
        for item in outline:
            if isinstance(item, list):
                yield from self._entries(item, level=level + 1)
                continue
            page = self._reader.get_destination_page_number(item)
            if page is not None and page >= 0:
                yield OutlineEntry(page, level, str(item.title or ""))


class _HiddenTextEraser:
    """Empties the strings of hidden text before pypdf reads them, and counts their characters.

    pypdf passes the operands it is about to use; its visitor for text comes too late, when the
    render mode may already be another.
    """

    def __init__(self, sheet: tuple[float, ...]) -> None:
        self.hidden = 0
        self._sheet = sheet
        self._mode = 0
        self._size = 0.0
        self._saved: list[tuple[int, float]] = []

    def before(self, operator: bytes, operands: Parsed, cm: Parsed, tm: Parsed) -> None:
        if operator == b"Tr":
            self._mode = int(operands[0])
        elif operator == b"Tf":
            self._size = float(operands[1])
        elif operator == b"q":
            self._saved.append((self._mode, self._size))
        elif operator == b"Q" and self._saved:
            self._mode, self._size = self._saved.pop()
        elif operator in _SHOWING and self._is_hidden(cm, tm):
            self.hidden += _blank(operands)

    def _is_hidden(self, cm: Parsed, tm: Parsed) -> bool:
        _, _, c, d, e, f = mult(tm, cm)
        height = abs(self._size) * hypot(c, d)
        _, bottom, right, top = self._sheet
        is_off = e > right or f > top or f + height < bottom
        return self._mode in UNSEEN_MODES or height < SMALLEST or is_off


def _blank(operands: Parsed) -> int:
    """Empty every string among the operands of a showing operator; return how long they were."""
    length = 0
    for index, operand in enumerate(operands):
        if isinstance(operand, list):
            length += _blank(operand)
        elif isinstance(operand, str | bytes):
            length += len(operand)
            operands[index] = TextStringObject("")
    return length
