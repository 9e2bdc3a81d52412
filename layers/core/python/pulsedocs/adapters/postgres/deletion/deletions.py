"""Make documents unsearchable and their runs powerless, with a receipt for each."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from psycopg import Connection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres import budgets
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.errors import DeletionNotFound
from pulsedocs.faults import fault_point
from pulsedocs.model.budgets import holder_of_version
from pulsedocs.model.deletions import Receipt
from pulsedocs.model.shingles import Sample


def written_before(tx: Connection[Any], tenant_id: UUID, receipt_ids: Sequence[UUID]) -> bool:
    """Say whether this request's receipts exist: its first answer was lost after the commit."""
    known = {"tenant_id": tenant_id, "receipt_ids": list(receipt_ids)}
    return tx.execute(query("known_receipts"), known).fetchone() is not None


def lock_existing(tx: Connection[Any], tenant_id: UUID, document_ids: Sequence[UUID]) -> list[UUID]:
    wanted = {"tenant_id": tenant_id, "document_ids": list(document_ids)}
    return [row[0] for row in tx.execute(query("lock_documents"), wanted)]


def delete_locked(
    tx: Connection[Any],
    tenant_id: UUID,
    document_ids: Sequence[UUID],
    receipt_ids: Sequence[UUID],
    *,
    actor: str,
) -> None:
    """Delete documents whose locks the transaction holds.

    Everything that finds a document asks for its published version, and everything that writes to
    one compares the fence: both are gone with this commit, whatever the purge still has to do.
    """
    doomed = {
        "tenant_id": tenant_id,
        "document_ids": list(document_ids),
        "receipt_ids": list(receipt_ids),
        "actor": actor,
    }
    ended: list[UUID] = []
    for name in ("write_receipts", "end_deleted_versions", "delete_documents", "record_deletions"):
        done = tx.execute(query(name), doomed)
        if name == "end_deleted_versions":
            ended = [holder_of_version(document_id, version) for document_id, version in done]
        fault_point(f"delete.{name}")
    # Last, as everywhere: all calls of a tenant wait for each other at the row of its day.
    budgets.give_back(tx, tenant_id, ended)


def receipt(tx: Connection[Any], tenant_id: UUID, receipt_id: UUID) -> Receipt:
    wanted = {"tenant_id": tenant_id, "receipt_id": receipt_id}
    with tx.cursor(row_factory=class_row(Receipt)) as cursor:
        found = cursor.execute(query("receipt"), wanted).fetchone()
    if found is None:
        raise _not_found(receipt_id)
    return found


def ask(tx: Connection[Any], tenant_id: UUID, receipt_id: UUID, sample: Sample) -> None:
    asked = {"tenant_id": tenant_id, "receipt_id": receipt_id, "sample": Jsonb(sample.to_json())}
    if tx.execute(query("ask_receipt"), asked).fetchone() is None:
        raise _not_found(receipt_id)


def _not_found(receipt_id: UUID) -> DeletionNotFound:
    return DeletionNotFound(f"there is no deletion {receipt_id}", receipt_id=str(receipt_id))
