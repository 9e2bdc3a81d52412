"""The route that shows what people said of answers, as questions to evaluate with."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel

from functions.documents.api import api
from pulsedocs.bootstrap import databases
from pulsedocs.edge.api import WRITE, Query, caller
from pulsedocs.edge.parameters import Cursor, PageSize
from pulsedocs.edge.tasks import to_json
from pulsedocs.model.feedback import KeptFeedback, Verdict
from pulsedocs.questions.list_feedback import list_feedback


class ExpectedView(BaseModel):
    """A place that answers, as evaluations take it: a quote, as far as it is still stored."""

    source: str
    page: int | None
    quote: str | None


class FeedbackView(BaseModel):
    """With `expected` it is a question for `POST /evaluations`; null: nobody said where it stands.

    An empty list says that the documents do not answer it.
    """

    trace_id: str
    user_id: str
    verdict: Verdict
    reason: str
    question: str
    collections: list[str]
    expected: list[ExpectedView] | None
    changed_at: datetime


class FeedbackListView(BaseModel):
    feedback: list[FeedbackView]
    cursor: str | None


@api.on("GET /feedback", WRITE)
def feedback(
    collection: Annotated[str | None, Query(max_length=128)] = None,
    limit: PageSize = 50,
    cursor: Cursor = None,
) -> FeedbackListView:
    """List what people said of answers, newest first: others' words, so it takes who may write."""
    found = list_feedback(
        caller(api).tenant_id,
        store=databases.feedback_store(),
        collection=collection,
        cursor=cursor,
        limit=limit,
    )
    return FeedbackListView(feedback=[_view(each) for each in found.feedback], cursor=found.cursor)


def _view(kept: KeptFeedback) -> FeedbackView:
    fields = to_json(kept)
    return FeedbackView.model_validate({**fields, "user_id": fields.pop("subject")})
