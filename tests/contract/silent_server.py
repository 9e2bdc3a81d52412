"""A server that takes connections and never says a word."""

import socket
from collections.abc import Generator
from contextlib import contextmanager


class SilentServer:
    """Listens on loopback; the system accepts for it, and nobody answers."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(0)
        self._taken: list[socket.socket] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    @property
    def connections(self) -> int:
        """Return how many have come so far."""
        while True:
            try:
                self._taken.append(self._socket.accept()[0])
            except BlockingIOError:
                return len(self._taken)

    def close(self) -> None:
        for each in (self._socket, *self._taken):
            each.close()


@contextmanager
def silent_server() -> Generator[SilentServer]:
    server = SilentServer()
    try:
        yield server
    finally:
        assert server.connections >= 0  # takes what came late, so that it is closed too
        server.close()
