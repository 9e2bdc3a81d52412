"""Ingestion, first step: decide whether an object version is new work, and whose."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pulsedocs import bootstrap
from pulsedocs.bootstrap import buckets, databases
from pulsedocs.edge.events import S3Object
from pulsedocs.edge.tasks import task
from pulsedocs.ingestion.claim_upload import Claimed, claim_upload


class Uploaded(S3Object):
    """Of `detail.object` of an S3 event, what is used; none of it is trusted."""

    model_config = ConfigDict(populate_by_name=True)

    version_id: Annotated[str | None, Field(alias="version-id")] = None
    sequencer: Annotated[str | None, Field(pattern=r"^[0-9A-Fa-f]{1,64}$")] = None


class Detail(BaseModel):
    object: Uploaded


class Event(BaseModel):
    detail: Detail


class ClaimRequest(BaseModel):
    event: Event
    execution: Annotated[str, Field(min_length=1, max_length=2048)]


@task(ClaimRequest)
def handler(request: ClaimRequest) -> Claimed:
    uploaded = request.event.detail.object
    return claim_upload(
        uploaded.key,
        object_version=uploaded.version_id,
        sequencer=uploaded.sequencer,
        holder=request.execution,
        objects=buckets.object_archive(),
        store=databases.ingestion_store(),
        max_bytes=bootstrap.settings().max_upload_bytes,
    )
