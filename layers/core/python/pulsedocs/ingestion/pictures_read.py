"""Ingestion: pages that are or have pictures, read by a service; all others as they are."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from pulsedocs.errors import DocumentRejected, FileUnreadable, NoBoxes
from pulsedocs.extraction.outcomes import MORE_WORDS, outcome_of
from pulsedocs.extraction.recognition import or_nothing
from pulsedocs.extraction.words_on_pictures import with_words
from pulsedocs.ingestion.ports import OpenedFile, PageExtractor
from pulsedocs.model.pages import Page, PageOutcome
from pulsedocs.questions.pictures_read import PictureBoxes


@dataclass(frozen=True, slots=True)
class PageReadElsewhere:
    """Implements `OpenedFile`."""

    page_count: int
    pages: Iterator[Page]


@dataclass(frozen=True, slots=True)
class PicturesRead:
    """Implements `PageExtractor`.

    A picture that the service does not take is a FAILED page; what passes, or waits for a person,
    is raised, and the pages before it are not paid for again.
    """

    extractor: PageExtractor
    pictures: PictureBoxes

    @contextmanager
    def open(
        self, body: bytes, *, content_type: str, first: int = 1, last: int | None = None
    ) -> Generator[OpenedFile]:
        reading = self.extractor.open(body, content_type=content_type, first=first, last=last)
        with reading as file:
            pages = (self._read(page, body, content_type) for page in file.pages)
            yield PageReadElsewhere(file.page_count, pages)

    def _read(self, page: Page, body: bytes, content_type: str) -> Page:
        if not page.needs_recognition:
            return page
        name = self.pictures.reader.name
        try:
            return self._recognised(page, body, content_type, name)
        except NoBoxes:
            return _failed(page, FileUnreadable.code, name)
        except DocumentRejected as refused:
            return _failed(page, refused.code, name)

    def _recognised(self, page: Page, body: bytes, content_type: str, name: str) -> Page:
        ask = partial(self.pictures.read, body, content_type=content_type, page=page.number)
        if not page.is_picture:
            found, _ = ask(pictures_only=True)
            return with_words(page, found, reader=name)
        found = or_nothing(ask()[0])
        if len(found.text) <= MORE_WORDS * len(page.text.strip()):
            beside = replace(page, is_picture=False, pictures=page.pictures if found.text else ())
            return self._recognised(beside, body, content_type, name) if beside.pictures else beside
        return replace(
            page,
            text=found.text,
            outcome=outcome_of(found.text, is_recognised=True),
            parser=name,
            headings=(),
            verbatim=(),
            is_picture=False,
            pictures=(),
            confidence=found.confidence,
            certainties=found.certainties,
        )


def _failed(page: Page, code: str, name: str) -> Page:
    return replace(
        page,
        text="",
        outcome=PageOutcome.FAILED,
        parser=name,
        failure=code,
        headings=(),
        verbatim=(),
        is_picture=False,
        pictures=(),
    )
