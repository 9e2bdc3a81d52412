"""Requests that are remembered by their Idempotency-Key, as rows."""

from collections.abc import Iterator, Mapping
from typing import Any, cast
from uuid import UUID

from psycopg import Connection
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.errors import IdempotencyKeyReused, RequestInProgress


class RememberedRequests:
    """Implements `documents.ports.RequestLog`; `quotes` is whether responses hold documents' words.

    Such a response ends with the first of its documents that is deleted.
    """

    def __init__(self, database: Database, *, quotes: bool = False) -> None:
        self._database = database
        self._quotes = quotes

    def remember(
        self,
        tenant_id: UUID,
        key: str,
        *,
        request_hash: bytes,
        seconds: float = 60.0,
    ) -> Mapping[str, Any] | None:
        request = {
            "tenant_id": tenant_id,
            "key": key,
            "request_hash": request_hash,
            "seconds": seconds,
        }

        def work(tx: Connection[Any]) -> Mapping[str, Any] | None:
            if tx.execute(query("start_request"), request).fetchone() is not None:
                return None
            known = tx.execute(query("known_request"), request).fetchone()
            if known is None:
                raise RequestInProgress("a request with this key ended just now; send it again")
            is_same, response, is_expired, is_abandoned = known
            if is_expired or (is_same and is_abandoned):
                tx.execute(query("restart_request"), request)
                return None
            if not is_same:
                raise IdempotencyKeyReused("this Idempotency-Key came with another body before")
            if response is None:
                raise RequestInProgress("the first request with this Idempotency-Key still runs")
            return response

        return self._database.run(tenant_id, work)

    def record_response(
        self, tenant_id: UUID, key: str, *, status: int, body: Mapping[str, Any]
    ) -> None:
        response = {
            "tenant_id": tenant_id,
            "key": key,
            "status": status,
            "response": Jsonb(dict(body)),
            "document_ids": sorted(set(_documents_in(body))) if self._quotes else [],
        }
        self._database.execute(tenant_id, "record_response", response)

    def forget(self, tenant_id: UUID, key: str) -> None:
        self._database.execute(tenant_id, "forget_request", {"tenant_id": tenant_id, "key": key})


def _documents_in(value: object) -> Iterator[UUID]:
    """Yield the documents that a response names, wherever in it but in a tenant's own metadata."""
    if isinstance(value, Mapping):
        for name, item in cast("Mapping[str, object]", value).items():
            if name == "document_id" and item is not None:
                yield UUID(str(item))
            elif name == "document_ids":
                yield from (UUID(str(each)) for each in cast("list[object]", item))
            if name != "metadata":
                yield from _documents_in(item)
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _documents_in(item)
