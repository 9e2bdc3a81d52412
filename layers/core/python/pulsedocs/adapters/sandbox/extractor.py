"""Pages of a stranger's file, read by children that may die; the parent never does.

A child that dies on a page costs that page: it is marked FAILED, and the next child goes on after
it. What the children may cost together is bounded, so a file made of poison ends as an error.
"""

import signal
import tempfile
import time
from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any, cast

from pulsedocs.adapters.sandbox.child import CANNOT_START
from pulsedocs.adapters.sandbox.frames import BrokenFrame, Frame, page_from
from pulsedocs.adapters.sandbox.isolation import hide_parent
from pulsedocs.adapters.sandbox.process import Child, Silent, request_file
from pulsedocs.errors import (
    ConfigurationError,
    DocumentRejected,
    PDFCorruptedError,
    ResourceExhausted,
    TooMuchText,
    error_named,
)
from pulsedocs.extraction import Budgets
from pulsedocs.extraction.storable import storable
from pulsedocs.model.pages import Page, PageOutcome

_RESTART_CPU_SECONDS = 0.5  # charged for each child: starting one is not free
_CRASHES = frozenset({-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGFPE})
_PARSER = "none"
_MESSAGE_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class SandboxedExtractor:
    """Implements `pulsedocs.ports.PageExtractor`.

    CPU time is kept by the kernel. The two clocks here are for children that wait instead of work:
    `stall_seconds` for one page, `deadline_seconds` for the document.
    """

    budgets: Budgets = field(default_factory=Budgets)
    deadline_seconds: float = 600
    stall_seconds: float = 60

    def pages(self, body: bytes, *, content_type: str) -> Generator[Page, None, None]:
        hide_parent()
        with tempfile.TemporaryDirectory() as directory, request_file(body) as request:
            reading = _Reading(self, request, content_type, Path(directory))
            while not reading.is_finished:
                yield from reading.by_one_child()


class _Reading:
    """How far a document has been read, and what that has cost so far."""

    def __init__(
        self, limits: SandboxedExtractor, body: IO[bytes], content_type: str, directory: Path
    ) -> None:
        self._limits = limits
        self._body = body
        self._content_type = content_type
        self._directory = directory
        self._deadline = time.monotonic() + limits.deadline_seconds
        self._next_page = 1
        self._page_count: int | None = None
        self._characters = 0
        self._spent = 0.0
        self._child_cpu = 0.0
        self.is_finished = False

    def by_one_child(self) -> Iterator[Page]:
        """Yield pages until the child ends; the page it died on comes as a FAILED one."""
        self._child_cpu = _RESTART_CPU_SECONDS
        with Child(self._body, request=self._request(), directory=self._directory) as child:
            yield from self._heard_from(child)
            if self.is_finished:
                return
            how = child.ended()
        self._spent += self._child_cpu
        if how == -signal.SIGXCPU:
            self._spent += self._limits.budgets.page_cpu_seconds
        if not self._is_complete():
            yield self._lost_page(how)
        self.is_finished = self._is_complete()

    def _request(self) -> dict[str, Any]:
        left = self._limits.budgets.document_cpu_seconds - self._spent
        if left < 1 or time.monotonic() >= self._deadline:
            message = "reading the file takes more time than allowed"
            raise ResourceExhausted(message, page=self._next_page)
        return {
            "budgets": asdict(replace(self._limits.budgets, document_cpu_seconds=int(left))),
            "content_type": self._content_type,
            "first_page": self._next_page,
        }

    def _heard_from(self, child: Child) -> Iterator[Page]:
        while (frame := self._frame(child)) is not None:
            self._child_cpu = max(self._child_cpu, frame.cpu_seconds)
            if frame.kind == "error":
                raise _error(frame.content)
            if frame.kind == "end":
                self.is_finished = True
                return
            page = self._accepted(frame, child)
            if page is not None:
                yield page

    def _frame(self, child: Child) -> Frame | None:
        until = min(time.monotonic() + self._limits.stall_seconds, self._deadline)
        try:
            return child.frame(until=until)
        except (Silent, BrokenFrame):
            child.kill()
            return None

    def _accepted(self, frame: Frame, child: Child) -> Page | None:
        """Take what a frame brings; a child that breaks the protocol is not heard again."""
        try:
            if frame.kind == "opened":
                self._page_count = _page_count(frame, self._limits.budgets)
                return None
            page = self._expected(frame)
        except BrokenFrame:
            child.kill()
            return None
        self._next_page += 1
        self._characters += len(page.text)
        if self._characters > self._limits.budgets.document_characters:
            raise TooMuchText(f"more than {self._limits.budgets.document_characters} characters")
        return page

    def _expected(self, frame: Frame) -> Page:
        page = page_from(frame.content, max_characters=self._limits.budgets.page_characters)
        if frame.kind != "page" or page.number != self._next_page or self._is_complete():
            raise BrokenFrame("page out of order")
        return page

    def _is_complete(self) -> bool:
        return self._page_count is not None and self._next_page > self._page_count

    def _lost_page(self, how: int) -> Page:
        if how == CANNOT_START:
            raise ConfigurationError("the libraries that read files cannot be loaded")
        failure = PDFCorruptedError if how in _CRASHES else ResourceExhausted
        if self._page_count is None:
            raise failure(f"the file cannot be opened within its limits (ended with {how})")
        page = Page(self._next_page, "", PageOutcome.FAILED, _PARSER, failure=failure.code)
        self._next_page += 1
        return page


def _page_count(frame: Frame, budgets: Budgets) -> int:
    count = frame.content.get("pages")
    if not isinstance(count, int) or not 0 < count <= budgets.max_pages:
        raise BrokenFrame("page count")
    return count


def _error(content: dict[str, Any]) -> DocumentRejected:
    """Return the error that the child names, if a file can be the cause of it."""
    kind = error_named(str(content.get("name")))
    if kind is None or not issubclass(kind, DocumentRejected):
        kind = PDFCorruptedError
    context: object = content.get("context")
    numbers = cast("dict[object, object]", context) if isinstance(context, dict) else {}
    return kind(
        storable(str(content.get("message")))[:_MESSAGE_CHARACTERS],
        **{str(name): value for name, value in numbers.items() if isinstance(value, int | float)},
    )
