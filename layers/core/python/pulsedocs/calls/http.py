"""Requests over HTTP through urllib3, which boto3 has loaded anyway: no library, no start-up time.

Nothing of the environment is read (a proxy variable would route keys and documents elsewhere), and
no redirect is followed: an API has no reason for one.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Final

import urllib3
from urllib3.exceptions import HTTPError
from urllib3.exceptions import TimeoutError as HTTPTimeoutError
from urllib3.response import BaseHTTPResponse

from pulsedocs.calls.failures import connection_failure
from pulsedocs.errors import ProviderUnavailable

_CONNECT_SECONDS: Final = 3.0
_PART_BYTES: Final = 64 * 1024
_CONNECTIONS: Final = 16
_MAX_ERROR_BYTES: Final = 64 * 1024
_CONNECTION_FAULTS: Final = (HTTPError, HTTPException, OSError)


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """Where a POST goes; neither the key in its headers nor its body is ever shown."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class HttpAnswer:
    """Implements `pulsedocs.calls.answers.ProviderAnswer`."""

    def __init__(self, response: BaseHTTPResponse) -> None:
        self._response = response

    @property
    def status(self) -> int:
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        return self._response.headers

    def parts(self) -> Iterator[bytes]:
        try:
            while part := self._response.read1(_PART_BYTES):
                yield part
        except _CONNECTION_FAULTS as error:
            raise _failure(error) from None

    def beginning(self) -> bytes:
        """Return the start of an error's body, as much as can be read; what it says is short."""
        body = bytearray()
        with suppress(ProviderUnavailable):
            for part in self.parts():
                body += part
                if len(body) >= _MAX_ERROR_BYTES:
                    break
        self.close()
        return bytes(body)

    def cut(self) -> None:
        # Closing would leave the other thread waiting for its next byte.
        with suppress(OSError, ValueError, RuntimeError):
            self._response.shutdown()

    def close(self) -> None:
        self._response.close()


class HttpClient:
    """Keeps connections open from one request to the next. Thread-safe."""

    def __init__(self) -> None:
        self._pool = urllib3.PoolManager(maxsize=_CONNECTIONS)

    def close(self) -> None:
        self._pool.clear()

    def post(self, request: HttpRequest, *, timeout_seconds: float) -> HttpAnswer:
        """Return the answer once its headers are there; raise ProviderUnavailable."""
        timeout = urllib3.Timeout(
            connect=min(_CONNECT_SECONDS, timeout_seconds), read=timeout_seconds
        )
        try:
            response = self._pool.urlopen(
                "POST",
                request.url,
                redirect=False,
                body=request.body,
                headers=request.headers,
                timeout=timeout,
                retries=False,
                preload_content=False,
                decode_content=False,
            )
        except _CONNECTION_FAULTS as error:
            raise _failure(error) from None
        return HttpAnswer(response)


def _failure(error: Exception) -> ProviderUnavailable:
    return connection_failure(is_timeout=isinstance(error, HTTPTimeoutError | TimeoutError))
