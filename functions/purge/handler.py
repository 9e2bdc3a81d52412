"""Remove what deleted documents left behind, and prove that nothing of them is left."""

from typing import Annotated, Final

from pydantic import BaseModel, Field

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import task
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.object_keys import receipt_of
from pulsedocs.usecases.purge_document import Purged, purge_documents

SECONDS: Final = 840.0  # the function itself has 900


class S3Object(BaseModel):
    """Of `detail.object` of an S3 event, the key; the receipt it names says the rest."""

    key: Annotated[str, Field(min_length=1, max_length=1024)]


class Detail(BaseModel):
    object: S3Object


class PurgeRequest(BaseModel):
    detail: Detail


@task(PurgeRequest)
def handler(request: PurgeRequest) -> Purged:
    tenant_id, receipt_id = receipt_of(request.detail.object.key)
    return purge_documents(
        tenant_id,
        receipt_id,
        store=bootstrap.purge_store(),
        objects=bootstrap.object_archive(),
        deadline=Deadline.after(SECONDS),
    )
