"""Ingestion, last step: make the version visible and retire the previous one."""

from pydantic import BaseModel

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import task
from pulsedocs.ingestion.publish_document import publish_document
from pulsedocs.model.documents import Run
from pulsedocs.model.steps import PublishResult


class PublishRequest(BaseModel):
    run: Run


@task(PublishRequest)
def handler(request: PublishRequest) -> PublishResult:
    return publish_document(
        request.run, objects=bootstrap.object_store(), store=bootstrap.ingestion_store()
    )
