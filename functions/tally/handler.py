"""Batches, in the database: take one, enrol its objects, hand out what is left, end it."""

from typing import Literal

from pydantic import BaseModel, RootModel

from pulsedocs.batches.tally_batch import (
    Tallied,
    begin_batch,
    end_batch,
    end_execution,
    enrol_objects,
    next_objects,
    refuse_object,
)
from pulsedocs.bootstrap import buckets, databases
from pulsedocs.edge.events import CaughtError, S3Event, StatusChange
from pulsedocs.edge.tasks import task
from pulsedocs.model.batches import BatchReference


class BeginBatch(BaseModel):
    kind: Literal["begin"]
    event: S3Event
    execution: str


class Enrol(BaseModel):
    kind: Literal["enrol"]
    batch: BatchReference
    listing: str
    after: str
    more: bool


class NextObjects(BaseModel):
    kind: Literal["next"]
    batch: BatchReference
    after: str
    again: bool | None = None


class Refuse(BaseModel):
    kind: Literal["refuse"]
    batch: BatchReference
    source: str
    error: CaughtError


class EndBatch(BaseModel):
    kind: Literal["end"]
    batch: BatchReference


class TallyRequest(RootModel[BeginBatch | Enrol | NextObjects | Refuse | EndBatch | StatusChange]):
    """A step of a batch's state machine, or the end of one that broke."""


@task(TallyRequest)
def handler(request: TallyRequest) -> Tallied | None:
    store = databases.batch_store()
    match request.root:
        case BeginBatch(event=event, execution=execution):
            return begin_batch(event.key, execution=execution, store=store)
        case Enrol(batch=batch, listing=listing, after=after, more=more):
            return enrol_objects(
                batch,
                listing,
                after=after,
                more=more,
                store=store,
                objects=buckets.object_store(),
            )
        case NextObjects(batch=batch, after=after, again=is_again):
            return next_objects(
                batch, after=after, is_again=is_again, store=store, objects=buckets.object_store()
            )
        case Refuse(batch=batch, source=source, error=error):
            refuse_object(batch, source, name=error.name, cause=error.cause, store=store)
        case EndBatch(batch=batch):
            end_batch(batch, store=store)
        case StatusChange(detail=ended):
            end_execution(ended.key, execution=ended.execution, store=store)
    return None
