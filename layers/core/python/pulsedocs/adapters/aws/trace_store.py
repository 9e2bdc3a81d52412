"""Traces in the bucket: a bucket that is slow must not keep an answer waiting."""

from collections.abc import Callable
from typing import Final, TypeVar

from pulsedocs.calls.tries import within
from pulsedocs.errors import ObjectStoreUnavailable
from pulsedocs.model.deadline import Deadline
from pulsedocs.ports.objects import ObjectStore

Result = TypeVar("Result")

SECONDS: Final = 5.0
"""The most that one call takes: a trace has at most a few hundred kilobytes."""


class BucketTraceStore:
    """Implements `questions.ports.TraceStore` for one request, within its deadline."""

    def __init__(self, objects: ObjectStore, *, deadline: Deadline) -> None:
        self._objects = objects
        self._deadline = deadline

    def exists(self, key: str) -> bool:
        return self._in_time(lambda: self._objects.exists(key))

    def read(self, key: str) -> bytes:
        return self._in_time(lambda: self._objects.read(key))

    def write(self, key: str, body: bytes) -> None:
        self._in_time(lambda: self._objects.write(key, body))

    def _in_time(self, call: Callable[[], Result]) -> Result:
        """Wait for a call; raise TimedOut, without it, where no time is left."""
        until = Deadline.after(self._deadline.timeout(SECONDS))
        try:
            return within(until, call)
        except TimeoutError:
            message = "object storage did not answer in time for a trace"
            raise ObjectStoreUnavailable(message) from None
