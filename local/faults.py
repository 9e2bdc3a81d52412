"""Break a worker at a named point, once: for tests, and for nothing else.

A fault is written `point:action:nth` and strikes the nth time that the point is reached:
`raise` fails the step with a retryable error, `kill` ends the process without a word, `drop`
cuts its connection to the database.
"""

import os
import signal
import socket
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pulsedocs import faults
from pulsedocs.errors import StoreUnavailable


@dataclass(frozen=True, slots=True)
class Fault:
    point: str
    action: str
    nth: int = 1

    @classmethod
    def parse(cls, text: str) -> "Fault":
        """Read `point:action:nth`; raises ValueError for anything else."""
        point, action, nth = text.split(":")
        if action not in _ACTIONS:
            raise ValueError(f"{action!r} is none of {', '.join(_ACTIONS)}")
        return cls(point=point, action=action, nth=int(nth))


def install(texts: Sequence[str]) -> None:
    """Arm this process with faults; a point that never comes leaves them unused."""
    armed = [Fault.parse(text) for text in texts]
    reached: Counter[str] = Counter()

    def strike(point: str) -> None:
        reached[point] += 1
        for fault in armed:
            if (fault.point, fault.nth) == (point, reached[point]):
                _ACTIONS[fault.action](point)

    faults.install(strike)


def _fail(point: str) -> None:
    raise StoreUnavailable(f"fault injected at {point}")


def _kill(_point: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _drop(_point: str) -> None:
    """Shut every socket that leads to the database, as a failover would."""
    port = urlsplit(os.environ.get("DATABASE_URL", "")).port
    for descriptor in list(Path("/dev/fd").iterdir()):
        try:
            connection = socket.socket(fileno=os.dup(int(descriptor.name)))
        except OSError:  # not a socket, or the listing's own descriptor
            continue
        # An OSError or IndexError: it is not connected, or of another family.
        with connection, suppress(OSError, IndexError):
            if connection.getpeername()[1] == port:
                connection.shutdown(socket.SHUT_RDWR)


_ACTIONS = {"raise": _fail, "kill": _kill, "drop": _drop}
