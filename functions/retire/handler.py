"""Remove the vectors of embedding models that were retired."""

from typing import Annotated, Final

from pydantic import BaseModel, Field

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import task
from pulsedocs.model.deadline import Deadline
from pulsedocs.usecases.remove_model import Removed, remove_model

SECONDS: Final = 800
"""Of the function's 900: what is left of them is asked for again."""


class S3Object(BaseModel):
    key: Annotated[str, Field(min_length=1, max_length=1024)]


class Detail(BaseModel):
    object: S3Object


class RetireRequest(BaseModel):
    detail: Detail


@task(RetireRequest)
def handler(request: RetireRequest) -> Removed:
    return remove_model(
        request.detail.object.key,
        store=bootstrap.retirement_store(),
        objects=bootstrap.object_store(),
        deadline=Deadline.after(SECONDS),
    )
