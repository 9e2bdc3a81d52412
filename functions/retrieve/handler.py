"""Questions, the database side: `query` invokes it to prepare, search, settle and read texts."""

from typing import Any

from pulsedocs.bootstrap import databases
from pulsedocs.edge.tasks import task
from pulsedocs.questions.answer_retrieval_call import RetrievalCall, answer_retrieval_call


@task(RetrievalCall)
def handler(request: RetrievalCall) -> dict[str, Any] | list[Any] | None:
    return answer_retrieval_call(request, store=databases.retrieval_store())
