"""The local stage as a service: one at a time in a directory, found by its endpoint file.

The process that runs a stage holds a lock on the directory, which ends with it however it ends:
a stage that was killed is never taken for a running one.
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any, Final
from uuid import UUID

from local.places import REPOSITORY, command
from local.private_files import write_private

_START_SECONDS: Final = 900  # the first start fetches the models
_STOP_SECONDS: Final = 120  # for hangs: the process itself ends after 30
_SWEEP_SECONDS: Final = 300  # the function's own limit
_POLL_SECONDS: Final = 0.1
_PROBED_SECONDS: Final = 1  # whoever looks for a running stage holds its lock for a moment


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`.local/endpoint.json`: all that a client of the stage needs."""

    url: str
    token: str
    tenant_id: UUID
    database_url: str
    pid: int
    bucket: str = ""
    s3_url: str = ""
    """For any S3 client, with the key pair below."""
    s3_access_key: str = ""
    s3_secret_key: str = ""
    console: str = ""
    """The address that signs a browser in; see `local.door`."""

    def write(self, path: Path) -> None:
        """Replace the file in one step, readable by its owner only."""
        told = {**asdict(self), "tenant_id": str(self.tenant_id)}
        write_private(path, json.dumps(told, indent=2).encode())

    @classmethod
    def read(cls, path: Path) -> "Endpoint":
        found: dict[str, Any] = json.loads(path.read_text())
        found["tenant_id"] = UUID(found["tenant_id"])
        return cls(**found)


class StageFailed(Exception):
    """The stage did not start or stop; the message says where to look."""


class AlreadyRunning(Exception):
    """Another process runs a stage in this directory."""


class Service:
    """The stage of one directory, seen from outside."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory.absolute()

    @property
    def endpoint_file(self) -> Path:
        return self.directory / "endpoint.json"

    @property
    def log(self) -> Path:
        return self.directory / "stage.log"

    @contextmanager
    def running(self) -> Generator[None]:
        """Hold the directory for the process that runs the stage; raises AlreadyRunning."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with self._lock_file.open("a") as lock:
            if not _wait_until(lambda: _is_locked(lock, fcntl.LOCK_EX), _PROBED_SECONDS):
                raise AlreadyRunning(str(self.directory))
            try:
                self.endpoint_file.unlink(missing_ok=True)  # of one that was killed
                lock.truncate(0)
                lock.write(str(os.getpid()))
                lock.flush()
                yield
            finally:
                self.endpoint_file.unlink(missing_ok=True)

    def endpoint(self) -> Endpoint | None:
        """Return where the stage is, or None when none is ready."""
        if not self.is_running():
            return None
        with suppress(FileNotFoundError):
            return Endpoint.read(self.endpoint_file)
        return None

    def is_running(self) -> bool:
        """Say whether a stage is ready, starting or stopping."""
        if not self._lock_file.exists():
            return False
        with self._lock_file.open("r") as lock:
            return not _is_locked(lock, fcntl.LOCK_SH)

    def start(self, *, port: int) -> Endpoint:
        """Start a stage in the background and wait until it is ready; raises StageFailed.

        One that somebody else is starting is waited for; one that is stopping, until it has.
        """
        if _wait_until(
            lambda: not self.is_running() or self.endpoint() is not None, _START_SECONDS
        ):
            already = self.endpoint()
            if already is not None:
                return already
        self.directory.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "local", "up", "--foreground"),
                    *("--directory", self.directory, "--port", str(port)),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=REPOSITORY,
                start_new_session=True,
            )
        _wait_until(
            lambda: (
                self.endpoint() is not None
                or (process.poll() is not None and not self.is_running())
            ),
            _START_SECONDS,
        )
        endpoint = self.endpoint()
        if endpoint is None:
            with suppress(ProcessLookupError):
                process.terminate()
            log = self.log.read_text(errors="replace")[-3000:]
            raise StageFailed(f"the stage did not start:\n{log}")
        return endpoint

    def stop(self) -> bool:
        """Stop the stage and wait until nothing of it is left; False when none was running."""
        if not self.is_running():
            self.endpoint_file.unlink(missing_ok=True)
            return False
        pid = int(self._lock_file.read_text() or 0)
        if pid:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        if not _wait_until(lambda: not self.is_running(), _STOP_SECONDS):
            raise StageFailed(f"process {pid} does not stop; see {self.log}")
        return True

    def renew_token(self, token: str) -> None:
        """Give the endpoint a new token; the one that it had stays good until its own end."""
        with suppress(FileNotFoundError):  # the stage is stopping
            replace(Endpoint.read(self.endpoint_file), token=token).write(self.endpoint_file)

    def sweep(self) -> dict[str, Any]:
        """Let the running stage make a full pass of the sweep; return its report."""
        running = self.endpoint()
        if running is None:
            raise StageFailed(f"the stage is not up: {command('up')}")
        self._sweep_file.unlink(missing_ok=True)
        os.kill(running.pid, signal.SIGUSR1)
        if not _wait_until(self._sweep_file.exists, _SWEEP_SECONDS):
            raise StageFailed(f"the sweep does not end; see {self.log}")
        return json.loads(self._sweep_file.read_text())

    def keep_sweep_report(self, report: dict[str, Any]) -> None:
        """Write the report in one step: whoever waits for the file must find all of it."""
        draft = self._sweep_file.with_suffix(".draft")
        draft.write_text(json.dumps(report))
        draft.rename(self._sweep_file)

    @property
    def _sweep_file(self) -> Path:
        return self.directory / "sweep.json"

    @property
    def _lock_file(self) -> Path:
        return self.directory / "stage.lock"


def _is_locked(file: IO[str], how: int) -> bool:
    """Take a lock that ends with the file, if nobody stands in its way."""
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _wait_until(is_so: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True
