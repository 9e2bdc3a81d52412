"""Models, in the database: hand out what lacks vectors, have what is stale made anew, end it."""

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
    store = databases.backfill_store()
    match request.root:
        case BeginBackfill(event=event, execution=execution):
            return begin_backfill(event.key, execution=execution, store=store)
        case Renew(backfill=backfill, after=after, stale=stale):
            begun = Begun(work=True, backfill=backfill, after=after)
            return renew_stale(begun, stale=stale, store=store, objects=buckets.object_store())
        case NextRound(backfill=backfill, after=after, pages=pages):
            return next_batches(
                backfill,
                after=after,
                pages=pages,
                store=store,
                objects=buckets.object_store(),
                batch_size=bootstrap.settings().embedding_batch_size,
            )
        case HandOver(backfill=backfill):
            hand_over(backfill, store=store, objects=buckets.object_store())
        case EndBackfill(backfill=backfill):
            end_backfill(backfill, store=store)
        case Fail(backfill=backfill, error=error):
            fail_backfill(backfill, name=error.name, cause=error.cause, store=store)
        case StatusChange(detail=ended):
            name = f"Execution.{ended.status.title()}"
            if is_probe(ended.key):
                record_refusal(ended.key, name=name, cause="", store=store)
            else:
                fail_execution(
                    ended.key, execution=ended.execution, status=ended.status, store=store
                )
    return None
