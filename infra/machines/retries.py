"""When a task of a state machine is tried again: the policies that the machines name in "Retry".

Step Functions knows nothing of inheritance, so each error is listed under its own class name. Every
class below `RetryableError` that a policy does not name is in its retrier `others`: a new one needs
no edit here. All pauses double and have full jitter, so that what failed together returns apart.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pulsedocs.errors import (
    FUNCTION_ASLEEP,
    DatabaseWarming,
    DuplicateInProgress,
    ProviderThrottled,
    RetryableError,
    branch,
)

Retrier = dict[str, Any]

_DIED: Final = ("Runtime.ExitError", "Sandbox.Timedout", "Lambda.Unknown", "States.Timeout")
"""The process was killed: memory, time, or a fault of the interpreter."""
_LAMBDA_FAILED: Final = (
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.ClientExecutionTimeoutException",
)
_ASLEEP: Final = tuple(f"Lambda.{name}" for name in FUNCTION_ASLEEP)


def _retrier(errors: Iterable[str], *, first: int, times: int, longest: int) -> Retrier:
    """Retry `times` times; pause for `first` seconds at most, then twice that, up to `longest`."""
    return {
        "ErrorEquals": list(errors),
        "IntervalSeconds": first,
        "MaxAttempts": times,
        "BackoffRate": 2,
        "MaxDelaySeconds": longest,
        "JitterStrategy": "FULL",
    }


def _others(*own: Retrier) -> list[str]:
    """Return every retryable error but those that have retriers of their own."""
    named = frozenset(name for each in own for name in each["ErrorEquals"])
    return [error.__name__ for error in branch(RetryableError) if error.__name__ not in named]


# A minute's quota of a provider is free again after a minute: five minutes are several.
_THROTTLED: Final = _retrier([ProviderThrottled.__name__], first=15, times=8, longest=300)
# A paused Aurora takes about 15 s, rarely over a minute: this is 5 minutes on average.
_WARMING: Final = _retrier([DatabaseWarming.__name__], first=10, times=12, longest=60)
# The account's concurrency is used up. A burst of uploads waits for hours instead of failing.
_BUSY: Final = _retrier(["Lambda.TooManyRequestsException"], first=5, times=240, longest=120)
# Lambda brings back what an idle function lost in a minute or two: 8 minutes on average, and less
# than 3 in one case of a million.
_WAKING: Final = _retrier(_ASLEEP, first=5, times=20, longest=60)
# What passes by itself is waited for 4 minutes on average: a service's bad minutes, and the rights
# of a role that a deployment has just given.
_PASSES: Final = {"first": 2, "times": 12, "longest": 60}
_FAILED: Final = _retrier(_LAMBDA_FAILED, **_PASSES)

# Two uploads of the same bytes: the second waits for the first, an hour on average.
_DUPLICATE: Final = _retrier([DuplicateInProgress.__name__], first=4, times=60, longest=120)


def _task(*own: Retrier, deaths: int = 2) -> list[Retrier]:
    """Return how a task is tried again: with its own retriers too, and after so many deaths."""
    return [
        _THROTTLED,
        _WARMING,
        _retrier(_others(_THROTTLED, _WARMING, *own), **_PASSES),
        *own,
        _BUSY,
        _WAKING,
        _FAILED,
        _retrier(_DIED, first=2, times=deaths, longest=60),
    ]


POLICIES: Final[Mapping[str, list[Retrier]]] = {
    "patient": _task(),  # every task but those below
    "claim": _task(_DUPLICATE),
    # What kills the reader of a range twice is in its pages: the range is then lost, not the file.
    "range": _task(deaths=1),
    # A shadow model delays a publication by seconds at most; a backfill finds what is missing.
    "shadow": [
        _retrier([*_others(_WARMING), *_LAMBDA_FAILED], first=2, times=2, longest=5),
        _WARMING,
        _BUSY,
        _WAKING,
        _retrier(_DIED, first=2, times=1, longest=5),
    ],
}
