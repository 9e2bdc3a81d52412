"""Ask for another run of a document that failed or is parked."""

from uuid import UUID

from pulsedocs.documents.ports import DocumentOperations
from pulsedocs.faults import fault_point
from pulsedocs.model.object_keys import ingest_control_key, open_marker_key
from pulsedocs.model.sweeps import Stopped
from pulsedocs.ports.objects import ObjectStore


def retry_document(
    tenant_id: UUID,
    document_id: UUID,
    *,
    actor: str,
    operations: DocumentOperations,
    objects: ObjectStore,
) -> Stopped:
    """Note the request, then ask for the run; it goes on after the last step that was recorded.

    Asked again it asks again, and the claim finds the work taken. Raises DocumentNotFound,
    NothingToRetry.
    """
    stopped = operations.retry(tenant_id, document_id, actor=actor)
    if stopped.outcome is not None:
        request_run(tenant_id, document_id, objects=objects)
    return stopped


def request_run(tenant_id: UUID, document_id: UUID, *, objects: ObjectStore) -> None:
    """Leave the marker first: should the request be lost, the sweep repeats it."""
    objects.write(open_marker_key(tenant_id, document_id), b"{}")
    fault_point("retry.before_write")
    objects.write(ingest_control_key(tenant_id, document_id), b"{}")
