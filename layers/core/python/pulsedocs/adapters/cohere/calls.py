"""One call to Cohere: bounded in time and size, tried at most twice.

Statuses as in "Errors (status codes and description)" of Cohere's documentation.
"""

import json
from collections.abc import Generator, Mapping
from typing import Any, Final

from pulsedocs.calls.answers import Whole, lines_of
from pulsedocs.calls.failures import failure_of_status
from pulsedocs.calls.http import HttpAnswer, HttpClient, HttpRequest
from pulsedocs.calls.limits import CallLimits
from pulsedocs.calls.parsing import object_in
from pulsedocs.calls.provider import ProviderCalls
from pulsedocs.errors import ProviderQuotaExhausted, ProviderRefused, PulseDocsError
from pulsedocs.model.deadline import Deadline

COHERE: Final = "https://api.cohere.com"
_OK: Final = 200
_INVALID_TOKEN: Final = 498
_CANCELLED: Final = 499
_STANDARD: Final = {_INVALID_TOKEN: 401, _CANCELLED: 503}
"""Cohere's own statuses, and the ones that mean the same to everybody."""


class CohereCalls(ProviderCalls):
    """Calls the API with one key."""

    provider = "cohere"

    def __init__(self, limits: CallLimits, *, api_key: str, base_url: str | None = None) -> None:
        super().__init__(limits)
        self._base_url = (base_url or COHERE).rstrip("/")
        self._headers = {
            "Authorization": f"Bearer {api_key}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "User-Agent": "pulsedocs",
        }
        self._http = HttpClient()

    def close(self) -> None:
        self._http.close()

    def whole(self, path: str, request: Mapping[str, Any], *, deadline: Deadline) -> Whole:
        sent = self._written(path, request)
        return self._whole(lambda seconds: self._begin(sent, seconds), deadline)

    def lines(
        self, path: str, request: Mapping[str, Any], *, deadline: Deadline
    ) -> Generator[str | None, None, None]:
        """Yield a streamed answer's lines as they come, None where none does."""
        sent = self._written(path, request)
        return self._arriving(lambda seconds: self._begin(sent, seconds), lines_of, deadline)

    def _written(self, path: str, request: Mapping[str, Any]) -> HttpRequest:
        return HttpRequest(
            f"{self._base_url}{path}", self._headers, json.dumps(dict(request)).encode()
        )

    def _begin(self, request: HttpRequest, seconds: float) -> HttpAnswer:
        answer = self._http.post(request, timeout_seconds=seconds)
        if answer.status != _OK:
            raise _failure_of(answer)
        return answer


def _failure_of(answer: HttpAnswer) -> PulseDocsError:
    """Translate an error answer; of its message only a few words are looked for."""
    status = _STANDARD.get(answer.status, answer.status)
    message = str(object_in(answer.beginning()).get("message", "")).lower()
    failure = failure_of_status(status, retry_after=answer.headers.get("retry-after", ""))
    if status == 429 and "/ month" in message:  # noqa: PLR2004 -- a trial key's monthly allowance
        return ProviderQuotaExhausted("the trial key's calls of this month are used up", status=429)
    if isinstance(failure, ProviderRefused) and "too many tokens" in message:
        return ProviderRefused(
            f"{failure.message}: the input is longer than the model reads", status=status
        )
    return failure
