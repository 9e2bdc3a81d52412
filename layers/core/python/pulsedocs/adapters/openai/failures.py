"""What the errors of OpenAI's SDK mean for us; the statuses are those of `pulsedocs.calls`.

429 insufficient_quota          ProviderQuotaExhausted, as 402 is
400 of a parameter in SPARED    ProviderRefused, with the parameter in its context
"""

import re
from http import HTTPStatus
from typing import Final

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

from pulsedocs.calls.failures import connection_failure, failure_of_status
from pulsedocs.errors import (
    ProviderMalformed,
    ProviderQuotaExhausted,
    ProviderRefused,
    PulseDocsError,
)

SPARED: Final = frozenset({"temperature", "max_tokens"})
"""What a chat model can be asked without, or by another name."""
_CODE: Final = re.compile(r"[a-z_]{1,64}", re.ASCII)


def failure_of(error: OpenAIError) -> PulseDocsError:
    """Translate an error of the SDK; nothing of the provider's message is kept."""
    match error:
        case APIConnectionError():
            return connection_failure(is_timeout=isinstance(error, APITimeoutError))
        case APIStatusError():
            status, code = error.status_code, _code_of(error)
            if code == "insufficient_quota":
                return ProviderQuotaExhausted(
                    f"the provider answered {status} {code}", status=status
                )
            if status == HTTPStatus.BAD_REQUEST and error.param in SPARED:
                message = f"the provider answered {status} {code} of {error.param}"
                return ProviderRefused(message, status=status, parameter=error.param)
            retry_after = error.response.headers.get("retry-after", "")
            return failure_of_status(status, detail=code, retry_after=retry_after)
        case _:
            return ProviderMalformed("the provider's answer cannot be read")


def failure_of_reading(error: Exception) -> PulseDocsError:
    """Translate what ends the reading of an answer's body."""
    if isinstance(error, OpenAIError):
        return failure_of(error)
    return connection_failure(is_timeout=isinstance(error, TimeoutError | httpx2.TimeoutException))


def _code_of(error: APIStatusError) -> str:
    """Return the provider's error code if it is one word; its other words may quote the request."""
    for code in (error.code, error.type):
        if isinstance(code, str) and _CODE.fullmatch(code):
            return code
    return ""
