"""Ingestion, last step: make the version visible and retire the previous one."""

from pydantic import BaseModel

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import RunReference, task
from pulsedocs.ingestion.ports import StepResult
from pulsedocs.ingestion.publish_document import publish_document


class PublishRequest(BaseModel):
    run: RunReference


@task(PublishRequest)
def handler(request: PublishRequest) -> StepResult:
    return publish_document(
        request.run.to_run(), objects=bootstrap.object_store(), store=bootstrap.ingestion_store()
    )
