"""The pages of a PDF: pdfium reads, pypdf stands in for what pdfium cannot.

On 1,086 real pages pdfium read 615 a CPU-second and pypdf 39; but of 329 odd files pypdf opened
11 that pdfium did not. Which one read a page is recorded with it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from pulsedocs.errors import (
    PDFCorruptedError,
    PDFEncryptedError,
    PulseDocsError,
    ResourceExhausted,
    TooManyPages,
    TooMuchText,
)
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.headings import OutlineEntry, headings_of
from pulsedocs.extraction.storable import storable
from pulsedocs.model.pages import Heading, Page, PageOutcome

_LABEL_CHARACTERS = 200
_TITLE_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class PageReading:
    """What a page shows, and how many characters it carries without showing them.

    `headings` are those that its type shows, at offsets into `text`; without an outline they count.
    """

    text: str
    hidden_characters: int = 0
    headings: tuple[Heading, ...] = ()
    is_recognised: bool = False


class PdfReader(Protocol):
    """One library's view of an open document; pages count from 0 here."""

    @property
    def name(self) -> str: ...

    @property
    def page_count(self) -> int: ...

    def outline(self) -> Sequence[OutlineEntry]: ...

    def label(self, index: int) -> str | None: ...

    def title(self) -> str | None: ...

    def read(self, index: int) -> PageReading: ...


def read_pdf(body: bytes, *, budgets: Budgets) -> Iterator[Page]:
    """Yield every page; see `PdfFile`."""
    return PdfFile(body, budgets=budgets).pages()


class PdfFile:
    """An open document, and a second reader for the pages that the first cannot read.

    Opening raises PDFEncryptedError, PDFCorruptedError and TooManyPages. A page that cannot be
    read is a FAILED one; a document without text is no error here.
    """

    def __init__(self, body: bytes, *, budgets: Budgets) -> None:
        self._body = body
        self._budgets = budgets
        self._reader = _open(body)
        self.page_count = self._reader.page_count
        if self.page_count > budgets.max_pages:
            raise TooManyPages(
                f"the file has {self.page_count} pages; {budgets.max_pages} are allowed"
            )
        self._outline = _by_page(self._reader)

    def pages(self, first_page: int = 1) -> Iterator[Page]:
        """Yield the pages from `first_page` on. Raises TooMuchText."""
        characters = 0
        for number in range(first_page, self.page_count + 1):
            page = self._page(number)
            characters += len(page.text)
            if characters > self._budgets.document_characters:
                limit = self._budgets.document_characters
                raise TooMuchText(f"more than {limit} characters", page=number)
            yield page

    def _page(self, number: int) -> Page:
        try:
            found, parser = self._read(number - 1)
        except Exception as error:  # noqa: BLE001 -- pypdf raises outside its own error tree
            return _failed(number, _code_of(error), parser=self._reader.name)
        text = storable(found.text)
        if len(text) > self._budgets.page_characters:
            return _failed(number, TooMuchText.code, parser=parser)
        return Page(
            number=number,
            text=text,
            outcome=_outcome(text, found),
            parser=parser,
            label=self._label(number - 1),
            headings=self._headings(number - 1, found, text),
            hidden_characters=found.hidden_characters,
            title=self._title() if number == 1 else None,
        )

    def _headings(self, index: int, found: PageReading, text: str) -> tuple[Heading, ...]:
        """Return what the outline says; the type decides where the file has none."""
        if not self._outline:
            return found.headings
        return headings_of(self._outline.get(index, ()), text)

    def _read(self, index: int) -> tuple[PageReading, str]:
        try:
            return self._reader.read(index), self._reader.name
        except Exception:
            if self._stand_in is None:
                raise
        return self._stand_in.read(index), self._stand_in.name

    @cached_property
    def _stand_in(self) -> "PdfReader | None":
        if self._reader.name == "pypdf":
            return None
        reader = _open_with_pypdf(self._body)
        return reader if reader.page_count == self._reader.page_count else None

    def _title(self) -> str | None:
        try:
            title = storable(self._reader.title() or "").strip()
        except Exception:  # noqa: BLE001 -- broken metadata must not cost the page
            return None
        return title[:_TITLE_CHARACTERS] or None

    def _label(self, index: int) -> str | None:
        try:
            label = storable(self._reader.label(index) or "").strip()
        except Exception:  # noqa: BLE001 -- a broken label must not cost the page
            return None
        return label[:_LABEL_CHARACTERS] or None


def _by_page(reader: PdfReader) -> Mapping[int, list[OutlineEntry]]:
    pages: dict[int, list[OutlineEntry]] = {}
    try:
        for entry in reader.outline():
            pages.setdefault(entry.page, []).append(entry)
    except Exception:  # noqa: BLE001 -- a broken outline must not cost the document
        return {}
    return pages


def _open(body: bytes) -> PdfReader:
    """Open with pdfium, else pypdf; a password that one of them knows to be missing is final."""
    try:
        return _open_with_pdfium(body)
    except PDFEncryptedError:
        raise
    except Exception:  # noqa: BLE001 -- whatever pdfium makes of it, pypdf may do better
        return _open_or_refuse(body)


def _open_or_refuse(body: bytes) -> PdfReader:
    try:
        return _open_with_pypdf(body)
    except PDFEncryptedError:
        raise
    except MemoryError as error:
        raise ResourceExhausted("opening the file takes more memory than allowed") from error
    except Exception as error:
        raise PDFCorruptedError(f"neither parser can open it ({type(error).__name__})") from error


def _open_with_pdfium(body: bytes) -> PdfReader:
    from pulsedocs.extraction.with_pdfium import PdfiumReader  # noqa: PLC0415 -- 80 ms, PDFs only

    return PdfiumReader(body)


def _open_with_pypdf(body: bytes) -> PdfReader:
    from pulsedocs.extraction.with_pypdf import PypdfReader  # noqa: PLC0415 -- 280 ms, rarely used

    return PypdfReader(body)


def _failed(number: int, code: str, *, parser: str) -> Page:
    return Page(number, "", PageOutcome.FAILED, parser, failure=code)


def _code_of(error: Exception) -> str:
    if isinstance(error, MemoryError | RecursionError):
        return ResourceExhausted.code
    return error.code if isinstance(error, PulseDocsError) else PDFCorruptedError.code


def _outcome(text: str, found: PageReading) -> PageOutcome:
    if text.strip():
        return PageOutcome.OCR if found.is_recognised else PageOutcome.TEXT
    return PageOutcome.HIDDEN_ONLY if found.hidden_characters else PageOutcome.EMPTY
