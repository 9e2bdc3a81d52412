"""Batches, outside the database: list a prefix, and copy one object to where its document lies."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, RootModel

from pulsedocs import bootstrap
from pulsedocs.batches.list_batch import Listed, list_batch
from pulsedocs.batches.place_object import PlacedObject, place_object
from pulsedocs.bootstrap import buckets
from pulsedocs.edge.tasks import task
from pulsedocs.model.batches import BatchObject, BatchReference


class ListObjects(BaseModel):
    kind: Literal["list"]
    batch: BatchReference
    after: Annotated[str, Field(max_length=1024)]


class PlaceObject(BaseModel):
    kind: Literal["place"]
    batch: BatchReference
    item: BatchObject


class CollectRequest(RootModel[Annotated[ListObjects | PlaceObject, Field(discriminator="kind")]]):
    """One of the two steps of a batch that read where its objects lie."""


@task(CollectRequest)
def handler(request: CollectRequest) -> Listed | PlacedObject:
    asked = request.root
    if isinstance(asked, ListObjects):
        return list_batch(
            asked.batch,
            after=asked.after,
            prefixes=buckets.ingest_prefixes(),
            objects=buckets.object_store(),
            intake=buckets.intake(),
        )
    return place_object(
        asked.batch,
        asked.item,
        prefixes=buckets.ingest_prefixes(),
        objects=buckets.object_store(),
        intake=buckets.intake(),
        max_bytes=bootstrap.settings().max_upload_bytes,
    )
