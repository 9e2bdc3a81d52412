"""What Lambda says when a function cannot answer: the names that Retry and Catch match."""

import json
from dataclasses import dataclass
from typing import Any, Final

REQUEST_LIMIT_BYTES: Final = 6 * 1024 * 1024  # Lambda's quota of a synchronous event
RESPONSE_LIMIT_BYTES: Final = 6 * 1024 * 1024  # and of its answer
ASYNCHRONOUS_LIMIT_BYTES: Final = 1024 * 1024  # and of an event that nobody waits for


@dataclass(frozen=True, slots=True)
class Invocation:
    """A function's answer: its JSON, and `Unhandled` when that JSON is an error."""

    payload: bytes
    function_error: str | None = None
    cpu_seconds: float | None = None
    peak_memory_mb: float | None = None

    def json(self) -> Any:  # noqa: ANN401 -- JSON
        return json.loads(self.payload)


class UnknownFunction(Exception):
    """No function has that name."""


class RequestTooLarge(Exception):
    """The event is larger than Lambda takes."""


def failed(error: dict[str, Any]) -> Invocation:
    return Invocation(json.dumps(error).encode(), function_error="Unhandled")


def timed_out(*, request_id: str, seconds: float) -> Invocation:
    message = f"RequestId: {request_id} Error: Task timed out after {seconds:.2f} seconds"
    return failed({"errorType": "Sandbox.Timedout", "errorMessage": message})


def exited(*, request_id: str, status: int) -> Invocation:
    how = f"signal: {-status}" if status < 0 else f"exit status {status}"
    message = f"RequestId: {request_id} Error: Runtime exited with error: {how}"
    return failed({"errorType": "Runtime.ExitError", "errorMessage": message})


def response_too_large() -> Invocation:
    message = (
        "Response payload size exceeded maximum allowed payload size "
        f"({RESPONSE_LIMIT_BYTES} bytes)."
    )
    return failed({"errorType": "Function.ResponseSizeTooLarge", "errorMessage": message})
