"""One call to an OpenAI-compatible API: bounded in time and size, tried at most twice."""

import socket
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from typing import Any, Final

import httpx2
from openai import APIResponse, DefaultHttpxClient, OpenAI, OpenAIError

from pulsedocs.adapters.openai.failures import failure_of_reading
from pulsedocs.calls.answers import lines_of
from pulsedocs.calls.limits import CallLimits
from pulsedocs.calls.provider import ProviderCalls
from pulsedocs.model.deadline import Deadline

_OPENAI: Final = "https://api.openai.com/v1"
_FAULTS: Final = (OpenAIError, httpx2.HTTPError, httpx2.StreamError, OSError)

Start = Callable[[OpenAI, float], AbstractContextManager[APIResponse[Any]]]
"""Begins a request on a client with a timeout; the body is read by `OpenAICalls`."""


class OpenAICalls(ProviderCalls):
    """Calls one API with one key; ignores the environment's addresses and proxies."""

    provider = "openai"

    def __init__(self, limits: CallLimits, *, api_key: str, base_url: str | None) -> None:
        super().__init__(limits)
        self.is_openai: Final = base_url is None
        self._client = OpenAI(
            api_key=api_key,
            base_url=base_url or _OPENAI,
            max_retries=0,
            # trust_env would route keys and documents through whatever proxy a variable names; an
            # API has no reason to redirect, and a redirect would carry the documents elsewhere.
            http_client=DefaultHttpxClient(trust_env=False, follow_redirects=False),
        )
        self._client.organization = self._client.project = None  # else taken from variables

    def close(self) -> None:
        self._client.close()

    def body(self, start: Start, *, deadline: Deadline) -> bytes:
        return self._whole(lambda timeout: self._begin(start, timeout), deadline).body

    def lines(self, start: Start, *, deadline: Deadline) -> Generator[str | None, None, None]:
        """Yield a streamed answer's lines; it is begun again as a whole one would be."""
        return self._arriving(lambda timeout: self._begin(start, timeout), lines_of, deadline)

    def _begin(self, start: Start, timeout: float) -> "_OpenAIAnswer":
        # Without `from None` the provider's message, which may quote the key or the text, would
        # follow the error into every traceback that is logged.
        try:
            # Left open: whoever reads the answer closes it.
            return _OpenAIAnswer(start(self._client, timeout).__enter__())
        except _FAULTS as error:
            raise failure_of_reading(error) from None


class _OpenAIAnswer:
    """Implements `pulsedocs.calls.answers.ProviderAnswer`."""

    def __init__(self, response: APIResponse[Any]) -> None:
        self._response = response

    @property
    def headers(self) -> Mapping[str, str]:
        return self._response.headers

    def parts(self) -> Iterator[bytes]:
        try:
            yield from self._response.iter_bytes()
        except _FAULTS as error:
            raise failure_of_reading(error) from None

    def cut(self) -> None:
        """Shut the socket down: closing it would leave the other thread waiting for a byte."""
        stream = self._response.http_response.extensions.get("network_stream")
        connection = stream.get_extra_info("socket") if stream is not None else None
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._response.close()
