"""Ingestion, last step: make the version visible and retire the previous one."""

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import RunRequest, task
from pulsedocs.ingestion.publish_document import PublishResult, publish_document


@task(RunRequest)
def handler(request: RunRequest) -> PublishResult:
    return publish_document(
        request.run, objects=bootstrap.object_store(), store=bootstrap.ingestion_store()
    )
