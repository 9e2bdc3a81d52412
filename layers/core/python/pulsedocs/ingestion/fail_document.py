"""Ingestion, when a step gives up: record why, for the person who uploaded the file."""

from pulsedocs.deletion.delete_document import purge_again
from pulsedocs.errors import InvalidRequest, RetryableError, RunEnded
from pulsedocs.ingestion.ports import IngestionStore
from pulsedocs.model.caught_errors import kind_of, outcome_of, report_of
from pulsedocs.model.documents import Run
from pulsedocs.model.object_keys import open_marker_key, subject_of
from pulsedocs.pipeline import Outcome
from pulsedocs.ports.objects import ObjectStore


def fail_document(
    run: Run, *, name: str, cause: str, objects: ObjectStore, store: IngestionStore
) -> Outcome | None:
    """Record the outcome that an error name means; None when another run came first.

    `name` and `cause` are what Step Functions caught: a class name and the Lambda's error JSON.
    What outlasted the machine's retries and can still pass keeps its marker: the sweep runs it
    again, after ten minutes first, and gives up after as many attempts as for a lost run.
    """
    kind = kind_of(name)
    if issubclass(kind, RunEnded):
        store.release(run)
        purge_again(run.tenant_id, run.document_id, objects=objects, store=store)
        return None
    outcome = outcome_of(kind)
    is_passing = issubclass(kind, RetryableError)
    recorded = store.fail(run, outcome, report_of(name, cause), is_passing=is_passing)
    if not recorded:
        store.release(run)
        purge_again(run.tenant_id, run.document_id, objects=objects, store=store)
        return None
    if not is_passing:
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
    run = store.leased_run(subject.tenant_id, subject.document_id, holder=execution)
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
    run = store.leased_run(subject.tenant_id, subject.document_id, holder=execution)
    if run is None:
        purge_again(subject.tenant_id, subject.document_id, objects=objects, store=store)
        return None
    # The name that a Catch would have been given, so that a timeout ends alike on both ways.
    name = "States.Timeout" if status == "TIMED_OUT" else f"Execution.{status.title()}"
    return fail_document(run, name=name, cause="", objects=objects, store=store)
