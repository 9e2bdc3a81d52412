"""Batches, in the database: take one, enrol its objects, hand out what is left, end it."""

from functools import singledispatch
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
    return _done(request.root)


@singledispatch
def _done(asked: BaseModel) -> Tallied | None:
    raise NotImplementedError(type(asked).__name__)


@_done.register
def _(asked: BeginBatch) -> Tallied:
    return begin_batch(asked.event.key, execution=asked.execution, store=databases.batch_store())


@_done.register
def _(asked: Enrol) -> Tallied:
    return enrol_objects(
        asked.batch,
        asked.listing,
        after=asked.after,
        more=asked.more,
        store=databases.batch_store(),
        objects=buckets.object_store(),
    )


@_done.register
def _(asked: NextObjects) -> Tallied:
    return next_objects(
        asked.batch,
        after=asked.after,
        store=databases.batch_store(),
        objects=buckets.object_store(),
    )


@_done.register
def _(asked: Refuse) -> None:
    refuse_object(
        asked.batch,
        asked.source,
        name=asked.error.name,
        cause=asked.error.cause,
        store=databases.batch_store(),
    )


@_done.register
def _(asked: EndBatch) -> None:
    end_batch(asked.batch, store=databases.batch_store())


@_done.register
def _(asked: StatusChange) -> None:
    ended = asked.detail
    end_execution(ended.key, execution=ended.execution, store=databases.batch_store())
