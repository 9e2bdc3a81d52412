"""Batches, outside the database: list a prefix, and copy one object to where its document lies."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, RootModel

from pulsedocs import bootstrap
from pulsedocs.batches.list_batch import Listed, list_batch
from pulsedocs.batches.place_object import PlacedObject, place_object
from pulsedocs.edge.tasks import BatchRun, task
from pulsedocs.model.batches import BatchObject


class List(BaseModel):
    kind: Literal["list"]
    batch: BatchRun
    after: Annotated[str, Field(max_length=1024)]


class Item(BaseModel):
    source: str
    etag: str
    size: int
    document_id: UUID | None

    def to_object(self) -> BatchObject:
        return BatchObject(self.source, self.etag, self.size, self.document_id)


class Place(BaseModel):
    kind: Literal["place"]
    batch: BatchRun
    item: Item


class CollectRequest(RootModel[Annotated[List | Place, Field(discriminator="kind")]]):
    """One of the two steps of a batch that read where its objects lie."""


@task(CollectRequest)
def handler(request: CollectRequest) -> Listed | PlacedObject:
    asked = request.root
    if isinstance(asked, List):
        return list_batch(
            asked.batch.to_batch(),
            after=asked.after,
            prefixes=bootstrap.ingest_prefixes(),
            objects=bootstrap.object_store(),
            intake=bootstrap.intake(),
        )
    return place_object(
        asked.batch.to_batch(),
        asked.item.to_object(),
        prefixes=bootstrap.ingest_prefixes(),
        objects=bootstrap.object_store(),
        intake=bootstrap.intake(),
        max_bytes=bootstrap.settings().max_upload_bytes,
    )
