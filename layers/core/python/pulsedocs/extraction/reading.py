"""One way in: bytes and their declared type to pages."""

from collections.abc import Iterator

from pulsedocs.errors import FileTooLarge
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.content_type import PDF, detect_type
from pulsedocs.extraction.pdf import read_pdf
from pulsedocs.extraction.plain_text import read_text
from pulsedocs.model.pages import Page


def read(
    body: bytes, *, content_type: str, budgets: Budgets, first_page: int = 1
) -> Iterator[Page]:
    """Yield pages; `first_page` continues a reading that was stopped. Raises DocumentRejected."""
    if len(body) > budgets.max_bytes:
        raise FileTooLarge(f"{len(body)} bytes; at most {budgets.max_bytes} are allowed")
    kind = detect_type(body, content_type)
    reader = read_pdf if kind == PDF else read_text
    return reader(body, budgets=budgets, first_page=first_page)
