"""Pages of an untrusted file, read by child processes that may die; the parent never does.

A child that dies on a page costs that page: it is marked FAILED, and the next child goes on after
it. What the children may cost together is bounded, so a file that kills every child ends as
an error.
"""

import signal
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, cast

from pulsedocs.adapters.sandbox.child import CANNOT_START
from pulsedocs.adapters.sandbox.frames import BrokenFrame, Frame, page_from, pages_within
from pulsedocs.adapters.sandbox.isolation import hide_parent
from pulsedocs.adapters.sandbox.process import Child, Silent, request_file
from pulsedocs.errors import (
    ConfigurationError,
    DocumentRejected,
    ResourceExhausted,
    TooMuchText,
    error_named,
)
from pulsedocs.extraction import Budgets, broken_as
from pulsedocs.extraction.storable import storable
from pulsedocs.model.pages import Page, PageOutcome

_RESTART_CPU_SECONDS = 0.5  # charged for each child: starting one is not free
_CRASHES = frozenset({-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGFPE})
_PARSER = "none"
_MESSAGE_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class SandboxedExtractor:
    """Implements `ingestion.ports.PageExtractor`.

    CPU time is kept by the kernel. The two clocks here are for children that wait instead of work:
    `stall_seconds` for one page, `deadline_seconds` for the document. With `languages`, the words
    of pages that are pictures are recognised.
    """

    budgets: Budgets = field(default_factory=Budgets)
    deadline_seconds: float = 600
    stall_seconds: float = 60
    languages: Sequence[str] = ()

    @contextmanager
    def open(
        self, body: bytes, *, content_type: str, first: int = 1, last: int | None = None
    ) -> Generator["SandboxedFile"]:
        hide_parent()
        with ExitStack() as held:
            try:
                directory = Path(held.enter_context(tempfile.TemporaryDirectory()))
            except OSError:
                # A full /tmp must not cost the document. The child may not write a byte, so that
                # any directory will do; an empty one has nothing to be read either.
                directory = Path("/")
            try:
                request = held.enter_context(request_file(body))
            except OSError as error:
                message = f"{len(body)} bytes are more than there is memory for ({error.strerror})"
                raise ResourceExhausted(message) from error
            reading = _Reading(self, request, content_type, directory, asked_for=(first, last))
            pages = held.enter_context(closing(reading.pages()))
            yield SandboxedFile(*reading.after_opening(pages))

    def pages(
        self, body: bytes, *, content_type: str, first: int = 1, last: int | None = None
    ) -> Generator[Page]:
        """Yield the pages of a file that is opened for them and closed behind them."""
        with self.open(body, content_type=content_type, first=first, last=last) as file:
            yield from file.pages


@dataclass(frozen=True, slots=True)
class SandboxedFile:
    """Implements `ingestion.ports.OpenedFile`."""

    page_count: int
    pages: Iterator[Page]


class _Reading:
    """How far a document has been read, and what that has cost so far."""

    def __init__(
        self,
        limits: SandboxedExtractor,
        body: IO[bytes],
        content_type: str,
        directory: Path,
        *,
        asked_for: tuple[int, int | None],
    ) -> None:
        self._limits = limits
        self._asked_for = asked_for
        self._body = body
        self._content_type = content_type
        self._directory = directory
        self._deadline = time.monotonic() + limits.deadline_seconds
        self._next_page = asked_for[0]
        self._page_count: int | None = None
        self._characters = 0
        self._spent = 0.0
        self._child_cpu = 0.0
        self._is_finished = False

    def pages(self) -> Generator[Page]:
        while not self._is_finished:
            yield from self._read_by_one_child()

    def after_opening(self, pages: Iterator[Page]) -> tuple[int, Iterator[Page]]:
        """Return how many pages the file has, and those asked for: the first is read by then."""
        head = list(islice(pages, 1))
        if self._page_count is None:
            raise broken_as(self._content_type)("the file ends before it is opened")
        return self._page_count, chain(head, pages)

    def _read_by_one_child(self) -> Iterator[Page]:
        """Yield pages until the child ends; the page it died on comes as a FAILED one."""
        self._child_cpu = _RESTART_CPU_SECONDS
        with self._start_child() as child:
            while (frame := self._next_frame(child)) is not None:
                self._child_cpu = max(self._child_cpu, frame.cpu_seconds)
                if frame.kind == "error":
                    raise _error(frame.content, self._content_type)
                if frame.kind == "end":
                    self._is_finished = True
                    return
                page = self._accept(frame, child)
                if page is not None:
                    yield page
            how = child.ended()
        self._spent += self._child_cpu
        if how == -signal.SIGXCPU:
            self._spent += self._limits.budgets.page_cpu_seconds
        if not self._is_complete():
            yield self._give_up_page(how)
        self._is_finished = self._is_complete()

    def _start_child(self) -> Child:
        """Start a child on the next page, if the document has time left."""
        budgets = self._limits.budgets
        allowed = budgets.document_cpu_seconds
        if self._page_count is not None:
            wanted = pages_within(self._asked_for, page_count=self._page_count)
            allowed = budgets.cpu_seconds_for(len(wanted), page_count=self._page_count)
        if allowed - self._spent < 1 or time.monotonic() >= self._deadline:
            message = "reading the file takes more time than allowed"
            raise ResourceExhausted(message, page=self._next_page)
        request = {
            "budgets": asdict(budgets),
            "content_type": self._content_type,
            "range": self._asked_for,
            "first_page": self._next_page,
            "spent": self._spent,
            "languages": list(self._limits.languages),
        }
        try:
            return Child(self._body, request=request, directory=self._directory)
        except OSError as error:
            message = f"no process can be started to read the file ({error.strerror})"
            raise ResourceExhausted(message, page=self._next_page) from error

    def _next_frame(self, child: Child) -> Frame | None:
        until = min(time.monotonic() + self._limits.stall_seconds, self._deadline)
        try:
            return child.frame(until=until)
        except (Silent, BrokenFrame):
            child.kill()
            return None

    def _accept(self, frame: Frame, child: Child) -> Page | None:
        """Take what a frame brings; a child that breaks the protocol is not heard again."""
        budgets = self._limits.budgets
        if frame.kind == "opened":
            count = frame.content.get("pages")
            if isinstance(count, int) and 0 < count <= budgets.max_pages:
                self._page_count = count
            else:
                child.kill()
            return None
        page: Page | None = None
        with suppress(BrokenFrame):
            page = page_from(frame.content, max_characters=budgets.page_characters)
        is_due = page is not None and page.number == self._next_page and not self._is_complete()
        if page is None or frame.kind != "page" or not is_due:
            child.kill()
            return None
        self._next_page += 1
        self._characters += len(page.text)
        if self._characters > budgets.document_characters:
            raise TooMuchText(f"more than {budgets.document_characters} characters")
        return page

    def _is_complete(self) -> bool:
        if self._page_count is None:
            return False
        return self._next_page >= pages_within(self._asked_for, page_count=self._page_count).stop

    def _give_up_page(self, how: int) -> Page:
        if how == CANNOT_START:
            raise ConfigurationError("the libraries that read files cannot be loaded")
        failure = broken_as(self._content_type) if how in _CRASHES else ResourceExhausted
        if self._page_count is None:
            raise failure(f"the file cannot be opened within its limits (ended with {how})")
        page = Page(self._next_page, "", PageOutcome.FAILED, _PARSER, failure=failure.code)
        self._next_page += 1
        return page


def _error(content: dict[str, Any], content_type: str) -> DocumentRejected:
    """Return the error that the child names, if a file can be the cause of it."""
    kind = error_named(str(content.get("name")))
    if kind is None or not issubclass(kind, DocumentRejected):
        kind = broken_as(content_type)
    context: object = content.get("context")
    numbers = cast("dict[object, object]", context) if isinstance(context, dict) else {}
    return kind(
        storable(str(content.get("message")))[:_MESSAGE_CHARACTERS],
        **{str(name): value for name, value in numbers.items() if isinstance(value, int | float)},
    )
