"""Ingestion: pages to cleaned text."""

from pydantic import BaseModel

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import RunReference, task
from pulsedocs.ports import StepResult
from pulsedocs.usecases.clean_document import clean_document


class CleanRequest(BaseModel):
    run: RunReference


@task(CleanRequest)
def handler(request: CleanRequest) -> StepResult:
    return clean_document(
        request.run.to_run(), objects=bootstrap.object_store(), store=bootstrap.ingestion_store()
    )
