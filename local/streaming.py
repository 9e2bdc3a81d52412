"""A function that streams, as the Lambda Web Adapter runs it: an HTTP server of its own.

Lambda's adapter hands the event over as an HTTP request whose header says who calls; so does this.
"""

import http.client
import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

from werkzeug.wrappers import Request, Response

from local.environment import LocalFunction, Program, streaming_program
from local.fair_queue import tenant_of
from local.http_server import has_left, listen
from local.rest_events import BadAnswer
from local.turns import PATIENCE_SECONDS, Turns

_READY_SECONDS: Final = 300  # for hangs: busy cores import openai slower than Lambda allows
_LOOK_SECONDS: Final = 0.1  # how long a client that has left goes unnoticed
_ANSWERS: Final = 8  # that stream at once; each is written slower the more there are
_READ_BYTES: Final = 1 << 16
_WATCHER: Final = 'read -r _; kill -KILL "$1" 2>/dev/null'  # once our end of the pipe closes
_HOP_BY_HOP: Final = frozenset({"connection", "transfer-encoding", "date", "server"})
_SAID_ANEW: Final = _HOP_BY_HOP | {"host", "content-length"}  # the body is sent on as a whole


class StreamingFunction:
    """One process; started at the first request, or ahead of it."""

    def __init__(
        self,
        function: LocalFunction,
        *,
        log: Path,
        program: Callable[[LocalFunction], Program] = streaming_program,
    ) -> None:
        self._function = function
        self._program = program(function)
        self._log = log
        self._lock = threading.Lock()
        self._turns = Turns(_ANSWERS)
        self._process: subprocess.Popen[bytes] | None = None
        self._watcher: subprocess.Popen[bytes] | None = None
        self._port = 0

    def respond(self, request: Request, context: Mapping[str, Any]) -> Response:
        """Pass a request on and its answer back, part by part as it comes.

        Raises Throttled, ClientLeft or StageStops before anything is begun.
        """
        with ExitStack() as turn:
            turn.enter_context(
                self._turns.taken(
                    tenant_of(json.dumps({"requestContext": context})),
                    patience=PATIENCE_SECONDS,
                    is_wanted=lambda: not has_left(request.environ),
                )
            )
            response = self._respond(request, context)
            response.call_on_close(turn.pop_all().close)
        return response

    def _respond(self, request: Request, context: Mapping[str, Any]) -> Response:
        self.start()
        connection = http.client.HTTPConnection(
            "127.0.0.1", self._port, timeout=self._function.timeout_seconds
        )
        try:
            connection.connect()
        except OSError as error:
            raise BadAnswer("the function cannot be reached") from error
        body = request.get_data()
        headers = {name: text for name, text in request.headers if name.lower() not in _SAID_ANEW}
        headers |= {"x-amzn-request-context": json.dumps(context), "Connection": "close"}
        try:
            address = request.full_path.rstrip("?")
            connection.request(request.method, address, body=body, headers=headers)
        except (OSError, http.client.HTTPException) as error:  # it has died since it was reached
            raise BadAnswer("the function ended before it took the question") from error
        upstream = connection.sock
        answer = _Arriving(connection, upstream, client=request.environ)
        head = answer.head()
        passed = [
            (name, text) for name, text in head.getheaders() if name.lower() not in _HOP_BY_HOP
        ]
        return Response(answer.parts(), status=head.status, headers=passed, direct_passthrough=True)

    def start(self) -> None:
        """Return when the function answers."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._start()

    def close(self) -> None:
        self._turns.close()
        with self._lock:
            self._end()

    def _end(self) -> None:
        for process in (self._watcher, self._process):  # who watches must not kill another's number
            if process is not None:
                process.kill()
                process.wait()
        if self._watcher is not None and self._watcher.stdin is not None:
            self._watcher.stdin.close()
        self._watcher = self._process = None

    def _start(self) -> None:
        self._end()
        with listen() as listener:
            self._port = listener.getsockname()[1]
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(
                self._program.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self._program.folder,
                env={**self._program.variables, "AWS_LWA_PORT": str(self._port)},
            )
        # Lambda's own program reads nothing from us, so that it could not tell that we have died.
        self._watcher = subprocess.Popen(
            ["/bin/sh", "-c", _WATCHER, "watcher", str(self._process.pid)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        deadline = time.monotonic() + _READY_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), timeout=1):
                return
            time.sleep(0.02)
        self._end()
        raise BadAnswer("the function did not start")


class _Arriving:
    """An answer on its way; a client that leaves cuts it off at its source."""

    def __init__(
        self,
        connection: http.client.HTTPConnection,
        upstream: socket.socket,
        *,
        client: Mapping[str, Any],
    ) -> None:
        self._connection = connection
        self._upstream = upstream
        self._client = client
        self._queue: SimpleQueue[http.client.HTTPResponse | bytes | Exception | None]
        self._queue = SimpleQueue()
        threading.Thread(target=self._read, name="streamed-answer", daemon=True).start()

    def head(self) -> http.client.HTTPResponse:
        """Return status and headers; raise BadAnswer where the function fails before."""
        item = self._next()
        if not isinstance(item, http.client.HTTPResponse):
            raise BadAnswer("the function ended without an answer")
        return item

    def parts(self) -> Iterator[bytes]:
        try:
            while isinstance(item := self._next(), bytes):
                yield item
            if isinstance(item, Exception):
                raise BadAnswer("the function broke off its answer") from item
        finally:
            self._cut()

    def _read(self) -> None:
        try:
            answer = self._connection.getresponse()
            self._queue.put(answer)
            while part := answer.read1(_READ_BYTES):
                self._queue.put(part)
            self._queue.put(None)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._queue.put(error)

    def _next(self) -> http.client.HTTPResponse | bytes | Exception | None:
        while True:
            try:
                return self._queue.get(timeout=_LOOK_SECONDS)
            except Empty:
                if has_left(self._client):
                    self._cut()

    def _cut(self) -> None:
        with suppress(OSError):
            self._upstream.shutdown(socket.SHUT_RDWR)
