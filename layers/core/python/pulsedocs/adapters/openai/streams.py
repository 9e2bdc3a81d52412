"""A streamed answer of an OpenAI-compatible API: its lines as they come, or one typed error."""

import socket
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, Final

import httpx2
from openai import APIResponse, OpenAIError

from pulsedocs.adapters.openai.failures import connection_failure, failure_of
from pulsedocs.errors import ProviderMalformed, PulseDocsError
from pulsedocs.model.deadline import Deadline

_TICK_SECONDS: Final = 0.25  # how long a reader who wants to stop is kept waiting
_MAX_BYTES: Final = 16 * 1024 * 1024  # 32,768 tokens, about 250 bytes of JSON each, are 8 MB

Open = Callable[[], APIResponse[Any]]
"""Begins the request and returns its answer once the headers are there."""


def streamed_lines(
    begin: Open, *, silence_seconds: float, deadline: Deadline
) -> Generator[str, None, None]:
    """Yield each line of the answer, and an empty one where none came for a moment.

    Ends with ProviderUnavailable where the deadline passes, or no byte comes for as long as
    `silence_seconds`. A thread reads: a socket cannot be waited for and be left at once.
    """
    silence = Deadline.after(deadline.timeout(silence_seconds))
    reading = _Reading(begin)
    Thread(target=reading.run, name="openai-stream", daemon=True).start()
    try:
        while True:
            left = min(silence.remaining(), deadline.remaining())
            if left <= 0:
                raise connection_failure(is_timeout=True)
            line = reading.next(min(left, _TICK_SECONDS))
            if line is None:
                return
            if line:
                silence = Deadline.after(silence_seconds)
            yield line
    finally:
        reading.stop()


class _Reading:
    """One answer on its way from the thread that reads it to whoever wants its lines."""

    def __init__(self, begin: Open) -> None:
        self._begin = begin
        self._lines: SimpleQueue[str | PulseDocsError | None] = SimpleQueue()
        self._response: APIResponse[Any] | None = None
        self._is_over = Event()

    def next(self, seconds: float) -> str | None:
        """Return the next line, "" where none comes in time, None after the last."""
        try:
            item = self._lines.get(timeout=seconds)
        except Empty:
            return ""
        if isinstance(item, PulseDocsError):
            raise item
        return item

    def run(self) -> None:
        try:
            for line in self._read():
                self._lines.put(line)
        except PulseDocsError as error:
            self._lines.put(error)
        except OpenAIError as error:
            self._lines.put(failure_of(error))
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            is_timeout = isinstance(error, TimeoutError | httpx2.TimeoutException)
            self._lines.put(connection_failure(is_timeout=is_timeout))
        else:
            self._lines.put(None)

    def _read(self) -> Iterator[str]:
        response = self._response = self._begin()
        if self._is_over.is_set():
            response.close()
            return
        try:
            yield from _lines_of(response.iter_bytes())
        finally:
            response.close()

    def stop(self) -> None:
        """Cut the connection: the provider writes no further, and the thread ends."""
        self._is_over.set()
        if self._response is not None:
            _cut(self._response)


def _cut(response: APIResponse[Any]) -> None:
    """Shut the socket down: closing it would leave the other thread waiting for its next byte."""
    stream = response.http_response.extensions.get("network_stream")
    connection = stream.get_extra_info("socket") if stream is not None else None
    if connection is not None:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


def _lines_of(parts: Iterator[bytes]) -> Iterator[str]:
    waiting, size = b"", 0
    for part in parts:
        size += len(part)
        if size > _MAX_BYTES:
            message = f"the provider's answer is longer than {_MAX_BYTES} bytes"
            raise ProviderMalformed(message)
        *lines, waiting = (waiting + part).split(b"\n")
        yield from (_text(line) for line in lines)
    if waiting:
        yield _text(waiting)


def _text(line: bytes) -> str:
    try:
        return line.decode().rstrip("\r")
    except UnicodeDecodeError:
        message = "the provider's answer is not UTF-8"
        raise ProviderMalformed(message) from None
