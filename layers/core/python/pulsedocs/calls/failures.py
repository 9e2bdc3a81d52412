"""What a provider's refusals mean for us, whichever provider says them.

402, a quota that is used up    ProviderQuotaExhausted
429                             ProviderThrottled, with the provider's own delay
401, 403                        ProviderKeyRefused
408, 409, 5xx, no connection    ProviderUnavailable
other 3xx and 4xx               ProviderRefused
not an answer of the API        ProviderMalformed
"""

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final

from pulsedocs.errors import (
    ProviderKeyRefused,
    ProviderQuotaExhausted,
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
    PulseDocsError,
)

_KEY_AT_FAULT: Final = {401, 403}
_TEXT_AT_FAULT: Final = {400, 413, 422}
_TEMPORARY: Final = {408, 409}


def failure_of_status(status: int, *, detail: str = "", retry_after: str) -> PulseDocsError:
    """Translate a status; `detail` is our own word or a bare code, never the provider's prose."""
    said = f"the provider answered {status} {detail}".rstrip()
    if status == HTTPStatus.PAYMENT_REQUIRED:
        return ProviderQuotaExhausted(said, status=status)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        # Seconds or a date; what says neither is no limit, and the caller's own pause holds.
        try:
            seconds = float(retry_after)
        except ValueError:
            seconds = _seconds_until(retry_after)
        pause = max(0.0, seconds) if math.isfinite(seconds) else None
        return ProviderThrottled(said, retry_after_seconds=pause)
    if status in _KEY_AT_FAULT:
        return ProviderKeyRefused(said, status=status)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _TEMPORARY:
        return ProviderUnavailable(said, status=status)
    return ProviderRefused(said, status=status)


def connection_failure(*, is_timeout: bool) -> ProviderUnavailable:
    if is_timeout:
        return ProviderUnavailable("the provider did not answer in time", reason="timeout")
    return ProviderUnavailable("the connection to the provider failed", reason="connection")


def is_worth_a_retry(error: ProviderUnavailable) -> bool:
    """Refuse a second try after a timeout: the first may be billed, and has used the time."""
    return error.context.get("reason") != "timeout"


def is_about_the_text(error: ProviderRefused) -> bool:
    """Say whether another text could be accepted where this one was refused."""
    return error.context.get("status") in _TEXT_AT_FAULT


def _seconds_until(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return math.nan
    return (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds()
