"""Delete a document: unsearchable with the answer, purged soon after it."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final
from uuid import UUID

from pulsedocs.deletion.ports import Deletions, KnownDeletions
from pulsedocs.faults import fault_point
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.object_keys import deleted_key, purge_control_key
from pulsedocs.ports.objects import ObjectStore

_MARKED_AT_ONCE: Final = 10  # as many connections has a client of S3
_MARKING_SECONDS: Final = 10  # of the 28 that the function has: a collection may be of any size


def delete_document(
    tenant_id: UUID,
    document_id: UUID,
    *,
    actor: str,
    changes: Deletions,
    objects: ObjectStore,
) -> UUID:
    """Delete, and return the receipt's id. Raises DocumentNotFound."""
    receipt_id = changes.delete(tenant_id, document_id, actor=actor)
    finish_deletion(tenant_id, {document_id: receipt_id}, objects=objects)
    return receipt_id


def finish_deletion(
    tenant_id: UUID, receipts: Mapping[UUID, UUID], *, objects: ObjectStore
) -> None:
    """Ask for the purge of documents that were deleted, and mark each of them.

    A mark tells `ingest`, which has no database: a source that is sent again behind the answer is a
    new document. Should the process die between the commit and the request to purge, the receipts
    stay incomplete: whoever lists what is pending asks again, and so does any later purge of the
    tenant, which makes up for the marks. Where an answer has no time for all of them, it asks for a
    purge that makes the rest of them first.
    """
    fault_point("delete.before_control")
    ask_for_purge(tenant_id, [*receipts.values()], objects=objects)
    fault_point("delete.before_marks")
    deadline = Deadline.after(_MARKING_SECONDS)
    left = mark_deleted(tenant_id, receipts, objects=objects, deadline=deadline)
    if left:
        objects.write(purge_control_key(tenant_id, left[0], marks_all=True), b"{}")


def mark_deleted(
    tenant_id: UUID, receipts: Mapping[UUID, UUID], *, objects: ObjectStore, deadline: Deadline
) -> list[UUID]:
    """Mark documents as deleted, and return the receipts of those that there was no time for."""

    def mark(document_id: UUID, receipt_id: UUID) -> bool:
        has_time = deadline.remaining() > 0
        if has_time:
            objects.write(deleted_key(tenant_id, document_id, receipt_id), b"{}")
        return has_time

    with ThreadPoolExecutor(_MARKED_AT_ONCE, thread_name_prefix="mark") as pool:
        marked = pool.map(mark, receipts.keys(), receipts.values())
        return [
            one for one, is_marked in zip(receipts.values(), marked, strict=True) if not is_marked
        ]


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
