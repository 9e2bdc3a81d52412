"""Answer a repeated request with the first answer."""

import hashlib
import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

from pulsedocs.errors import InvalidRequest
from pulsedocs.ports.objects import RequestLog

_MAX_KEY = 255


def idempotent_request(
    tenant_id: UUID,
    key: str | None,
    *,
    route: str,
    body: Any,  # noqa: ANN401 -- JSON
    status: int,
    catalogue: RequestLog,
    respond: Callable[[], dict[str, Any]],
) -> dict[str, Any]:
    """Run `respond` once per (tenant, route, key); without a key, simply run it.

    A request that fails releases its key, so that it can be sent again. Raises
    IdempotencyKeyReused for another body and RequestInProgress while the first still runs.
    """
    if key is None:
        return respond()
    if not 1 <= len(key) <= _MAX_KEY or not key.isprintable():
        message = f"an Idempotency-Key has 1 to {_MAX_KEY} printable characters"
        raise InvalidRequest(message)
    scoped = f"{route} {key}"
    canonical = json.dumps(body, sort_keys=True, default=str).encode()
    recorded = catalogue.remember(
        tenant_id, scoped, request_hash=hashlib.sha256(canonical).digest()
    )
    if recorded is not None:
        return dict(recorded)
    try:
        response = respond()
    except BaseException:
        catalogue.forget(tenant_id, scoped)
        raise
    catalogue.record_response(tenant_id, scoped, status=status, body=response)
    return response
