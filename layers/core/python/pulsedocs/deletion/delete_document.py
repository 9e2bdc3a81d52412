"""Delete a document: unsearchable with the answer, purged soon after it."""

from collections.abc import Sequence
from uuid import UUID

from pulsedocs.deletion.ports import Deletions, KnownDeletions
from pulsedocs.faults import fault_point
from pulsedocs.model.object_keys import deleted_key, purge_control_key
from pulsedocs.ports.objects import ObjectStore


def delete_document(
    tenant_id: UUID,
    document_id: UUID,
    *,
    actor: str,
    changes: Deletions,
    objects: ObjectStore,
) -> UUID:
    """Delete, ask for the purge, and return the receipt's id. Raises DocumentNotFound.

    The mark tells `ingest`, which has no database: a source that is sent again behind the answer
    is a new document. Should the process die between the commit and the request to purge, the
    receipt stays incomplete: whoever lists what is pending asks again, and so does any later purge
    of the tenant, which makes up for the mark.
    """
    receipt_id = changes.delete(tenant_id, document_id, actor=actor)
    fault_point("delete.before_mark")
    objects.write(deleted_key(tenant_id, document_id, receipt_id), b"{}")
    fault_point("delete.before_control")
    ask_for_purge(tenant_id, [receipt_id], objects=objects)
    return receipt_id


def ask_for_purge(tenant_id: UUID, receipt_ids: Sequence[UUID], *, objects: ObjectStore) -> None:
    """Start a purge: one request is enough, it goes on with what else of the tenant waits."""
    if receipt_ids:
        objects.write(purge_control_key(tenant_id, receipt_ids[0]), b"{}")


def purge_again(
    tenant_id: UUID, document_id: UUID, *, objects: ObjectStore, store: KnownDeletions
) -> None:
    """Ask for another purge where a deleted document may have got something back.

    A form that was signed before the deletion still takes bytes, and a run that has not yet met its
    fence still writes to S3: neither may stay, and neither brings the document back.
    """
    receipt_id = store.deletion_of(tenant_id, document_id)
    if receipt_id is not None:
        fault_point("delete.before_purge_again")
        ask_for_purge(tenant_id, [receipt_id], objects=objects)
