"""Ingestion, when a step gives up: record why."""

from pydantic import BaseModel, ConfigDict, Field

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import RunReference, task
from pulsedocs.pipeline import Outcome
from pulsedocs.usecases.fail_document import fail_document


class CaughtError(BaseModel):
    """What Catch puts beside the state: the error's class name and the Lambda's error JSON."""

    model_config = ConfigDict(populate_by_name=True)

    name: str = Field(alias="Error")
    cause: str = Field(default="", alias="Cause")


class FailRequest(BaseModel):
    """`run` is absent when the claim itself failed: nothing was taken, so nothing is recorded."""

    run: RunReference | None = None
    error: CaughtError


@task(FailRequest)
def handler(request: FailRequest) -> dict[str, Outcome | None]:
    if request.run is None:
        return {"outcome": Outcome.FAILED}
    outcome = fail_document(
        request.run.to_run(),
        name=request.error.name,
        cause=request.error.cause,
        objects=bootstrap.object_store(),
        store=bootstrap.ingestion_store(),
    )
    return {"outcome": outcome}
