"""Opens a file by its bytes and its declared type."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
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
from pulsedocs.extraction.encoding import encoding_of
from pulsedocs.model.content_types import charset_of
from pulsedocs.model.pages import GUESSED, Page
from pulsedocs.model.plurals import megabytes

if TYPE_CHECKING:
    from pulsedocs.extraction.recognition import Recogniser


class OpenFile(Protocol):
    @property
    def page_count(self) -> int: ...

    def pages(self, first_page: int = 1) -> Iterator[Page]: ...


@dataclass(frozen=True, slots=True)
class _Guessed:
    """A file of which nothing says in what it is written: its pages do, behind their parser."""

    file: OpenFile
    codec: str

    @property
    def page_count(self) -> int:
        return self.file.page_count

    def pages(self, first_page: int = 1) -> Iterator[Page]:
        for page in self.file.pages(first_page):
            yield replace(page, parser=f"{page.parser}{GUESSED}{self.codec}")


def open_file(
    body: bytes, *, content_type: str, budgets: Budgets, recogniser: "Recogniser | None" = None
) -> OpenFile:
    """Return the open file. Raises DocumentRejected and what is below it.

    Only some formats have pages that a recogniser reads; others are read as they are.
    """
    if len(body) > budgets.max_bytes:
        raise FileTooLarge(
            f"the file has {megabytes(len(body))}; {megabytes(budgets.max_bytes)} are allowed"
        )
    kind = FORMAT_OF_TYPE[detect_type(body, content_type)]
    read = _reader(kind)
    try:
        if recogniser is not None and kind.with_pictures:
            return read(body, budgets=budgets, recogniser=recogniser)
        stated = charset_of(content_type)
        encoding = (
            encoding_of(body, is_html=kind.is_markup, stated=stated)
            if kind.has_one_encoding
            else None
        )
        if encoding is None:
            return read(body, budgets=budgets)
        file = read(body.decode(encoding.codec).encode(), budgets=budgets)
        return _Guessed(file, encoding.codec) if encoding.is_guessed else file
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
