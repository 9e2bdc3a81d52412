"""One connection to a stage: problems become errors, a stage that is waking up is waited for."""

import json
from collections.abc import Mapping
from typing import Any, BinaryIO, Final
from uuid import uuid4

import httpx
import stamina

from pulsedocs.errors import BodyTooLarge

Json = dict[str, Any]

PATIENCE_SECONDS: Final = 90.0  # a paused Aurora takes about 15 s to resume, rarely a minute
_REQUEST_SECONDS: Final = 30.0  # API Gateway gives up after 29
_UPLOAD_SECONDS: Final = 300.0  # how long an upload form is valid
_LATER: Final = frozenset(
    {
        httpx.codes.TOO_MANY_REQUESTS,
        httpx.codes.BAD_GATEWAY,  # whether the function ran is not known
        httpx.codes.SERVICE_UNAVAILABLE,
        httpx.codes.GATEWAY_TIMEOUT,
    }
)
_MOST_BYTES: Final = (
    6_000_000  # Lambda takes 6 MB, with up to 10 KB of headers and the token's claims
)
_STORAGE_LATER: Final = _LATER | {httpx.codes.INTERNAL_SERVER_ERROR}  # S3 says so when it is busy
_UPLOAD_REFUSED: Final = "UPLOAD_REFUSED"


class RequestRefused(Exception):
    """The service answered with a problem document; the message is written for the reader."""

    def __init__(self, problem: Mapping[str, Any], *, retry_after: float | None = None) -> None:
        super().__init__(
            f"{problem.get('code')}: {problem.get('detail')}. {problem.get('guidance')}"
        )
        self.problem = problem
        self.retry_after = retry_after

    @property
    def code(self) -> str:
        return str(self.problem.get("code"))

    @property
    def status(self) -> int:
        return int(self.problem.get("status", 0))


class Transport:
    """Sends requests, again where the answer may be another later.

    Every change carries an `Idempotency-Key`: what was done already is answered, not done twice.
    """

    def __init__(
        self, url: str, token: str, *, patience: float = PATIENCE_SECONDS, trust_env: bool = True
    ) -> None:
        self._patiently = stamina.RetryingCaller(attempts=None, timeout=patience).on(_pause)
        self._http = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {token}", "Accept": "application/json"},
            timeout=_REQUEST_SECONDS,
            trust_env=trust_env,
        )
        self._storage = httpx.Client(timeout=_UPLOAD_SECONDS, trust_env=trust_env)

    def close(self) -> None:
        self._http.close()
        self._storage.close()

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
    ) -> Json:
        """Return the answer's JSON. Raises RequestRefused, and httpx.TransportError after 90 s."""
        headers = {} if method == "GET" else {"Idempotency-Key": str(uuid4())}
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        if content is not None:
            headers["Content-Type"] = "application/json"
            _refuse_too_large(content)

        def send() -> Json:
            response = self._http.request(
                method, path, content=content, params=parameters, headers=headers
            )
            if not response.is_success:
                value = response.headers.get("retry-after", "")
                pause = float(value) if value.isdigit() else None
                raise RequestRefused(_problem(response), retry_after=pause)
            return response.json() if response.content else {}

        return self._patiently(send)

    def send_form(
        self, form: Mapping[str, Any], body: BinaryIO, *, filename: str, content_type: str
    ) -> None:
        """Post bytes with a presigned form. Raises RequestRefused where storage refuses them."""

        def send() -> None:
            body.seek(0)
            response = self._storage.post(
                form["url"], data=form["fields"], files={"file": (filename, body, content_type)}
            )
            if not response.is_success:  # a redirect has stored nothing either
                raise RequestRefused(_storage_problem(response))

        self._patiently(send)


def _refuse_too_large(content: bytes) -> None:
    """Raise RequestRefused, before it is sent, for a body that no function can be given.

    In an event it is a text of JSON once more, in which each quote and line break takes two bytes.
    """
    size = len(content) + sum(map(content.count, (b'"', b"\\")))
    if size > _MOST_BYTES:
        raise RequestRefused(
            {
                "code": BodyTooLarge.code,
                "status": int(httpx.codes.REQUEST_ENTITY_TOO_LARGE),
                "detail": f"the body has {size:,} bytes as a function is given it; at most"
                f" {_MOST_BYTES:,} are taken",
                "guidance": BodyTooLarge.guidance,
            }
        )


def _pause(error: Exception) -> bool | float:
    """Return whether to try again, or the seconds that the service asked for."""
    if isinstance(error, RequestRefused):
        if error.code == "BUDGET_EXCEEDED":
            return False  # until the day is over: longer than anybody waits
        is_running = error.code == "REQUEST_IN_PROGRESS"
        later = _STORAGE_LATER if error.code == _UPLOAD_REFUSED else _LATER
        if error.status not in later and not is_running:
            return False
        return True if error.retry_after is None else error.retry_after
    return isinstance(error, httpx.TransportError)


def _problem(response: httpx.Response) -> Json:
    """Return the problem document; what a proxy or gateway says instead is wrapped in one."""
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if isinstance(problem, dict) and "code" in problem:
        return problem  # pyright: ignore[reportUnknownVariableType] -- JSON
    return {
        "code": f"HTTP_{response.status_code}",
        "status": response.status_code,
        "detail": response.reason_phrase,
        "guidance": "The answer is not the service's own: check the address and the token.",
    }


def _storage_problem(response: httpx.Response) -> Json:
    """Return a problem document for S3's XML: too large, expired, or not what was announced."""
    return {
        "code": _UPLOAD_REFUSED,
        "status": response.status_code,
        "detail": f"the bucket answered {response.status_code}: {response.text[:300]}",
        "guidance": "Register the document again and send the bytes that were announced.",
    }
