"""Stop what is under way for a document."""

from uuid import UUID

from pulsedocs.documents.ports import DocumentOperations
from pulsedocs.faults import fault_point
from pulsedocs.model.object_keys import open_marker_key
from pulsedocs.model.sweeps import Stopped
from pulsedocs.ports.objects import ObjectStore


def cancel_document(
    tenant_id: UUID,
    document_id: UUID,
    *,
    actor: str,
    operations: DocumentOperations,
    objects: ObjectStore,
) -> Stopped:
    """End every version that has not ended; what is published stays so.

    The running step finds its fence taken and ends, and with it the execution. Raises
    DocumentNotFound, NothingToCancel.
    """
    stopped = operations.cancel(tenant_id, document_id, actor=actor)
    fault_point("cancel.before_marker")
    objects.remove(open_marker_key(tenant_id, document_id))
    return stopped
