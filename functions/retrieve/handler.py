"""Questions, the database side: `query` invokes it to prepare, search, settle and read texts."""

from typing import Any

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import task
from pulsedocs.questions.answer_retrieval_call import RetrievalCall, answer_retrieval_call


@task(RetrievalCall)
def handler(request: RetrievalCall) -> dict[str, Any] | None:
    return answer_retrieval_call(request, store=bootstrap.retrieval_store())
