"""Ask for another run of every document of a tenant that stopped for some reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from pulsedocs.documents.ports import DocumentOperations
from pulsedocs.documents.retry_document import request_run
from pulsedocs.model.sweeps import Redrivable, RedriveFilter
from pulsedocs.ports.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class Redriven:
    """The documents that are asked for, or would be."""

    dry_run: bool
    requeued: int
    documents: Sequence[Redrivable]


def redrive(
    tenant_id: UUID,
    wanted: RedriveFilter,
    *,
    dry_run: bool,
    actor: str,
    operations: DocumentOperations,
    objects: ObjectStore,
) -> Redriven:
    """Redrive the longest stopped first; asked twice at once, each document is asked for once."""
    if dry_run:
        return Redriven(
            dry_run=True, requeued=0, documents=operations.redrivable(tenant_id, wanted)
        )
    documents = operations.redrive(tenant_id, wanted, actor=actor)
    for item in documents:
        request_run(tenant_id, item.document_id, objects=objects)
    return Redriven(dry_run=False, requeued=len(documents), documents=documents)
