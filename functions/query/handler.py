"""The questions API: search and ask, and how each answer came about."""

from http import HTTPStatus
from typing import Annotated, Any, Literal

from pydantic import BaseModel

from pulsedocs import bootstrap
from pulsedocs.edge import openapi
from pulsedocs.edge.api import READ, Path, Response, caller, create_api, deadline, lambda_handler
from pulsedocs.edge.questions import (
    AnswerView,
    AskRequest,
    SearchRequest,
    SearchView,
    answer_view,
    providers,
    search_view,
    texts,
)
from pulsedocs.edge.tasks import to_json
from pulsedocs.usecases.ask_question import ask_question
from pulsedocs.usecases.question import tenant_key
from pulsedocs.usecases.read_trace import read_trace
from pulsedocs.usecases.replay_trace import replay_trace
from pulsedocs.usecases.search_passages import search_passages

api = create_api()

TraceId = Annotated[str, Path(max_length=64)]


class ReplayView(BaseModel):
    identical: bool
    differences: list[dict[str, Any]]


class HealthView(BaseModel):
    status: Literal["ok"] = "ok"


@api.post("/search")
def search(request: SearchRequest) -> SearchView:
    """Find the passages that answer a question, each with its scores."""
    asker = caller(api, scope=READ)
    found = search_passages(
        request.to_question(request.query, asker),
        store=bootstrap.retrieval_client(),
        providers=providers(),
        objects=bootstrap.object_store(),
        tenant_key=tenant_key(bootstrap.trace_secret(), asker.tenant_id),
        texts=texts(),
        deadline=deadline(),
    )
    return search_view(found, request)


@api.post("/ask")
def ask(request: AskRequest) -> AnswerView:
    """Answer a question from the documents, citing the page and the exact words."""
    asker = caller(api, scope=READ)
    answer = ask_question(
        request.to_question(request.question, asker),
        store=bootstrap.retrieval_client(),
        providers=providers(),
        objects=bootstrap.object_store(),
        tenant_key=tenant_key(bootstrap.trace_secret(), asker.tenant_id),
        texts=texts(),
        deadline=deadline(),
    )
    return answer_view(answer, request)


@api.get("/traces/<trace_id>")
def trace(trace_id: TraceId) -> dict[str, Any]:
    """Show why each passage was chosen or dropped; holds no text of question or document."""
    tenant_id = caller(api, scope=READ).tenant_id
    return read_trace(tenant_id, trace_id, objects=bootstrap.object_store())


@api.post("/traces/<trace_id>/replay")
def replay(trace_id: TraceId) -> ReplayView:
    """Compute a trace's selection again, from the trace alone, and compare."""
    tenant_id = caller(api, scope=READ).tenant_id
    replayed = replay_trace(tenant_id, trace_id, objects=bootstrap.object_store())
    return ReplayView.model_validate(to_json(replayed))


@api.get("/health")
def health() -> HealthView:
    """Say that the function runs; it asks nothing else, so a paused database stays paused."""
    return HealthView()


@api.get("/openapi.json", include_in_schema=False)
def openapi_document() -> Response[str]:
    """Serve the contract, generated from the handlers."""
    return Response(HTTPStatus.OK, content_type="application/json", body=openapi.document())


@api.get("/docs", include_in_schema=False)
def docs() -> Response[str]:
    """Show the contract to a person; the page loads nothing from elsewhere."""
    return Response(HTTPStatus.OK, content_type="text/html; charset=utf-8", body=openapi.page())


handler = lambda_handler(api)
