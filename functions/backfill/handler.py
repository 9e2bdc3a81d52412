"""Models, in the database: hand out what lacks vectors, have what is stale made anew, end it."""

from functools import singledispatch
from typing import Literal

from pydantic import BaseModel, RootModel

from pulsedocs import bootstrap
from pulsedocs.bootstrap import buckets, databases
from pulsedocs.edge.events import CaughtError, S3Event, StatusChange
from pulsedocs.edge.tasks import task
from pulsedocs.embedding_models.backfill_model import (
    Begun,
    NextBatches,
    Renewed,
    begin_backfill,
    end_backfill,
    fail_backfill,
    fail_execution,
    hand_over,
    next_batches,
    renew_stale,
)
from pulsedocs.embedding_models.probe_model import record_refusal
from pulsedocs.model.models import BackfillReference
from pulsedocs.model.object_keys import is_probe


class BeginBackfill(BaseModel):
    kind: Literal["begin"]
    event: S3Event
    execution: str


class Renew(BaseModel):
    kind: Literal["renew"]
    backfill: BackfillReference
    after: str
    stale: str


class NextRound(BaseModel):
    kind: Literal["next"]
    backfill: BackfillReference
    after: str
    pages: int


class HandOver(BaseModel):
    kind: Literal["hand_over"]
    backfill: BackfillReference


class EndBackfill(BaseModel):
    kind: Literal["end"]
    backfill: BackfillReference


class Fail(BaseModel):
    kind: Literal["fail"]
    backfill: BackfillReference
    error: CaughtError


class BackfillTask(
    RootModel[BeginBackfill | Renew | NextRound | HandOver | EndBackfill | Fail | StatusChange]
):
    """A step of the state machine of models, or the end of one that broke."""


@task(BackfillTask)
def handler(request: BackfillTask) -> Begun | Renewed | NextBatches | None:
    return _done(request.root)


@singledispatch
def _done(asked: BaseModel) -> Begun | Renewed | NextBatches | None:
    raise NotImplementedError(type(asked).__name__)


@_done.register
def _(asked: BeginBackfill) -> Begun:
    return begin_backfill(
        asked.event.key, execution=asked.execution, store=databases.backfill_store()
    )


@_done.register
def _(asked: Renew) -> Renewed:
    begun = Begun(work=True, backfill=asked.backfill, after=asked.after)
    return renew_stale(
        begun,
        stale=asked.stale,
        store=databases.backfill_store(),
        objects=buckets.object_store(),
    )


@_done.register
def _(asked: NextRound) -> NextBatches:
    return next_batches(
        asked.backfill,
        after=asked.after,
        pages=asked.pages,
        store=databases.backfill_store(),
        objects=buckets.object_store(),
        batch_size=bootstrap.settings().embedding_batch_size,
    )


@_done.register
def _(asked: HandOver) -> None:
    hand_over(
        asked.backfill,
        store=databases.backfill_store(),
        objects=buckets.object_store(),
    )


@_done.register
def _(asked: EndBackfill) -> None:
    end_backfill(asked.backfill, store=databases.backfill_store())


@_done.register
def _(asked: Fail) -> None:
    fail_backfill(
        asked.backfill,
        name=asked.error.name,
        cause=asked.error.cause,
        store=databases.backfill_store(),
    )


@_done.register
def _(asked: StatusChange) -> None:
    ended, store = asked.detail, databases.backfill_store()
    if is_probe(ended.key):
        record_refusal(ended.key, name=f"Execution.{ended.status.title()}", cause="", store=store)
    else:
        fail_execution(ended.key, execution=ended.execution, status=ended.status, store=store)
