"""Ingestion, last step: make a version visible in one transaction, and retire the previous one."""

from pulsedocs.faults import fault_point
from pulsedocs.ingestion.ports import IngestionStore, StepWriter
from pulsedocs.model.documents import Run
from pulsedocs.model.object_keys import open_marker_key
from pulsedocs.model.steps import StepResult
from pulsedocs.pipeline import Outcome, Step
from pulsedocs.ports.objects import ObjectStore


class PublishResult(StepResult):
    step = Step.PUBLISH

    outcome: Outcome | None = None


def publish_document(run: Run, *, objects: ObjectStore, store: IngestionStore) -> PublishResult:
    """Publish unless a newer upload already is (SUPERSEDED) or the version is held (None)."""

    def write(writer: StepWriter, model: str) -> PublishResult:
        return PublishResult(outcome=writer.publish(model))

    result = store.perform(
        run, PublishResult, plan=lambda: store.choices_of(run).model, write=write
    )
    # Behind the commit: a marker that is left makes the sweep look once more, one that is missing
    # would leave an unpublished version to the daily pass.
    fault_point("publish.before_marker")
    objects.remove(open_marker_key(run.tenant_id, run.document_id))
    return result
