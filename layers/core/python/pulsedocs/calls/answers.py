"""An answer on its way: read whole, or piece by piece while it is written; or one typed error."""

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Final, Generic, Protocol, TypeVar

from pulsedocs.calls.failures import connection_failure
from pulsedocs.calls.tries import tried_twice, within
from pulsedocs.errors import ProviderMalformed
from pulsedocs.model.deadline import Deadline

_TICK_SECONDS: Final = 0.25  # how long a reader who wants to stop is kept waiting
_MAX_STREAM_BYTES: Final = 16 * 1024 * 1024
"""32,768 tokens, about 250 bytes of JSON each, are 8 MB."""

Item = TypeVar("Item")


class ProviderAnswer(Protocol):
    """What a server says after it has taken a request. Every error is one of the tree."""

    @property
    def headers(self) -> Mapping[str, str]: ...

    def parts(self) -> Iterator[bytes]:
        """Yield the body as it comes; raise where it ends before its end."""
        ...

    def cut(self) -> None:
        """End a read that another thread waits in."""
        ...

    def close(self) -> None: ...


Begin = Callable[[float], ProviderAnswer]
"""Sends a request with a timeout in seconds, and returns once the headers are there."""


@dataclass(frozen=True, slots=True)
class Whole:
    """An answer that was read to its end."""

    headers: Mapping[str, str]
    body: bytes


def whole_answer(
    begin: Begin, *, timeout_seconds: float, max_bytes: int, deadline: Deadline
) -> Whole:
    """Return the whole answer to a request; raise one of the Provider* errors."""

    def once() -> Whole:
        until = Deadline.after(deadline.timeout(timeout_seconds))
        try:
            return within(until, lambda: _read(begin, until, max_bytes))
        except TimeoutError:
            raise connection_failure(is_timeout=True) from None

    return tried_twice(once, deadline=deadline)


def _read(begin: Begin, until: Deadline, max_bytes: int) -> Whole:
    answer = begin(until.remaining())
    try:
        return Whole(answer.headers, b"".join(_bounded(answer.parts(), max_bytes, until)))
    finally:
        answer.close()


def _bounded(
    parts: Iterator[bytes], max_bytes: int, until: Deadline | None = None
) -> Iterator[bytes]:
    size = 0
    for part in parts:
        size += len(part)
        if size > max_bytes:
            raise ProviderMalformed(f"the provider's answer is longer than {max_bytes} bytes")
        if until is not None and until.remaining() <= 0:
            raise TimeoutError
        yield part


def arriving(
    begin: Begin,
    decode: Callable[[Iterator[bytes]], Iterator[Item]],
    *,
    silence_seconds: float,
    deadline: Deadline,
) -> Generator[Item | None, None, None]:
    """Yield each item that `decode` makes of the answer, and None where none came for a moment.

    Ends with ProviderUnavailable where the deadline passes, or no item that says anything comes
    for as long as `silence_seconds`. A thread reads: a socket cannot be waited for and be left at
    once.
    """
    silence = Deadline.after(deadline.timeout(silence_seconds))
    reading = _Reading(
        (lambda: tried_twice(lambda: begin(deadline.timeout(silence_seconds)), deadline=deadline)),
        decode,
    )
    Thread(target=reading.run, name="provider-stream", daemon=True).start()
    try:
        while True:
            left = min(silence.remaining(), deadline.remaining())
            if left <= 0:
                raise connection_failure(is_timeout=True)
            item = reading.next(min(left, _TICK_SECONDS))
            if isinstance(item, _End):
                return
            if item:
                silence = Deadline.after(silence_seconds)
            yield item
    finally:
        reading.stop()


class _End:
    """Follows the last item."""


class _Reading(Generic[Item]):
    """One answer on its way from the thread that reads it to whoever wants its items."""

    def __init__(
        self,
        begin: Callable[[], ProviderAnswer],
        decode: Callable[[Iterator[bytes]], Iterator[Item]],
    ) -> None:
        self._begin = begin
        self._decode = decode
        self._items: SimpleQueue[Item | BaseException | _End] = SimpleQueue()
        self._answer: ProviderAnswer | None = None
        self._is_over = Event()

    def next(self, seconds: float) -> Item | _End | None:
        """Return the next item, or None where none comes in time."""
        try:
            item = self._items.get(timeout=seconds)
        except Empty:
            return None
        if isinstance(item, BaseException):
            raise item
        return item

    def run(self) -> None:
        try:
            for item in self._read():
                self._items.put(item)
        except BaseException as error:  # noqa: BLE001 -- raised again in the thread that waits
            self._items.put(error)
        else:
            self._items.put(_End())

    def _read(self) -> Iterator[Item]:
        answer = self._answer = self._begin()
        try:
            if not self._is_over.is_set():
                yield from self._decode(_bounded(answer.parts(), _MAX_STREAM_BYTES))
        finally:
            answer.close()

    def stop(self) -> None:
        """Cut the connection: the provider writes no further, and the thread ends."""
        self._is_over.set()
        if self._answer is not None:
            self._answer.cut()


def lines_of(parts: Iterator[bytes]) -> Iterator[str]:
    """Decode lines of text, as server-sent events are."""
    waiting = b""
    for part in parts:
        *lines, waiting = (waiting + part).split(b"\n")
        yield from (_text(line) for line in lines)
    if waiting:
        yield _text(waiting)


def _text(line: bytes) -> str:
    try:
        return line.decode().rstrip("\r")
    except UnicodeDecodeError:
        raise ProviderMalformed("the provider's answer is not UTF-8") from None
