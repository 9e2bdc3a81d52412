"""Requests that are remembered in the bucket, where a function has no database."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from pulsedocs.errors import IdempotencyKeyReused, RequestInProgress
from pulsedocs.ingestion.ports import Intake
from pulsedocs.model.object_keys import idempotency_key

_REMEMBERED: Final = timedelta(hours=24)


class BucketRequestLog:
    """Implements `documents.ports.RequestLog`; conditional writes take the place of row locks."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    def remember(
        self, tenant_id: UUID, key: str, *, request_hash: bytes, seconds: float = 60.0
    ) -> Mapping[str, Any] | None:
        place = _place(tenant_id, key)
        started = self._entry(request_hash=request_hash.hex())
        if self._intake.swap(place, started, expected=None):
            return None
        seen = self._intake.peek(place)
        if seen is None:
            raise RequestInProgress("a request with this key ended just now; send it again")
        entry = json.loads(seen.body)
        is_same = entry["request_hash"] == request_hash.hex()
        if self._may_restart(entry, is_same=is_same, seconds=seconds):
            if self._intake.swap(place, started, expected=seen):
                return None
            raise RequestInProgress("another request with this Idempotency-Key came first")
        if not is_same:
            raise IdempotencyKeyReused("this Idempotency-Key came with another body before")
        if entry["response"] is None:
            raise RequestInProgress("the first request with this Idempotency-Key still runs")
        return entry["response"]

    def record_response(
        self, tenant_id: UUID, key: str, *, status: int, body: Mapping[str, Any]
    ) -> None:
        place = _place(tenant_id, key)
        seen = self._intake.peek(place)
        if seen is None:
            return
        request_hash = json.loads(seen.body)["request_hash"]
        answered = self._entry(request_hash=request_hash, status=status, response=dict(body))
        self._intake.swap(place, answered, expected=seen)

    def forget(self, tenant_id: UUID, key: str) -> None:
        self._intake.remove(_place(tenant_id, key))

    def _entry(self, **fields: Any) -> bytes:  # noqa: ANN401 -- JSON
        entry = {"response": None, "at": datetime.now(UTC).isoformat()} | fields
        return json.dumps(entry).encode()

    def _may_restart(self, entry: Mapping[str, Any], *, is_same: bool, seconds: float) -> bool:
        age = datetime.now(UTC) - datetime.fromisoformat(entry["at"])
        is_abandoned = is_same and entry["response"] is None and age > timedelta(seconds=seconds)
        return age > _REMEMBERED or is_abandoned


def _place(tenant_id: UUID, key: str) -> str:
    return idempotency_key(tenant_id, hashlib.sha256(key.encode()).hexdigest())
