"""Remove the vectors of embedding models that were retired."""

from typing import Final

from pulsedocs.bootstrap import buckets, databases
from pulsedocs.edge.events import S3Event
from pulsedocs.edge.tasks import task
from pulsedocs.embedding_models.remove_model import Removed, remove_model
from pulsedocs.model.deadline import Deadline

SECONDS: Final = 800
"""Of the function's 900: what is left of them is asked for again."""


class RetireRequest(S3Event):
    """The key names a model that was retired."""


@task(RetireRequest)
def handler(request: RetireRequest) -> Removed:
    return remove_model(
        request.key,
        store=databases.retirement_store(),
        objects=buckets.object_store(),
        deadline=Deadline.after(SECONDS),
    )
