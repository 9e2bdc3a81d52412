"""A connection to one address that ends at a deadline, whatever its other side does."""

import socket
import ssl
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from threading import Timer
from time import monotonic

from pulsedocs.adapters.web.networks import Address
from pulsedocs.adapters.web.urls import Target


class Wire:
    """A socket under a watchdog: a timeout for each read would let a slow drip last for hours."""

    def __init__(self, opened: socket.socket, *, deadline: float) -> None:
        self.socket = opened
        self.has_expired = False
        self._watchdog = Timer(max(0.0, deadline - monotonic()), self._expire)
        self._watchdog.daemon = True
        self._watchdog.start()

    def secure(self, target: Target, context: ssl.SSLContext) -> None:
        """Wrap in TLS that verifies the host's name, not its address."""
        self.socket = context.wrap_socket(
            self.socket,
            server_hostname=target.host,
            do_handshake_on_connect=False,
            suppress_ragged_eofs=False,  # a page cut short is not a page
        )
        self.socket.do_handshake()

    def close(self) -> None:
        self._watchdog.cancel()
        self.socket.close()

    def _expire(self) -> None:
        self.has_expired = True
        with suppress(OSError):
            # Below TLS, whose own shutdown would wait for the other side.
            socket.socket.shutdown(self.socket, socket.SHUT_RDWR)


@contextmanager
def connected(
    target: Target,
    addresses: Sequence[Address],
    *,
    deadline: float,
    tls: Callable[[], ssl.SSLContext],
) -> Generator[Wire]:
    """Connect to the first of the checked addresses that answers; the name is not asked again."""
    wire = Wire(_connect(addresses, target.port, deadline=deadline), deadline=deadline)
    try:
        if target.scheme == "https":
            wire.secure(target, tls())
        yield wire
    finally:
        wire.close()


def _connect(addresses: Sequence[Address], port: int, *, deadline: float) -> socket.socket:
    failure: OSError = TimeoutError("the time is over")
    for address in addresses:
        remaining = deadline - monotonic()
        if remaining <= 0:
            break
        try:
            return socket.create_connection((str(address), port), timeout=remaining)
        except OSError as error:
            failure = error
    raise failure
