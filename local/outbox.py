"""What AWS has accepted and not finished: events on their way, executions that run.

EventBridge, Lambda and Step Functions keep these through any crash; a durable stage keeps them in
a folder and takes them up again when it starts. An execution starts over under its old name, so
that the claim it holds is its own.
"""

import json
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from time import time_ns


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event for one target; `name` is unique, and that of the execution it starts."""

    name: str
    target: str
    event: str
    accepted: int


class Outbox:
    """Deliveries that have not ended, in order; without a folder they end with the process."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._open: dict[str, Delivery] = {}
        self.is_closed = False
        if folder is not None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = [Delivery(**json.loads(path.read_text())) for path in folder.glob("*.json")]
            self._open = {each.name: each for each in sorted(found, key=lambda one: one.accepted)}

    def left(self) -> list[Delivery]:
        """Return what has not ended, the oldest first."""
        with self._lock:
            return list(self._open.values())

    def add(self, name: str, *, target: str, event: bytes) -> Delivery:
        """Take an event; it is on disk when this returns. Raises OSError."""
        delivery = Delivery(name, target, event.decode(), time_ns())
        if self._folder is not None:
            draft = self._path(self._folder, name).with_suffix(".draft")
            draft.write_text(json.dumps(asdict(delivery)))
            draft.rename(self._path(self._folder, name))
        with self._lock:
            self._open[name] = delivery
        return delivery

    def end(self, name: str) -> None:
        """Let go of what has ended, well or badly; what the stop of a stage ended stays."""
        with self._lock:
            if self.is_closed or self._open.pop(name, None) is None:
                return
        if self._folder is not None:
            self._path(self._folder, name).unlink(missing_ok=True)

    def close(self) -> None:
        """Keep what is left as it is: from here on work ends because the stage does."""
        with self._lock:
            self.is_closed = True

    @staticmethod
    def _path(folder: Path, name: str) -> Path:
        return folder / f"{name}.json"
