"""One call to an OpenAI-compatible API: bounded in time and size, tried at most twice."""

from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import AbstractContextManager
from threading import Thread
from typing import Any, Final, TypeVar

import httpx2
import stamina
from openai import APIResponse, DefaultHttpxClient, OpenAI, OpenAIError

from pulsedocs.adapters.openai.failures import connection_failure, failure_of, is_worth_a_retry
from pulsedocs.adapters.openai.streams import streamed_lines
from pulsedocs.errors import ProviderMalformed, ProviderThrottled, ProviderUnavailable
from pulsedocs.model.deadline import Deadline

_OPENAI: Final = "https://api.openai.com/v1"
_TRIES: Final = 2  # the state machine and the caller of a question do the rest of the waiting
_PAUSE_SECONDS: Final = 0.2
_THROTTLED_PAUSE_SECONDS: Final = 1.0  # for a 429 that does not say how long
_SHORTEST_CALL_SECONDS: Final = 0.25
"""A second try must have at least this left, or it only hides why the first one failed."""

Result = TypeVar("Result")
Start = Callable[[OpenAI, float], AbstractContextManager[APIResponse[Any]]]
"""Begins a request on a client with a timeout; the body is read by `OpenAICalls`."""


class OpenAICalls:
    """Calls one API with one key. Thread-safe; ignores the environment's addresses and proxies."""

    def __init__(
        self, *, api_key: str, base_url: str | None, timeout_seconds: float, max_bytes: int
    ) -> None:
        self._timeout_seconds = timeout_seconds
        self._max_bytes = max_bytes
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
        """Return the whole answer to a request; raise one of the Provider* errors."""

        def attempt() -> bytes:
            return self._once(start, deadline)

        def pause(error: Exception) -> bool | float:
            return _pause_before_retry(error, deadline)

        return stamina.RetryingCaller(attempts=_TRIES, timeout=None)(pause, attempt)

    def lines(self, start: Start, *, deadline: Deadline) -> Generator[str, None, None]:
        """Yield a streamed answer's lines; it is begun again as a whole one would be."""

        def once() -> APIResponse[Any]:
            try:
                # Left open: whoever reads the lines closes it.
                return start(self._client, deadline.timeout(self._timeout_seconds)).__enter__()
            except OpenAIError as error:
                raise failure_of(error) from None

        def begin() -> APIResponse[Any]:
            return stamina.RetryingCaller(attempts=_TRIES, timeout=None)(
                lambda error: _pause_before_retry(error, deadline), once
            )

        return streamed_lines(begin, silence_seconds=self._timeout_seconds, deadline=deadline)

    def _once(self, start: Start, deadline: Deadline) -> bytes:
        until = Deadline.after(deadline.timeout(self._timeout_seconds))
        # Without `from None` the provider's message, which may quote the key or the text, would
        # follow the error into every traceback that is logged.
        try:
            return _within(until, lambda: self._read(start, until))
        except OpenAIError as error:
            raise failure_of(error) from None
        except (httpx2.HTTPError, TimeoutError) as error:
            raise connection_failure(
                is_timeout=isinstance(error, TimeoutError | httpx2.TimeoutException)
            ) from None

    def _read(self, start: Start, until: Deadline) -> bytes:
        body = bytearray()
        with start(self._client, until.remaining()) as response:
            for part in response.iter_bytes():
                body += part
                self._check(body, until)
        return bytes(body)

    def _check(self, body: bytearray, until: Deadline) -> None:
        if len(body) > self._max_bytes:
            message = f"the provider's answer is longer than {self._max_bytes} bytes"
            raise ProviderMalformed(message)
        if until.remaining() <= 0:
            raise TimeoutError


def _pause_before_retry(error: Exception, deadline: Deadline) -> bool | float:
    """Return how many seconds to wait before the second try, or False to give up at once."""
    match error:
        case ProviderThrottled(retry_after_seconds=seconds):
            pause = _THROTTLED_PAUSE_SECONDS if seconds is None else seconds
        case ProviderUnavailable() if is_worth_a_retry(error):
            pause = _PAUSE_SECONDS
        case _:
            return False
    return pause if pause + _SHORTEST_CALL_SECONDS <= deadline.remaining() else False


def _within(until: Deadline, call: Callable[[], Result]) -> Result:
    """Return what `call` returns; raise TimeoutError when it takes longer.

    The client's timeout counts from byte to byte: a server that drips one now and then holds a
    call for ever, in its headers as well as in its body, and so does a slow name lookup. The
    abandoned thread ends with its socket, or with the process.
    """
    future: Future[Result] = Future()
    Thread(target=_complete, args=(future, call), name="openai-call", daemon=True).start()
    return future.result(timeout=until.remaining())


def _complete(future: "Future[Result]", call: Callable[[], Result]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:  # noqa: BLE001 -- raised again in the thread that waits
        future.set_exception(error)
