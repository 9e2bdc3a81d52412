"""What an error means to people that Step Functions caught by name, with a Lambda's error JSON."""

from typing import Final

from pydantic import BaseModel, Field, ValidationError

from pulsedocs.errors import (
    DocumentRejected,
    ParkedError,
    ProcessingFailed,
    PulseDocsError,
    TimedOut,
    error_named,
    without_context,
)
from pulsedocs.model.documents import ErrorReport
from pulsedocs.pipeline import Outcome

_TIMEOUTS: Final = {
    "States.Timeout",
    "Sandbox.Timedout",
    "Lambda.Unknown",
    "States.HeartbeatTimeout",
}
_MAX_MESSAGE: Final = 1000


class _LambdaError(BaseModel):
    """Of a Lambda's error JSON, the sentence."""

    message: str = Field(alias="errorMessage")


def kind_of(name: str) -> type[PulseDocsError]:
    """Return the class of a name; a foreign one is ProcessingFailed."""
    if name in _TIMEOUTS:
        return TimedOut
    return error_named(name) or ProcessingFailed


def outcome_of(kind: type[PulseDocsError]) -> Outcome:
    """Say whose turn it is: the uploader's (REJECTED), the operator's (PARKED, FAILED)."""
    if issubclass(kind, DocumentRejected):
        return Outcome.REJECTED
    if issubclass(kind, ParkedError):
        return Outcome.PARKED
    return Outcome.FAILED


def report_of(name: str, cause: str) -> ErrorReport:
    """Return what people read; a sentence that is not ours could carry document text."""
    kind = kind_of(name)
    message, context = f"a step ended with {name}", {}
    if error_named(name) is not None:
        try:
            message, context = without_context(_LambdaError.model_validate_json(cause).message)
        except ValidationError:
            message = ""
    return ErrorReport(
        code=kind.code,
        message=message[:_MAX_MESSAGE],
        context={**context, "error": name},
        guidance=kind.guidance,
    )
