"""A threaded HTTP server on a socket of 127.0.0.1 that is bound before anything needs its port."""

import io
import re
import select
import socket
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from email.errors import MissingHeaderBodySeparatorDefect
from email.message import Message
from http import HTTPStatus
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server

Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]
_BACKLOG = 512
_LENGTH = re.compile(r"[0-9]{1,18}")  # of 4,301 digits Python reads no number, and werkzeug no body
SILENT_SECONDS = 60.0  # of a client in the middle of a request; the shipped one gives up after 30


def listen(port: int = 0) -> socket.socket:
    """Bind a socket; port 0 takes any free one. Connections queue until somebody serves."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{host}:{port}"


@contextmanager
def serving(
    application: Wsgi,
    listener: socket.socket,
    *,
    handler: type[WSGIRequestHandler] = WSGIRequestHandler,
) -> Generator[None]:
    """Serve in threads until the block ends; then close the listener."""
    strict = type("Strict", (_StrictHandler, handler), {})
    server = make_server(
        "127.0.0.1",
        0,
        application,  # pyright: ignore[reportArgumentType] -- wants the stubs' own WSGI type
        threaded=True,
        request_handler=strict,
        fd=listener.fileno(),
    )
    server.daemon_threads = True  # pyright: ignore[reportAttributeAccessIssue] -- of the threaded one
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        listener.close()


class _StrictHandler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.rfile = io.BufferedReader(_Arriving(self.connection, SILENT_SECONDS))

    def log_error(self, format: str, *args: object) -> None:  # noqa: A002 -- http.server's name
        """Log no client that falls silent: a browser opens connections ahead of its requests."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log no request: functions log what they do."""

    def handle_expect_100(self) -> bool:
        """Leave `100 Continue` to werkzeug, which says it when the body is to be read."""
        return True

    def parse_request(self) -> bool:
        if not super().parse_request():
            return False
        if not _has_one_end(self.headers):
            self.send_error(HTTPStatus.BAD_REQUEST, "where the body ends is not said in one way")
            return False
        return True


class _Arriving(io.RawIOBase):
    """What a client sends. A timeout of the socket's would end answers that it reads slowly."""

    def __init__(self, connection: socket.socket, silent_seconds: float) -> None:
        self._connection = connection
        self._milliseconds = silent_seconds * 1000
        self._poller = select.poll()
        self._poller.register(connection, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 -- of io.RawIOBase
        if not self._poller.poll(self._milliseconds):
            raise TimeoutError("the client says nothing more")
        return self._connection.recv_into(buffer)


def _has_one_end(headers: Message) -> bool:
    """Say whether every reader sees a request's body end in one place (RFC 9112, 6.3)."""
    if any(isinstance(each, MissingHeaderBodySeparatorDefect) for each in headers.defects):
        return False  # a line that is a header to some readers only: `Content-Length : 5`
    lengths = [length.strip(" \t") for length in headers.get_all("Content-Length", [])]
    codings = [coding.strip(" \t").lower() for coding in headers.get_all("Transfer-Encoding", [])]
    if codings:
        return not lengths and codings == ["chunked"]
    return not lengths or (len(lengths) == 1 and _LENGTH.fullmatch(lengths[0]) is not None)


def wire_path(environ: Mapping[str, Any]) -> str:
    """Return a request's path as it was sent, encoded."""
    raw = str(environ.get("RAW_URI") or environ.get("REQUEST_URI") or environ["PATH_INFO"])
    return raw.partition("?")[0]


def has_left(environ: Mapping[str, Any]) -> bool:
    """Say whether the client of a request has closed its connection."""
    client: socket.socket | None = environ.get("werkzeug.socket")
    if client is None:
        return False
    try:
        return not client.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True
