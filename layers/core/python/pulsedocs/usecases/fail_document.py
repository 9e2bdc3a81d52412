"""Ingestion, when a step gives up: record why, for the person who uploaded the file."""

from pydantic import BaseModel, Field, ValidationError

from pulsedocs.errors import (
    DocumentRejected,
    InvalidRequest,
    ParkedError,
    ProcessingFailed,
    PulseDocsError,
    RunEnded,
    TimedOut,
    error_named,
)
from pulsedocs.model.documents import ErrorReport, Run
from pulsedocs.model.object_keys import open_marker_key, subject_of
from pulsedocs.pipeline import Outcome
from pulsedocs.ports.ingestion import IngestionStore
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.usecases.delete_document import purge_again

_TIMEOUTS = {"States.Timeout", "Sandbox.Timedout", "Lambda.Unknown", "States.HeartbeatTimeout"}
_MAX_MESSAGE = 1000


class _LambdaError(BaseModel):
    """Of a Lambda's error JSON, the sentence."""

    message: str = Field(alias="errorMessage")


def fail_document(
    run: Run, *, name: str, cause: str, objects: ObjectStore, store: IngestionStore
) -> Outcome | None:
    """Record the outcome that an error name means; None when another run came first.

    `name` and `cause` are what Step Functions caught: a class name and the Lambda's error JSON.
    """
    kind = _kind(name)
    if issubclass(kind, RunEnded):
        purge_again(run.tenant_id, run.document_id, objects=objects, store=store)
        return None
    outcome = outcome_of(kind)
    recorded = store.fail(run, outcome, _report(kind, name=name, cause=cause))
    if not recorded:
        purge_again(run.tenant_id, run.document_id, objects=objects, store=store)
        return None
    objects.remove(open_marker_key(run.tenant_id, run.document_id))
    return outcome


def fail_claim(
    key: str,
    *,
    execution: str,
    name: str,
    cause: str,
    objects: ObjectStore,
    store: IngestionStore,
) -> Outcome:
    """Record why a claim gave up, if it holds a run: it waited for the same bytes elsewhere."""
    try:
        subject = subject_of(key)
    except InvalidRequest:
        return Outcome.FAILED
    run = store.held_run(subject.tenant_id, subject.document_id, holder=execution)
    if run is not None:
        fail_document(run, name=name, cause=cause, objects=objects, store=store)
    return Outcome.FAILED


def fail_execution(
    key: str, *, execution: str, status: str, objects: ObjectStore, store: IngestionStore
) -> Outcome | None:
    """Record the end of an execution that no Catch saw: it timed out, was aborted, or broke.

    None when it holds no run any more, as after every failure that was caught.
    """
    subject = subject_of(key)
    run = store.held_run(subject.tenant_id, subject.document_id, holder=execution)
    if run is None:
        purge_again(subject.tenant_id, subject.document_id, objects=objects, store=store)
        return None
    name = "States.Timeout" if status == "TIMED_OUT" else f"Execution.{status.title()}"
    return fail_document(run, name=name, cause="", objects=objects, store=store)


def outcome_of(kind: type[PulseDocsError]) -> Outcome:
    """Say whose turn it is: the uploader's (REJECTED), the operator's (PARKED, FAILED)."""
    if issubclass(kind, DocumentRejected):
        return Outcome.REJECTED
    if issubclass(kind, ParkedError):
        return Outcome.PARKED
    return Outcome.FAILED


def outcome_of_error(name: str) -> Outcome:
    return outcome_of(_kind(name))


def report_of_error(name: str, cause: str) -> ErrorReport:
    """Return what people read of an error that Step Functions caught."""
    return _report(_kind(name), name=name, cause=cause)


def _kind(name: str) -> type[PulseDocsError]:
    if name in _TIMEOUTS:
        return TimedOut
    return error_named(name) or ProcessingFailed


def _report(kind: type[PulseDocsError], *, name: str, cause: str) -> ErrorReport:
    known = error_named(name) is not None
    message = _message(cause) if known else f"a step ended with {name}"
    return ErrorReport(
        code=kind.code,
        message=message[:_MAX_MESSAGE],
        context={"error": name},
        guidance=kind.guidance,
    )


def _message(cause: str) -> str:
    """Take our own sentence out of a Lambda error; a foreign one could carry document text."""
    try:
        reported = _LambdaError.model_validate_json(cause)
    except ValidationError:
        return ""
    return reported.message
