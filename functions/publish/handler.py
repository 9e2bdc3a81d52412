"""Ingestion, last step: make the version visible and retire the previous one."""

from pulsedocs.bootstrap import buckets, databases
from pulsedocs.edge.tasks import RunRequest, task
from pulsedocs.ingestion.publish_document import PublishResult, publish_document


@task(RunRequest)
def handler(request: RunRequest) -> PublishResult:
    return publish_document(
        request.run, objects=buckets.object_store(), store=databases.ingestion_store()
    )
