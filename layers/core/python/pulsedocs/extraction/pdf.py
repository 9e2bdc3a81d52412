"""The pages of a PDF: pdfium reads, pypdf stands in for what pdfium cannot.

On 1,086 real pages pdfium read 615 a CPU-second and pypdf 39; but of 329 odd files pypdf opened
11 that pdfium did not. Which one read a page is recorded with it.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

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
from pulsedocs.extraction.outcomes import outcome_of
from pulsedocs.extraction.pdf_reader import PageReading, PdfReader
from pulsedocs.extraction.storable import storable
from pulsedocs.model.pages import Heading, Page, PageOutcome
from pulsedocs.model.titles import is_telling, largest_of

if TYPE_CHECKING:
    from pulsedocs.extraction.recognition import Recogniser

_LABEL_CHARACTERS = 200
_TITLE_CHARACTERS = 1_000
_UNREAD_CHARACTERS = 200


class PdfFile:
    """An open document, and a second reader for the pages that the first cannot read.

    With a recogniser, the pages without text are read from their drawing.
    Opening raises PDFEncryptedError, PDFCorruptedError and TooManyPages. A page that cannot be
    read is a FAILED one; a document without text is no error here.
    """

    def __init__(
        self, body: bytes, *, budgets: Budgets, recogniser: "Recogniser | None" = None
    ) -> None:
        self._body = body
        self._budgets = budgets
        self._reader = _open(body, recogniser, budgets)
        self.page_count = self._reader.page_count
        if self.page_count > budgets.max_pages:
            raise TooManyPages(
                f"the file has {self.page_count} pages; {budgets.max_pages} are allowed"
            )
        self._outline: dict[int, list[OutlineEntry]] = {}
        try:
            for entry in self._reader.outline():
                self._outline.setdefault(entry.page, []).append(entry)
        except Exception:  # noqa: BLE001 -- a broken outline must not cost the document
            self._outline = {}

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
        index = number - 1
        try:
            found, parser = self._read(index)
        except (MemoryError, RecursionError):
            return _failed(number, ResourceExhausted.code, parser=self._reader.name)
        except Exception as error:  # noqa: BLE001 -- pypdf raises outside its own error tree
            code = error.code if isinstance(error, PulseDocsError) else PDFCorruptedError.code
            return _failed(number, code, parser=self._reader.name)
        text = storable(found.text)
        if len(text) > self._budgets.page_characters:
            return _failed(number, TooMuchText.code, parser=parser)
        # Headings by type are a guess; those of an outline were written by somebody.
        by_outline = headings_of(self._outline.get(index, ()), text) if self._outline else None
        page = Page(
            number=number,
            text=text,
            outcome=outcome_of(
                text,
                hidden_characters=found.hidden_characters,
                is_recognised=found.is_recognised,
            ),
            parser=found.recogniser if found.is_recognised and found.recogniser else parser,
            label=_stated(lambda: self._reader.label(index), most=_LABEL_CHARACTERS),
            headings=found.headings if by_outline is None else by_outline,
            hidden_characters=found.hidden_characters,
            verbatim=found.verbatim,
            title=self._title(found.headings) if number == 1 else None,
            is_picture=found.is_picture,
            confidence=found.confidence,
            certainties=found.certainties,
            drawing=found.drawing,
            unread=(*found.unread, *(self._unread() if number == 1 else ())),
            pictures=found.pictures,
        )
        if found.on_pictures is None:
            return page
        from pulsedocs.extraction.words_on_pictures import (  # noqa: PLC0415 -- with the engine only
            with_words,
        )

        page = with_words(page, found.on_pictures, reader=found.recogniser or "")
        if len(page.text) > self._budgets.page_characters:
            return _failed(number, TooMuchText.code, parser=parser)
        return page

    def _title(self, by_type: Sequence[Heading]) -> str | None:
        """Return the stated title; else the largest line, which an outline need not name."""
        stated = _stated(self._reader.title, most=_TITLE_CHARACTERS)
        is_stated = stated is not None and is_telling(stated)
        return stated if is_stated else largest_of(by_type) or stated

    def _unread(self) -> Iterator[str]:
        try:
            for each in self._reader.unread():
                yield storable(each)[:_UNREAD_CHARACTERS]
        except Exception:  # noqa: BLE001 -- a broken list must not cost the page
            yield "attachments, whose list is broken"

    def _read(self, index: int) -> tuple[PageReading, str]:
        try:
            return self._reader.read(index), self._reader.name
        except (PulseDocsError, MemoryError):
            # The page was too much, or its words could not be recognised: pypdf sees no picture,
            # and would call it empty.
            raise
        except Exception:
            if self._stand_in is None:
                raise
        return self._stand_in.read(index), self._stand_in.name

    @cached_property
    def _stand_in(self) -> PdfReader | None:
        if self._reader.name == "pypdf":
            return None
        reader = _open_with_pypdf(self._body)
        # With another number of pages, page 7 of the one need not be page 7 of the other.
        return reader if reader.page_count == self._reader.page_count else None


def _open(body: bytes, recogniser: "Recogniser | None", budgets: Budgets) -> PdfReader:
    """Open with pdfium, else pypdf; a password that one of them knows to be missing is final."""
    try:
        return _open_with_pdfium(body, recogniser, budgets)
    except PDFEncryptedError:
        raise
    except Exception:  # noqa: BLE001 -- whatever pdfium makes of it, pypdf may do better
        try:
            return _open_with_pypdf(body)
        except PDFEncryptedError:
            raise
        except MemoryError as error:
            raise ResourceExhausted("opening the file takes more memory than allowed") from error
        except Exception as error:
            raise PDFCorruptedError(
                "the file is damaged, or is no PDF", cause=type(error).__name__
            ) from error


def _open_with_pdfium(body: bytes, recogniser: "Recogniser | None", budgets: Budgets) -> PdfReader:
    from pulsedocs.extraction.with_pdfium import PdfiumReader  # noqa: PLC0415 -- 80 ms, PDFs only

    return PdfiumReader(body, recogniser, comments=budgets.comments, drawings=budgets.drawings)


def _open_with_pypdf(body: bytes) -> PdfReader:
    from pulsedocs.extraction.with_pypdf import PypdfReader  # noqa: PLC0415 -- 280 ms, rarely used

    return PypdfReader(body)


def _failed(number: int, code: str, *, parser: str) -> Page:
    return Page(number, "", PageOutcome.FAILED, parser, failure=code)


def _stated(ask: Callable[[], str | None], *, most: int) -> str | None:
    """Return what a file says of a page or of itself, None where that is empty or broken."""
    try:
        stated = storable(ask() or "").strip()
    except Exception:  # noqa: BLE001 -- a broken label or title must not cost the page
        return None
    return stated[:most] or None
