"""Opens a file by its bytes and its declared type."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from pulsedocs.errors import FileTooLarge, FileUnreadable, PulseDocsError, ResourceExhausted
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.content_type import (
    FORMAT_OF_TYPE,
    Format,
    declared_format,
    detect_type,
)
from pulsedocs.model.pages import Page

if TYPE_CHECKING:
    from pulsedocs.extraction.recognition import Recogniser


class OpenFile(Protocol):
    @property
    def page_count(self) -> int: ...

    def pages(self, first_page: int = 1) -> Iterator[Page]: ...


def open_file(
    body: bytes, *, content_type: str, budgets: Budgets, recogniser: "Recogniser | None" = None
) -> OpenFile:
    """Return the open file. Raises DocumentRejected and what is below it.

    Only some formats have pages that a recogniser reads; others are read as they are.
    """
    if len(body) > budgets.max_bytes:
        raise FileTooLarge(f"{len(body)} bytes; at most {budgets.max_bytes} are allowed")
    kind = FORMAT_OF_TYPE[detect_type(body, content_type)]
    read = _reader(kind)
    try:
        if recogniser is not None and kind.with_pictures:
            return read(body, budgets=budgets, recogniser=recogniser)
        return read(body, budgets=budgets)
    except (PulseDocsError, MemoryError):
        raise
    except RecursionError as error:
        raise ResourceExhausted("the parts of the file lie too deep in each other") from error
    except Exception as error:
        raise FileUnreadable(f"read as {kind.name}: {type(error).__name__}") from error


def load_reader(declared: str) -> None:
    """Import what reads files of a type, for those that come; of an unknown one, nothing."""
    kind = declared_format(declared)
    if kind is not None:
        _reader(kind)


def _reader(kind: Format) -> Callable[..., OpenFile]:
    # It is loaded when a file needs it: docutils takes several times as long as pdfium.
    module, _, name = kind.reader.partition(":")
    return getattr(import_module(f"pulsedocs.extraction.{module}"), name)
