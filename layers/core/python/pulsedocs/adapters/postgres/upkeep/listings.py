"""Pages of ids across tenants: all that is read of others than one's own."""

from typing import Final
from uuid import UUID

from pulsedocs.adapters.postgres.connection import Database

_NOBODY: Final = UUID(int=0)  # the lists need no tenant, and a transaction without one has no rows


def page_of(
    database: Database, name: str, *, after: tuple[UUID, UUID], limit: int, **wanted: object
) -> list[tuple[UUID, UUID]]:
    """Return (tenant, subject) pairs of a listing in order, beginning behind `after`."""
    position = {"after_tenant": after[0], "after_subject": after[1], "limit": limit}
    rows = database.rows(_NOBODY, name, {**position, **wanted})
    return [(tenant_id, subject_id) for tenant_id, subject_id in rows]
