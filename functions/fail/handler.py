"""Ingestion, when a step gives up or an execution ends early: record why."""

from typing import Final

from pydantic import BaseModel, RootModel

from pulsedocs.bootstrap import buckets, databases
from pulsedocs.edge.events import CaughtError, S3Event, StatusChange
from pulsedocs.edge.observability import record_count
from pulsedocs.edge.tasks import task
from pulsedocs.errors import BudgetExceeded
from pulsedocs.ingestion.fail_document import fail_claim, fail_document, fail_execution
from pulsedocs.model.documents import Run
from pulsedocs.pipeline import Outcome

_NEEDS_A_PERSON: Final = (Outcome.FAILED, Outcome.PARKED)


class Caught(BaseModel):
    """From the state machine, about a run."""

    run: Run
    error: CaughtError


class CaughtAtClaim(BaseModel):
    """From the state machine, about an execution whose claim gave up."""

    event: S3Event
    execution: str
    error: CaughtError


class FailRequest(RootModel[Caught | CaughtAtClaim | StatusChange]):
    """One of the ways to learn of a failure."""

    @property
    def run(self) -> Run | None:
        return self.root.run if isinstance(self.root, Caught) else None


@task(FailRequest)
def handler(request: FailRequest) -> dict[str, Outcome | None]:
    outcome = _record_end(request.root)
    if outcome in _NEEDS_A_PERSON and not _waits_for_tomorrow(request.root):
        record_count("DocumentFailed", 1)
    return {"outcome": outcome}


def _waits_for_tomorrow(known: Caught | CaughtAtClaim | StatusChange) -> bool:
    return isinstance(known, Caught) and known.error.name == BudgetExceeded.__name__


def _record_end(known: Caught | CaughtAtClaim | StatusChange) -> Outcome | None:
    objects, store = buckets.object_store(), databases.ingestion_store()
    if isinstance(known, StatusChange):
        ended = known.detail
        return fail_execution(
            ended.key,
            execution=ended.execution,
            status=ended.status,
            objects=objects,
            store=store,
        )
    name, cause = known.error.name, known.error.cause
    if isinstance(known, CaughtAtClaim):
        return fail_claim(
            known.event.key,
            execution=known.execution,
            name=name,
            cause=cause,
            objects=objects,
            store=store,
        )
    return fail_document(known.run, name=name, cause=cause, objects=objects, store=store)
