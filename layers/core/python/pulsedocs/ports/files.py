"""What reads a file: its pages, and where on a page characters stand."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol
from uuid import UUID

from pulsedocs.model.highlights import Highlight, PagePlace
from pulsedocs.model.pages import Page


class OpenedFile(Protocol):
    """A stranger's file that is being read; its pages come once, in order."""

    @property
    def page_count(self) -> int:
        """How many pages the file has, whichever of them are asked for."""
        ...

    @property
    def pages(self) -> Iterator[Page]: ...


class PageExtractor(Protocol):
    """Reads a stranger's file within budgets. Raises DocumentRejected and what is below it."""

    def open(
        self, body: bytes, *, content_type: str, first: int = 1, last: int | None = None
    ) -> AbstractContextManager[OpenedFile]:
        """Open a file to read its pages `first` to `last`, or to the end.

        A page is the same in whichever range it is read. Leaving the context ends the reading.
        """
        ...


class PageLocator(Protocol):
    def place(
        self, tenant_id: UUID, document_id: UUID, page: int, *, start: int, end: int
    ) -> PagePlace:
        """Return where in the stored file the words of a page's text lie.

        Raises DocumentNotFound, PageNotFound, InvalidRequest and NoBoxes.
        """
        ...


class BoxFinder(Protocol):
    def find(self, place: PagePlace) -> Highlight:
        """Return the rectangles of the words. Raises NoBoxes and ObjectNotFound."""
        ...


class BoxReader(Protocol):
    """Measures a stranger's file within budgets. Raises NoBoxes."""

    def boxes(
        self,
        body: bytes,
        *,
        content_type: str,
        page: int,
        ranges: Sequence[tuple[int, int]],
        text_sha256: str,
    ) -> Highlight: ...
