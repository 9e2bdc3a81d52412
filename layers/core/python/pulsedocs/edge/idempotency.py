"""A request that comes again with its `Idempotency-Key` gets the first answer."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any
from uuid import UUID

from pulsedocs import bootstrap
from pulsedocs.edge.api import Header
from pulsedocs.ports.objects import RequestLog
from pulsedocs.usecases.idempotent_request import idempotent_request

IdempotencyKey = Annotated[str | None, Header()]


def once(
    tenant_id: UUID,
    key: str | None,
    *,
    route: str,
    body: Any,  # noqa: ANN401 -- JSON
    respond: Callable[[], dict[str, Any]],
    status: HTTPStatus = HTTPStatus.ACCEPTED,
    log: RequestLog | None = None,
) -> dict[str, Any]:
    """Run `respond` once for a key of the tenant's, and keep what it answers in the database.

    `route` is part of the key, `body` what another request of the same key must equal.
    """
    return idempotent_request(
        tenant_id,
        key,
        route=route,
        body=body,
        status=status,
        catalogue=bootstrap.document_catalogue() if log is None else log,
        respond=respond,
    )
