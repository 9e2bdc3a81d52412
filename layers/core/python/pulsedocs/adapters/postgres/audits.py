"""Who did what to which object: written with what was done, or not at all."""

from typing import Any
from uuid import UUID

from psycopg import Connection
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.queries import query


def record_audit(
    tx: Connection[Any],
    tenant_id: UUID,
    actor: str,
    action: str,
    subject: str,
    *,
    outcome: str = "DONE",
    **detail: object,
) -> None:
    """Add an entry to the transaction; `detail` is JSON and holds no text of a document."""
    event = {
        "tenant_id": tenant_id,
        "actor": actor,
        "action": action,
        "object": subject,
        "outcome": outcome,
        "detail": Jsonb(detail),
    }
    tx.execute(query("record_audit"), event)
