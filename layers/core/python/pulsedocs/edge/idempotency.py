"""A request that comes again with its `Idempotency-Key` gets the first answer."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeVar
from uuid import UUID

from pydantic import BaseModel

from pulsedocs import bootstrap
from pulsedocs.documents.idempotent_request import (
    KeyedRequest,
    Lines,
    idempotent_lines,
    idempotent_request,
)
from pulsedocs.documents.ports import RequestLog
from pulsedocs.edge.api import Header
from pulsedocs.model.deadline import Deadline

IdempotencyKey = Annotated[str | None, Header()]
View = TypeVar("View", bound=BaseModel)

_SECONDS_TO_KEEP: Final = 2.0  # behind an answer that took all of its time


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
    if key is None:
        return respond()
    return idempotent_request(
        KeyedRequest(tenant_id, key, route, body, status),
        log=bootstrap.document_catalogue() if log is None else log,
        respond=respond,
    )


def answered_once(
    tenant_id: UUID,
    key: str | None,
    *,
    route: str,
    body: Any,  # noqa: ANN401 -- JSON
    respond: Callable[[], View],
    view: type[View],
    status: HTTPStatus = HTTPStatus.OK,
) -> View:
    """As `once`, for a function without a database: what it answers is kept through `retrieve`.

    An answer ends with the first of its documents that is deleted; the question is then asked anew.
    """
    if key is None:
        return respond()
    kept = idempotent_request(
        KeyedRequest(tenant_id, key, route, body, status),
        log=_answer_log(bootstrap.settings().request_seconds),
        respond=lambda: respond().model_dump(mode="json"),
    )
    return view.model_validate(kept)


def streamed_once(
    tenant_id: UUID,
    key: str | None,
    *,
    route: str,
    body: Any,  # noqa: ANN401 -- JSON
    respond: Callable[[], Lines],
) -> Lines:
    """As `answered_once`, for an answer that leaves line by line."""
    if key is None:
        return respond()
    seconds = bootstrap.settings().stream_seconds
    request = KeyedRequest(tenant_id, key, route, body, HTTPStatus.OK, seconds=seconds + 60)
    return idempotent_lines(request, log=_answer_log(seconds), respond=respond)


def _answer_log(seconds: float) -> RequestLog:
    return bootstrap.answer_log(Deadline.after(seconds + _SECONDS_TO_KEEP))
