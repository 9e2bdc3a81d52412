"""Errors as a client reads them: problem documents (RFC 9457), each with its status."""

import math
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from http import HTTPStatus
from typing import Any, Final

from pulsedocs.edge import german
from pulsedocs.edge.identifiers import noted
from pulsedocs.edge.observability import logger
from pulsedocs.errors import (
    AnswerTooLarge,
    BodyTooLarge,
    BudgetExceeded,
    Conflict,
    DocumentRejected,
    EmbeddingError,
    FileTooLarge,
    Forbidden,
    IdempotencyKeyReused,
    InvalidRequest,
    NotFound,
    ParkedError,
    ProcessingFailed,
    ProviderThrottled,
    PulseDocsError,
    RequestInProgress,
    RetryableError,
    SourceUnavailable,
    StageNotReady,
    Throttled,
    TimedOut,
    Unauthenticated,
    UnknownModel,
    UnknownRecognition,
    UrlRefused,
)

_STATUS_OF: Final[dict[type[PulseDocsError], HTTPStatus]] = {
    InvalidRequest: HTTPStatus.BAD_REQUEST,
    UrlRefused: HTTPStatus.BAD_REQUEST,
    SourceUnavailable: HTTPStatus.FAILED_DEPENDENCY,  # a site's fault: neither ours nor a 5xx
    DocumentRejected: HTTPStatus.BAD_REQUEST,
    FileTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    BodyTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    AnswerTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Unauthenticated: HTTPStatus.UNAUTHORIZED,
    Forbidden: HTTPStatus.FORBIDDEN,
    NotFound: HTTPStatus.NOT_FOUND,
    Conflict: HTTPStatus.CONFLICT,
    UnknownModel: HTTPStatus.UNPROCESSABLE_ENTITY,
    UnknownRecognition: HTTPStatus.UNPROCESSABLE_ENTITY,
    IdempotencyKeyReused: HTTPStatus.UNPROCESSABLE_ENTITY,
    ParkedError: HTTPStatus.SERVICE_UNAVAILABLE,
    BudgetExceeded: HTTPStatus.TOO_MANY_REQUESTS,
    Throttled: HTTPStatus.TOO_MANY_REQUESTS,
    RetryableError: HTTPStatus.SERVICE_UNAVAILABLE,
    EmbeddingError: HTTPStatus.SERVICE_UNAVAILABLE,  # of a question: no leg is left to search by
    StageNotReady: HTTPStatus.SERVICE_UNAVAILABLE,
    TimedOut: HTTPStatus.GATEWAY_TIMEOUT,
    ProcessingFailed: HTTPStatus.INTERNAL_SERVER_ERROR,
}
_RETRY_AFTER_SECONDS: Final = 5
_RUNNING_SECONDS: Final = 1  # a request ends within 29; to ask for its answer again costs little
_OPENAI_PATHS: Final = "/v1/"


def status_of(error: PulseDocsError) -> HTTPStatus:
    """Return the status of the nearest class in the tree that has one."""
    return next(
        (_STATUS_OF[kind] for kind in type(error).__mro__ if kind in _STATUS_OF),
        HTTPStatus.INTERNAL_SERVER_ERROR,
    )


def unexpected(error: Exception) -> PulseDocsError:
    """Log an error that nobody foresaw; return what a client is told of it."""
    # The frames without the message: a foreign error may quote a row or a passage.
    frames = traceback.format_tb(error.__traceback__)
    logger().error("unexpected", error_type=type(error).__name__, frames=frames, **noted())
    return PulseDocsError("something unexpected happened; the request id leads to the log")


def problem_document(
    error: PulseDocsError, *, request_id: str, event: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what a client is told of an error (RFC 9457), with OpenAI's `error` on its paths."""
    status = status_of(error)
    message, guidance = error.message, error.guidance
    if german.is_asked_for(event):
        message, guidance = german.error_in_german(error.code, message=message, guidance=guidance)
    problem = {
        "type": f"urn:pulsedocs:error:{error.code}",
        "title": status.phrase,
        "status": status.value,
        "code": error.code,
        "detail": message,
        "context": error.context,
        "guidance": guidance,
        "request_id": request_id,
    }
    if not str(event.get("path") or "").startswith(_OPENAI_PATHS):
        return problem
    is_ours = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    kind = "server_error" if is_ours else "invalid_request_error"
    told = {"message": message, "type": kind, "param": None, "code": error.code}
    return {**problem, "error": told}


def retry_after(error: PulseDocsError) -> dict[str, str]:
    """Return the header that says when the same request can succeed, if waiting helps."""
    if isinstance(error, BudgetExceeded):
        now = datetime.now(UTC)
        resets_at = error.context.get("resets_at")
        # A budget is a day's, in UTC; where the store did not say when it ends, midnight it is.
        end = (
            datetime.fromisoformat(resets_at)
            if isinstance(resets_at, str)
            else datetime.combine(now.date() + timedelta(days=1), time_of_day.min, UTC)
        )
        return {"Retry-After": str(max(1, math.ceil((end - now).total_seconds())))}
    if isinstance(error, RequestInProgress):
        return {"Retry-After": str(_RUNNING_SECONDS)}
    if not isinstance(error, RetryableError | EmbeddingError):
        return {}
    wanted = error.retry_after_seconds if isinstance(error, ProviderThrottled) else None
    return {"Retry-After": str(max(1, round(wanted or _RETRY_AFTER_SECONDS)))}
