"""How far a batch has come, and which of its objects did not become documents."""

import base64
from dataclasses import dataclass, replace
from uuid import UUID

from pulsedocs.batches.ports import BatchStore
from pulsedocs.documents.cursors import CURSOR, no_cursor
from pulsedocs.model.batches import BatchStatus

_FAILURES = 100


@dataclass(frozen=True, slots=True)
class BatchPage:
    status: BatchStatus
    cursor: str | None
    """Where the next failures begin, if there are more."""


def read_batch(
    tenant_id: UUID, batch_id: UUID, *, cursor: str | None, store: BatchStore
) -> BatchPage:
    after = "" if cursor is None else _decoded(cursor)
    status = store.status(tenant_id, batch_id, after=after, limit=_FAILURES + 1)
    shown = status.failures[:_FAILURES]
    has_more = len(status.failures) > _FAILURES
    following = None
    if has_more:
        following = base64.urlsafe_b64encode(shown[-1].source.encode()).decode()
    return BatchPage(replace(status, failures=shown), following)


def _decoded(cursor: str) -> str:
    try:
        source = base64.urlsafe_b64decode(cursor).decode() if CURSOR.fullmatch(cursor) else ""
    except ValueError:
        source = ""
    # Refused addresses are listed too, whatever is in them; a NUL PostgreSQL would refuse.
    if not source.startswith("s3://") or "\0" in source:
        raise no_cursor()
    return source
