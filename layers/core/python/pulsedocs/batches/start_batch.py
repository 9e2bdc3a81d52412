"""Ask for all objects below a prefix, or for what is left of a batch that stopped."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from pulsedocs.batches.ports import BatchStore
from pulsedocs.errors import InvalidRequest
from pulsedocs.faults import fault_point
from pulsedocs.ingestion.ingest_reference import prefix_within
from pulsedocs.model.batches import BatchRequest, batch_request_text
from pulsedocs.model.object_keys import batch_control_key
from pulsedocs.model.requests import Choices
from pulsedocs.ports.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class BatchAccepted:
    batch_id: UUID


def start_batch(
    tenant_id: UUID,
    prefix: str,
    choices: Choices,
    *,
    prefixes: Sequence[str],
    store: BatchStore,
    objects: ObjectStore,
) -> BatchAccepted:
    """Note the batch, then ask for its run; a request that was lost is made by `resume_batch`."""
    if choices.document_id is not None:
        raise InvalidRequest("a batch makes many documents: leave `document_id` out")
    prefix_within(tenant_id, prefix, prefixes)  # refused now rather than by the listing
    batch_id, request = uuid4(), BatchRequest(prefix, choices)
    store.add(tenant_id, batch_id, request)
    _ask(tenant_id, batch_id, request, objects=objects)
    return BatchAccepted(batch_id)


def resume_batch(
    tenant_id: UUID, batch_id: UUID, *, actor: str, store: BatchStore, objects: ObjectStore
) -> BatchAccepted:
    """Go on with what is left. Raises BatchNotFound, BatchRunning."""
    _ask(tenant_id, batch_id, store.resume(tenant_id, batch_id, actor=actor), objects=objects)
    return BatchAccepted(batch_id)


def _ask(tenant_id: UUID, batch_id: UUID, request: BatchRequest, *, objects: ObjectStore) -> None:
    fault_point("batch.before_write")
    objects.write(batch_control_key(tenant_id, batch_id), batch_request_text(request))
