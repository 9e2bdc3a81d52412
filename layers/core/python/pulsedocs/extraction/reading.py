"""One way in: bytes and their declared type to an open file."""

from pulsedocs.errors import FileTooLarge
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.content_type import PDF, detect_type
from pulsedocs.extraction.pdf import PdfFile
from pulsedocs.extraction.plain_text import TextFile


def open_file(body: bytes, *, content_type: str, budgets: Budgets) -> PdfFile | TextFile:
    """Return the open file. Raises DocumentRejected and what is below it."""
    if len(body) > budgets.max_bytes:
        raise FileTooLarge(f"{len(body)} bytes; at most {budgets.max_bytes} are allowed")
    kind = detect_type(body, content_type)
    return (PdfFile if kind == PDF else TextFile)(body, budgets=budgets)
