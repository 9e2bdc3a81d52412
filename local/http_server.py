"""A threaded HTTP server on a socket of 127.0.0.1 that is bound before anything needs its port."""

import socket
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server

Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]
_BACKLOG = 512


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
    quiet = type("Quiet", (handler,), {"log_request": _say_nothing, "protocol_version": "HTTP/1.1"})
    server = make_server(
        "127.0.0.1",
        0,
        application,  # pyright: ignore[reportArgumentType] -- wants the stubs' own WSGI type
        threaded=True,
        request_handler=quiet,
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


def _say_nothing(_handler: Any, _code: Any = "-", _size: Any = "-") -> None:  # noqa: ANN401 -- of http.server
    """Log no request: functions log what they do."""


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
