"""What a function that was invoked raised, raised again where it was asked."""

import json
from typing import Final, NoReturn

from pulsedocs.errors import PulseDocsError, TimedOut, error_named

_TIMED_OUT: Final = frozenset({"Sandbox.Timedout", "States.Timeout"})


def raise_from(body: bytes, *, otherwise: type[PulseDocsError]) -> NoReturn:
    """Raise the class that the function raised; what is none of ours comes as `otherwise`."""
    error = json.loads(body)
    name = str(error.get("errorType", ""))
    message = str(error.get("errorMessage", "the function failed"))
    if name in _TIMED_OUT:
        raise TimedOut(message)
    kind = error_named(name)
    if kind is None:
        raise otherwise(f"the function ended with {name}: {message}"[:500])
    raise kind(message)
