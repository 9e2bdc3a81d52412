"""Who may use one of a few workers: tenants in turn, and nobody waits for nothing."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

from local.fair_queue import FairQueue
from pulsedocs.errors import Throttled

# A caller of the API waits as long as API Gateway lets an integration take, then hears 429.
PATIENCE_SECONDS: Final = 29.0
_WAITING: Final = 1000  # of them at once; each holds a thread
_LOOK_SECONDS: Final = 0.5
BUSY: Final = "every worker of this stage is busy"


class ClientLeft(Exception):
    """Whoever asked does not wait for the answer any more."""


class StageStops(Exception):
    """Nothing is begun any more."""


class Turns:
    """`limit` callers at once; the others wait, each party in order, as `FairQueue` says."""

    def __init__(self, limit: int) -> None:
        self._queue = FairQueue[threading.Event](limit)
        self._lock = threading.Lock()
        self._is_closed = False

    @property
    def is_free(self) -> bool:
        with self._lock:
            return self._queue.is_free

    @contextmanager
    def taken(
        self,
        party: str = "",
        *,
        patience: float | None = None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> Generator[None]:
        """Wait for a turn and hold it; raises Throttled, ClientLeft or StageStops.

        Without `patience` a caller waits until the stage stops. `is_wanted` is asked while
        waiting, and before the turn begins.
        """
        ticket = threading.Event()
        with self._lock:
            if self._is_closed:
                raise StageStops
            if len(self._queue) >= _WAITING and patience is not None:
                raise Throttled(BUSY)
            self._queue.add(party, ticket)
            self._let_in()
        deadline = None if patience is None else time.monotonic() + patience
        while not ticket.wait(_LOOK_SECONDS):
            if deadline is not None and time.monotonic() > deadline:
                self._leave(party, ticket, Throttled(BUSY))
            elif not is_wanted():
                self._leave(party, ticket, ClientLeft())
        try:
            if self._is_closed:
                raise StageStops
            if not is_wanted():
                raise ClientLeft
            yield
        finally:
            with self._lock:
                self._queue.release(party)
                self._let_in()

    def close(self) -> None:
        """Let everybody who waits go, with StageStops."""
        with self._lock:
            self._is_closed = True
            for ticket in self._queue.clear():
                ticket.set()

    def _let_in(self) -> None:
        while ticket := self._queue.take():
            ticket.set()

    def _leave(self, party: str, ticket: threading.Event, reason: Exception) -> None:
        """Give the place in the queue up, unless the turn came this very moment."""
        with self._lock:
            if ticket.is_set():
                return
            self._queue.withdraw(party, ticket)
        raise reason
