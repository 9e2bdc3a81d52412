"""Ask a tenant's labelled questions under each policy, and keep how well they were found."""

from typing import Any, Final
from uuid import uuid4

from pulsedocs.bootstrap import buckets
from pulsedocs.edge.engines import engine_with
from pulsedocs.edge.events import S3Event
from pulsedocs.edge.tasks import task
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.object_keys import evaluation_of
from pulsedocs.questions.evaluations import run_evaluation

SECONDS: Final = 840.0  # the function itself has 900


class EvaluateRequest(S3Event):
    """The key names an evaluation; its questions lie elsewhere."""


@task(EvaluateRequest)
def handler(request: EvaluateRequest) -> dict[str, Any]:
    tenant_id, evaluation_id = evaluation_of(request.key)
    key = uuid4().bytes  # for hashes that no trace keeps
    engine = engine_with(key, deadline=Deadline.after(SECONDS))
    return run_evaluation(tenant_id, evaluation_id, engine=engine, objects=buckets.object_store())
