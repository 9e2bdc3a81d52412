"""Remove what deleted documents left behind, and prove that nothing of them is left."""

from typing import Final

from pulsedocs.bootstrap import buckets, databases
from pulsedocs.deletion.purge_document import Purged, purge_documents
from pulsedocs.edge.events import S3Event
from pulsedocs.edge.tasks import task
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.object_keys import asks_for_marks, receipt_of

SECONDS: Final = 840.0  # the function itself has 900


class PurgeRequest(S3Event):
    """The key names a receipt, which says the rest."""


@task(PurgeRequest)
def handler(request: PurgeRequest) -> Purged:
    tenant_id, receipt_id = receipt_of(request.key)
    return purge_documents(
        tenant_id,
        receipt_id,
        store=databases.purge_store(),
        objects=buckets.object_archive(),
        deadline=Deadline.after(SECONDS),
        marks_all=asks_for_marks(request.key),
    )
