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
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

from werkzeug.wrappers import Request, Response

from local.environment import LocalFunction, Program, streaming_program
from local.http_server import listen
from local.rest_events import BadAnswer

_READY_SECONDS: Final = 60  # two busy cores import openai slower than Lambda allows
_LOOK_SECONDS: Final = 0.1  # how long a client that has left goes unnoticed
_READ_BYTES: Final = 1 << 16
_HOP_BY_HOP: Final = frozenset({"connection", "transfer-encoding", "date", "server"})


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
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0

    def respond(self, request: Request, context: Mapping[str, Any]) -> Response:
        """Pass a request on and its answer back, part by part as it comes."""
        connection = self._connect()
        body = request.get_data()
        headers = {name: text for name, text in request.headers if name.lower() != "host"}
        headers |= {"x-amzn-request-context": json.dumps(context), "Connection": "close"}
        connection.request(request.method, request.path, body=body, headers=headers)
        upstream = connection.sock
        answer = _Arriving(connection, upstream, client=request.environ.get("werkzeug.socket"))
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
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.wait()

    def _connect(self) -> http.client.HTTPConnection:
        self.start()
        connection = http.client.HTTPConnection(
            "127.0.0.1", self._port, timeout=self._function.timeout_seconds
        )
        try:
            connection.connect()
        except OSError as error:
            raise BadAnswer("the function cannot be reached") from error
        return connection

    def _start(self) -> None:
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
        self._await_ready(self._process)

    def _await_ready(self, process: "subprocess.Popen[bytes]") -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), timeout=1):
                return
            time.sleep(0.02)
        process.kill()
        raise BadAnswer("the function did not start")


class _Arriving:
    """An answer on its way; a client that leaves cuts it off at its source."""

    def __init__(
        self,
        connection: http.client.HTTPConnection,
        upstream: socket.socket,
        *,
        client: socket.socket | None,
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
                if self._client is not None and _has_left(self._client):
                    self._cut()

    def _cut(self) -> None:
        with suppress(OSError):
            self._upstream.shutdown(socket.SHUT_RDWR)


def _has_left(client: socket.socket) -> bool:
    try:
        return not client.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True
