"""Functions as Lambda runs them: the layers, one folder of code, and AWS's own runtime client.

An environment is a process of the runtime's Python in which nothing but the two layers, the
function's folder and the client can be imported. This side of it is the Runtime API.
https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
"""

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final
from uuid import uuid4

from infra.layers import Layers, interpreter
from local.environment import EnvironmentGone, LocalFunction, Program, process_variables
from local.lambda_errors import RESPONSE_LIMIT_BYTES as RESPONSE_LIMIT
from local.lambda_errors import Invocation, exited, failed, response_too_large, timed_out

FUNCTIONS: Final = Path(__file__).parents[2] / "functions"
_API: Final = "/2018-06-01/runtime"
_START_SECONDS: Final = 240.0  # for hangs: busy cores import openai slower than the 10 s of Lambda
_LOOK_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Installed:
    """What a function's process may import from, and where the folders of functions are put."""

    layers: Layers
    client: Path
    tasks: Path
    started: dict[str, float] = field(default_factory=dict[str, float])
    """Seconds from the start of a process to its first request for an event, by function."""

    def program(self, function: LocalFunction, *arguments: str) -> Program:
        paths = (*(layer / "python" for layer in self.layers), self.client)
        task = self._task(function.name)
        return Program(
            # -S: what else is installed beside the interpreter does not exist on Lambda.
            (interpreter(), "-S", "-m", *arguments),
            task,
            {
                **process_variables(function),
                "PYTHONPATH": os.pathsep.join(map(str, paths)),
                "PYTHONDONTWRITEBYTECODE": "1",
                "LAMBDA_TASK_ROOT": str(task),
                "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
            },
        )

    def streaming(self, function: LocalFunction) -> Program:
        """Start what `run.sh` starts; the web adapter in front of it is no part of this."""
        return self.program(function, f"functions.{function.name}.handler")

    def start(
        self, function: LocalFunction, *, log: Path, faults: Sequence[str] = ()
    ) -> "RuntimeEnvironment":
        assert not faults, "faults are injected by code that no layer has"
        return RuntimeEnvironment(function, log=log, installed=self)

    def _task(self, name: str) -> Path:
        """Return the function's code, as `infra.components.function` packs it."""
        folder = self.tasks / name / "functions" / name
        if not folder.exists():
            shutil.copytree(
                FUNCTIONS / name,
                folder,
                ignore=shutil.ignore_patterns("__pycache__", "event.json"),
            )
        return self.tasks / name


class RuntimeApi(ThreadingHTTPServer):
    """Hands one event at a time to one process, and takes its answer."""

    def __init__(self, function: LocalFunction) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.function = function
        self.is_asking = threading.Event()
        self.events: SimpleQueue[tuple[str, bytes]] = SimpleQueue()
        self.answers: SimpleQueue[Invocation] = SimpleQueue()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a process that was killed does not wait for its answer."""

    def close(self) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RuntimeApi  # pyright: ignore[reportIncompatibleVariableOverride] -- our own

    def do_GET(self) -> None:
        assert self.path == f"{_API}/invocation/next", self.path
        self.server.is_asking.set()
        request_id, event = self.server.events.get()
        function = self.server.function
        self.send_response(200)
        for name, text in (
            ("Lambda-Runtime-Aws-Request-Id", request_id),
            ("Lambda-Runtime-Deadline-Ms", str(_deadline_ms(function))),
            ("Lambda-Runtime-Invoked-Function-Arn", function.arn),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(event))),
        ):
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(event)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("/response"):
            self.server.answers.put(
                response_too_large() if len(body) > RESPONSE_LIMIT else Invocation(body)
            )
        else:  # of an invocation, or of the start
            self.server.answers.put(failed(json.loads(body)))
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the base's name
        """Say nothing: the function has a log of its own."""


def _deadline_ms(function: LocalFunction) -> int:
    return int((time.time() + function.timeout_seconds) * 1000)


class RuntimeEnvironment:
    """Implements `local.environment.RunningEnvironment` with a process that AWS would start."""

    def __init__(self, function: LocalFunction, *, log: Path, installed: Installed) -> None:
        self._function, self._installed = function, installed
        self._api = RuntimeApi(function)
        self._born = time.monotonic()
        self.is_broken = False
        program = installed.program(function, "awslambdaric", function.handler)
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                program.command,
                cwd=program.folder,
                env={**program.variables, "AWS_LAMBDA_RUNTIME_API": self._api.address},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._watch = threading.Thread(target=self._note_start, daemon=True)
        self._watch.start()

    def invoke(self, event: bytes) -> Invocation:
        request_id = str(uuid4())
        if self.is_broken or (self._process.poll() is not None and self._api.answers.empty()):
            self.close()
            raise EnvironmentGone
        refused = self._await_ready()
        if refused is not None:
            return refused
        self._api.events.put((request_id, event))
        answer = self._answer(time.monotonic() + self._function.timeout_seconds)
        if answer is None and self._process.poll() is None:
            self.close()
            return timed_out(request_id=request_id, seconds=self._function.timeout_seconds)
        if answer is None or self._peak_mb() > self._function.memory_mb:
            self.close()
            return exited(request_id=request_id, status=self._process.returncode)
        return answer

    def watch_start(self) -> None:
        self._watch.join(_START_SECONDS)

    def close(self) -> None:
        """End the process and whatever it started, at once."""
        if not self.is_broken:
            self.is_broken = True
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._api.events.put(("", b"{}"))  # lets go of whoever waits for one
            self._api.close()

    def _await_ready(self) -> Invocation | None:
        """Return what the runtime reported instead of asking for an event, if it did."""
        deadline = time.monotonic() + _START_SECONDS
        while not self._api.is_asking.wait(_LOOK_SECONDS):
            if not self._api.answers.empty():
                self.close()
                return self._api.answers.get()
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.close()
                return exited(request_id="", status=self._process.returncode)
        return None

    def _answer(self, deadline: float) -> Invocation | None:
        """Return the answer; None at the end of the time, or of the process."""
        while time.monotonic() < deadline:
            with suppress(Empty):
                return self._api.answers.get(timeout=_LOOK_SECONDS)
            if self._process.poll() is not None and self._api.answers.empty():
                return None
        return None

    def _peak_mb(self) -> float:
        """Return the most that the process held: over the limit, Lambda would have killed it.

        A limit by `setrlimit` would count what is reserved and never touched.
        """
        with suppress(FileNotFoundError, ProcessLookupError):
            status = Path(f"/proc/{self._process.pid}/status").read_text("ascii")
            lines = [line for line in status.splitlines() if line.startswith("VmHWM:")]
            return int(lines[0].split()[1]) / 1024 if lines else 0.0
        return 0.0

    def _note_start(self) -> None:
        if self._api.is_asking.wait(_START_SECONDS):
            seconds = time.monotonic() - self._born
            self._installed.started.setdefault(self._function.name, seconds)
