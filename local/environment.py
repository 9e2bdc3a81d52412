"""One running environment of a function: the process, its pipes and its time limit."""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, Protocol
from uuid import uuid4

from local.lambda_errors import (
    RESPONSE_LIMIT_BYTES,
    Invocation,
    exited,
    failed,
    response_too_large,
    timed_out,
)
from local.places import REPOSITORY

_INITIALISATION_SECONDS: Final = 300  # for hangs: Lambda allows 10, busy cores import openai slower
_READ_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class LocalFunction:
    """A function as deployed here. `variables` is its whole environment beside the runtime's."""

    name: str
    handler: str
    arn: str
    timeout_seconds: float
    memory_mb: int
    variables: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Program:
    """How a process is started: its command, where it begins, and its whole environment."""

    command: Sequence[str]
    folder: Path
    variables: Mapping[str, str]


class RunningEnvironment(Protocol):
    """What handles the events of one function, one at a time."""

    is_broken: bool

    def invoke(self, event: bytes) -> Invocation: ...

    def watch_start(self) -> None: ...

    def close(self) -> None: ...


class Process(Protocol):
    """What an environment asks of the process it runs in.

    It leads a session of its own, so that a kill takes the handler's own children along.
    """

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    returncode: int | None

    def wait(self) -> int: ...


class StartProcess(Protocol):
    """Starts the process of an environment: a new interpreter, or in a test a fork of one."""

    def __call__(self, function: LocalFunction, *, log: Path, faults: Sequence[str]) -> Process: ...


def new_interpreter(function: LocalFunction, *, log: Path, faults: Sequence[str]) -> Process:
    """Start `local.worker` from nothing, as Lambda does."""
    with log.open("ab") as output:
        return subprocess.Popen(
            [
                sys.executable,
                *("-m", "local.worker", function.handler),
                *(part for fault in faults for part in ("--fault", fault)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            cwd=REPOSITORY,
            env=process_variables(function),
            start_new_session=True,
        )


class StartEnvironment(Protocol):
    """Starts an environment: ours, or in a test what Lambda itself runs."""

    def __call__(
        self, function: LocalFunction, *, log: Path, faults: Sequence[str] = ()
    ) -> RunningEnvironment: ...


class EnvironmentGone(Exception):
    """The process died while idle, before it took an event: another one may take it."""


class Environment:
    """Handles one event at a time; broken after a crash or a timeout, like Lambda's."""

    def __init__(
        self,
        function: LocalFunction,
        *,
        log: Path,
        faults: Sequence[str] = (),
        start: StartProcess = new_interpreter,
    ) -> None:
        self._function = function
        self._buffer = bytearray()
        self._in_use = threading.RLock()  # whoever closes waits until the pipes are let go
        self._is_ready = False
        self.is_broken = False
        self._process = start(function, log=log, faults=faults)

    def invoke(self, event: bytes) -> Invocation:
        """Run the handler on an event in JSON; every failure is an answer, as on Lambda."""
        request_id, limit = str(uuid4()), self._function.timeout_seconds
        with self._in_use:
            self._await_ready()
            context = {
                "request_id": request_id,
                "function_name": self._function.name,
                "function_arn": self._function.arn,
                "memory_mb": self._function.memory_mb,
                "timeout_seconds": self._function.timeout_seconds,
            }
            request = {"event": json.loads(event or b"{}"), "context": context}
            assert self._process.stdin is not None  # noqa: S101 -- opened with a pipe
            try:
                self._process.stdin.write(json.dumps(request).encode() + b"\n")
                self._process.stdin.flush()
            except (BrokenPipeError, ValueError):  # it is dead; its pipe may be closed already
                self.close()
                raise EnvironmentGone from None
            try:
                line = self._read_line(time.monotonic() + limit)
            except TimeoutError:
                self.close()
                return timed_out(request_id=request_id, seconds=limit)
            if line is None:
                return exited(request_id=request_id, status=self._end())
        answer = json.loads(line)
        if "error" in answer:
            return failed(answer["error"])
        payload = str(answer["result"]).encode()
        if len(payload) > RESPONSE_LIMIT_BYTES:
            return response_too_large()
        return Invocation(payload, None, answer["cpu_seconds"], answer["peak_memory_mb"])

    def watch_start(self) -> None:
        """Return when the process has loaded its handler, without taking a turn."""
        deadline = time.monotonic() + _INITIALISATION_SECONDS
        assert self._process.stdout is not None  # noqa: S101 -- opened with a pipe
        while not (self._is_ready or self.is_broken) and time.monotonic() < deadline:
            with suppress(ValueError):  # closed meanwhile
                if _is_readable(self._process.stdout.fileno(), 0.1):
                    return

    def close(self) -> None:
        """End the process and whatever it started, at once."""
        if self._process.returncode is None:
            self._kill_group()
        with self._in_use:
            self._end()

    def _await_ready(self) -> None:
        if self._is_ready:
            return
        try:
            line = self._read_line(time.monotonic() + _INITIALISATION_SECONDS)
        except TimeoutError:
            line = None
        if line is None:
            self.close()
            raise EnvironmentGone
        self._is_ready = True

    def _read_line(self, deadline: float) -> bytes | None:
        """Return the next line, or None at the end of the stream; raises TimeoutError."""
        assert self._process.stdout is not None  # noqa: S101 -- opened with a pipe
        descriptor = self._process.stdout.fileno()
        while b"\n" not in self._buffer:
            if not _is_readable(descriptor, deadline - time.monotonic()):
                raise TimeoutError
            received = os.read(descriptor, _READ_BYTES)
            if not received:
                return None
            self._buffer += received
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        return line

    def _end(self) -> int:
        """Reap the process, and end the children it left; return how it ended."""
        if not self.is_broken:
            self.is_broken = True
            self._process.wait()
            self._kill_group()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):  # what is not flushed is of no interest any more
                    pipe.close()
        return self._process.wait()

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)


def _is_readable(descriptor: int, seconds: float) -> bool:
    """Wait for bytes or the end of a pipe; `select` itself takes no descriptor above 1,023."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(max(0.0, seconds) * 1000))


def streaming_program(function: LocalFunction) -> Program:
    """Return how a function that streams is started: as what it is, an HTTP server."""
    command = (sys.executable, "-m", f"functions.{function.name}.handler")
    return Program(command, REPOSITORY, process_variables(function))


def process_variables(function: LocalFunction) -> dict[str, str]:
    """Return what the runtime itself sets, and nothing of ours: no key leaks by inheritance."""
    product = REPOSITORY / "layers" / "core" / "python"
    plugins = os.environ.get("PYTHONPATH", "")  # of the person who starts the stage; ours wins
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "TZ": ":UTC",
        "TMPDIR": "/tmp",  # noqa: S108 -- the one writable folder of a Lambda function
        "PYTHONPATH": os.pathsep.join(filter(None, [str(product), str(REPOSITORY), plugins])),
        "PYTHONUNBUFFERED": "1",
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory_mb),
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        **function.variables,
    }
