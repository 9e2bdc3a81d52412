"""Answer a repeated request with the first answer."""

import hashlib
import json
import re
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from pulsedocs.documents.ports import RequestLog
from pulsedocs.errors import InvalidRequest
from pulsedocs.model.shown import SHOWN

LONGEST_KEY: Final = 255
KEY: Final = re.compile(SHOWN)

Line = Mapping[str, Any]
Lines = Generator[Line | None, None, None]


@dataclass(frozen=True, slots=True)
class KeyedRequest:
    """A request with a key of its caller's: `subject` and `route` are part of the key.

    `body` is what another request of the same key must equal; one that ran for longer than
    `seconds` without an answer has died.
    """

    tenant_id: UUID
    subject: str
    key: str
    route: str
    body: Any
    status: int
    seconds: float = 60.0


def idempotent_request(
    request: KeyedRequest, *, log: RequestLog, respond: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """Run `respond` once per (tenant, person, route, key).

    A request that fails releases its key, so that it can be sent again. Raises
    IdempotencyKeyReused for another body and RequestInProgress while the first still runs.
    """
    recorded = _begun(request, log)
    if recorded is not None:
        return dict(recorded)
    try:
        response = respond()
    except BaseException:  # an exit too: the key would be taken until the request counts as dead
        log.forget(request.tenant_id, _scoped(request))
        raise
    log.record_response(request.tenant_id, _scoped(request), status=request.status, body=response)
    return response


def idempotent_lines(
    request: KeyedRequest, *, log: RequestLog, respond: Callable[[], Lines]
) -> Lines:
    """As `idempotent_request`, for an answer that leaves line by line.

    It counts once its last line has been kept, which then leaves. Raises before the first line.
    """
    recorded = _begun(request, log)
    if recorded is not None:
        return (line for line in recorded["lines"])
    return _kept(request, log, respond)


def _kept(request: KeyedRequest, log: RequestLog, respond: Callable[[], Lines]) -> Lines:
    said: list[Line] = []
    last: Line | None = None  # one that says nothing goes before the first
    try:
        with closing(respond()) as lines:
            for line in lines:
                yield last
                said += [] if line is None else [line]
                last = line
        answer = {"lines": said}
        log.record_response(request.tenant_id, _scoped(request), status=request.status, body=answer)
    except BaseException:
        log.forget(request.tenant_id, _scoped(request))
        raise
    yield last


def _begun(request: KeyedRequest, log: RequestLog) -> Mapping[str, Any] | None:
    if len(request.key) > LONGEST_KEY or not KEY.fullmatch(request.key):
        message = f"an Idempotency-Key has 1 to {LONGEST_KEY} printable characters"
        raise InvalidRequest(message)
    # The same fields in another order are the same request.
    canonical = json.dumps(request.body, sort_keys=True, default=str).encode()
    return log.remember(
        request.tenant_id,
        _scoped(request),
        request_hash=hashlib.sha256(canonical).digest(),
        seconds=request.seconds,
    )


def _scoped(request: KeyedRequest) -> str:
    person = hashlib.sha256(request.subject.encode()).hexdigest()  # of any length and letters
    return f"{request.route} {person} {request.key}"
