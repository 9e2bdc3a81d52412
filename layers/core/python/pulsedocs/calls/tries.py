"""A call is tried at most twice, and never longer than its deadline."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Final, TypeVar

import stamina

from pulsedocs.calls.failures import is_worth_a_retry
from pulsedocs.errors import ProviderThrottled, ProviderUnavailable
from pulsedocs.model.deadline import Deadline

_TRIES: Final = 2  # the state machine and the caller of a question do the rest of the waiting
_PAUSE_SECONDS: Final = 0.2
_THROTTLED_PAUSE_SECONDS: Final = 1.0  # for a 429 that does not say how long
_SHORTEST_CALL_SECONDS: Final = 0.25
"""A second try must have at least this left, or it only hides why the first one failed."""

Result = TypeVar("Result")


def tried_twice(attempt: Callable[[], Result], *, deadline: Deadline) -> Result:
    """Return what `attempt` returns; a passing failure is tried once more if time allows."""
    caller = stamina.RetryingCaller(attempts=_TRIES, timeout=None)
    return caller(lambda error: _pause_before_retry(error, deadline), attempt)


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


def within(until: Deadline, call: Callable[[], Result]) -> Result:
    """Return what `call` returns; raise TimeoutError when it takes longer.

    A client's timeout counts from byte to byte: a server that drips one now and then holds a
    call for ever, in its headers as well as in its body, and so does a slow name lookup. The
    abandoned thread ends with its socket, or with the process.
    """
    future: Future[Result] = Future()
    Thread(target=_complete, args=(future, call), name="provider-call", daemon=True).start()
    return future.result(timeout=until.remaining())


def _complete(future: "Future[Result]", call: Callable[[], Result]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:  # noqa: BLE001 -- raised again in the thread that waits
        future.set_exception(error)
