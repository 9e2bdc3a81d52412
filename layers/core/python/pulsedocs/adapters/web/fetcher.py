"""One page of the web: its name resolved once, every answer checked, that address connected to.

The standard library's client, because nothing in it is hidden: no proxy from the environment, no
redirect, no retry, no second look at the name. Who resolves, and which addresses and ports count as
public, are parameters, so that a test can have its servers on loopback; no setting reaches them.
"""

import socket
import ssl
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillResolving
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse
from time import monotonic
from typing import Final

from pulsedocs.adapters.web.networks import Address, address_of, is_public
from pulsedocs.adapters.web.reading import read_body
from pulsedocs.adapters.web.urls import Target, parse, redirected, refused
from pulsedocs.adapters.web.wire import Wire, connected
from pulsedocs.errors import SourceNotFound, SourceUnavailable, UnsupportedContentType
from pulsedocs.model.content_types import in_charset_of, kind_of
from pulsedocs.model.requests import FetchedPage

Resolve = Callable[[str, int], Sequence[str]]

_MOST_REDIRECTS: Final = 3
_MOST_ATTEMPTS: Final = 3  # addresses of one name that are tried, IPv4 first
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_GONE: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})


def resolve(host: str, port: int) -> list[str]:
    """Return every address of a name, as the system's resolver gives them."""
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


class GuardedFetcher:
    """Implements `ingestion.ports.WebFetcher`."""

    def __init__(
        self,
        *,
        schemes: Collection[str] = ("https",),
        max_bytes: int,
        seconds: float,
        ports: Collection[int] = (443, 80),
        resolve: Resolve = resolve,
        is_public: Callable[[Address], bool] = is_public,
        tls: Callable[[], ssl.SSLContext] = ssl.create_default_context,
    ) -> None:
        self._schemes = schemes
        self._max_bytes = max_bytes
        self._seconds = seconds
        self._ports = ports
        self._resolve = resolve
        self._is_public = is_public
        self._tls = tls

    def fetch(self, url: str, *, content_types: Sequence[str]) -> FetchedPage:
        deadline = monotonic() + self._seconds
        target = parse(url, schemes=self._schemes, ports=self._ports)
        for _ in range(_MOST_REDIRECTS + 1):
            addresses = self._look_up(target, deadline=deadline)
            try:
                with (
                    connected(target, addresses, deadline=deadline, tls=self._tls) as wire,
                    _send_request(wire, target, content_types) as response,
                ):
                    answer = self._read_answer(target, response, content_types, wire)
            except (OSError, HTTPException, ValueError) as error:
                reason = "took too long" if monotonic() >= deadline else type(error).__name__
                message = f"{target.host!r} gave no usable answer: {reason}"
                raise SourceUnavailable(message) from error
            if isinstance(answer, FetchedPage):
                return answer
            target = redirected(target, answer, schemes=self._schemes, ports=self._ports)
        raise refused("redirects", f"it leads through more than {_MOST_REDIRECTS} redirects")

    def _look_up(self, target: Target, *, deadline: float) -> list[Address]:
        """Resolve once and return the addresses; raise UrlRefused unless all of them are public."""
        if target.literal is not None:
            found: list[Address | None] = [target.literal]
        else:
            # The resolver knows no deadline; one that is late is left behind.
            resolving = ThreadPoolExecutor(1, thread_name_prefix="resolve")
            try:
                task = resolving.submit(self._resolve, target.host, target.port)
                answers = task.result(timeout=max(0.0, deadline - monotonic()))
            except (OSError, UnicodeError, StillResolving) as error:
                raise SourceUnavailable(f"the name {target.host!r} does not resolve") from error
            finally:
                resolving.shutdown(wait=False, cancel_futures=True)
            found = [address_of(answer) for answer in answers]
        addresses = [address for address in found if address is not None]
        if not addresses or len(addresses) < len(found):
            raise refused("address", "its name resolves to something that is no plain address")
        if not all(self._is_public(address) for address in addresses):
            raise refused("address", "it leads to an address that is not public")
        return sorted(addresses, key=lambda address: address.version)[:_MOST_ATTEMPTS]

    def _read_answer(
        self, target: Target, response: HTTPResponse, content_types: Sequence[str], wire: Wire
    ) -> FetchedPage | str:
        """Return the page, or where it says that it is."""
        if wire.has_expired:  # the head ended with the connection: it need not be whole
            raise TimeoutError
        status = response.status
        if status in _REDIRECTS:
            location = response.getheader("Location")
            if not location:
                raise SourceUnavailable(f"{target.host!r} redirects to nowhere")
            return location
        if status in _GONE:
            raise SourceNotFound(f"{target.host!r} answers {status}: it has no such page")
        if status != HTTPStatus.OK:
            raise SourceUnavailable(f"{target.host!r} answers {status}", status=status)
        stated = response.getheader("Content-Type") or ""
        declared = kind_of(stated)
        if declared not in content_types:
            raise UnsupportedContentType(
                f"the page is {declared[:100] or 'of no declared type'!r}; "
                f"supported are {', '.join(content_types)}"
            )
        body = read_body(response, max_bytes=self._max_bytes, wire=wire)
        return FetchedPage(target.url, in_charset_of(declared, stated), body)


def _send_request(wire: Wire, target: Target, content_types: Sequence[str]) -> HTTPResponse:
    connection = HTTPConnection(target.host, target.port)
    connection.sock = wire.socket
    connection.putrequest("GET", target.path, skip_host=True, skip_accept_encoding=True)
    connection.putheader("Host", target.host_header)
    connection.putheader("User-Agent", "PulseDocs")
    connection.putheader("Accept", ", ".join(content_types))
    connection.putheader("Accept-Encoding", "gzip")
    connection.putheader("Connection", "close")
    connection.endheaders()
    return connection.getresponse()
