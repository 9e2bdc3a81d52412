"""Traces in the bucket: a bucket that is slow must not keep an answer waiting."""

from typing import Final

from pulsedocs.calls.tries import within
from pulsedocs.errors import ObjectStoreUnavailable
from pulsedocs.model.deadline import Deadline
from pulsedocs.ports import ObjectStore

SECONDS: Final = 5.0
"""The most that one call takes: a trace has at most a few hundred kilobytes."""


class BucketTraceStore:
    """Implements `pulsedocs.ports.TraceStore` for one request, within its deadline."""

    def __init__(self, objects: ObjectStore, *, deadline: Deadline) -> None:
        self._objects = objects
        self._deadline = deadline

    def read(self, key: str) -> bytes:
        until = self._until()
        try:
            return within(until, lambda: self._objects.read(key))
        except TimeoutError:
            raise _late() from None

    def write(self, key: str, body: bytes) -> None:
        until = self._until()
        try:
            within(until, lambda: self._objects.write(key, body))
        except TimeoutError:
            raise _late() from None

    def _until(self) -> Deadline:
        """Return until when to wait; raise TimedOut, without a call, where no time is left."""
        return Deadline.after(self._deadline.timeout(SECONDS))


def _late() -> ObjectStoreUnavailable:
    return ObjectStoreUnavailable("object storage did not answer in time for a trace")
