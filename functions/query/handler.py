"""The questions API: search and ask, and how each answer came about."""

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from pulsedocs import bootstrap
from pulsedocs.bootstrap import buckets, clients, keys
from pulsedocs.edge import console, german, openapi
from pulsedocs.edge.api import (
    READ,
    WRITE,
    Header,
    Path,
    Query,
    Response,
    caller,
    create_api,
    deadline,
    lambda_handler,
    path_text,
)
from pulsedocs.edge.authorisation import Caller
from pulsedocs.edge.engines import query_engine
from pulsedocs.edge.evaluations import (
    EvaluationRequest,
    EvaluationView,
)
from pulsedocs.edge.idempotency import answer_log
from pulsedocs.edge.parameters import DocumentId, PageNumber, PathPage, Version
from pulsedocs.edge.questions import (
    AnswerView,
    AskRequest,
    ChatView,
    CollectionsRequest,
    OverridesRequest,
    ScopedRequest,
    SearchRequest,
    SearchView,
    Text,
    answer_view,
    chat_view,
    search_view,
)
from pulsedocs.edge.requests import Name, Page, PolicyName, matching
from pulsedocs.edge.tasks import to_json
from pulsedocs.model.feedback import MOST_CHARACTERS, AnswerPlace, Verdict
from pulsedocs.model.lookups import PlaceQuery
from pulsedocs.model.pages import MOST_CHARACTERS as MOST_OF_A_PAGE
from pulsedocs.questions.answer_chat import answer_chat
from pulsedocs.questions.ask_question import ask_question
from pulsedocs.questions.check_readiness import check_readiness
from pulsedocs.questions.evaluations import EvaluationAccepted, read_evaluation, start_evaluation
from pulsedocs.questions.explain_trace import (
    AskedAgain,
    PageOfTrace,
    explain_trace,
    explain_with_ranks,
)
from pulsedocs.questions.export_proof import AnswerToProve, export_proof
from pulsedocs.questions.give_feedback import SaidOfAnswer, give_feedback, withdraw_feedback
from pulsedocs.questions.highlight import highlight
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.read_trace import TRACE_ID, read_trace
from pulsedocs.questions.replay_trace import Replayed, replay_trace
from pulsedocs.questions.search_passages import search_passages
from pulsedocs.questions.what_if import OtherPolicy, try_policy

api = create_api(remembers=answer_log)

TraceId = Annotated[str, Path(max_length=64, json_schema_extra=matching(TRACE_ID))]
_SAME_FOR_ALL = {"Cache-Control": "no-cache"}


class RivalView(BaseModel):
    chunk_id: UUID
    document_id: UUID
    pages: list[int]
    final_score: float
    reason: str


class WhyView(BaseModel):
    """`by` are the passages that took the place; `from_trace` is false where it is as of now."""

    stage: str
    detail: str
    numbers: dict[str, Any]
    chunk_id: UUID | None
    candidates: int
    by: list[RivalView]
    from_trace: bool


class WhyRequest(ScopedRequest):
    """The trace's own question and scope, for the exact rank of a page that no leg brought.

    Without a collection it is of those that were asked.
    """

    document_id: UUID
    page: Page
    question: Text


class WhatIfRequest(OverridesRequest):
    """Another policy: `profile` names one, `values` are fields of a profile to change."""

    profile: PolicyName | None = None
    collection: Name = "default"
    values: dict[str, Any] = Field(default_factory=dict)

    def to_policy(self) -> OtherPolicy:
        return OtherPolicy(self.profile, self.collection, self.to_overrides(), self.values)


class DecisionView(BaseModel):
    reason: str
    rank: int | None
    numbers: dict[str, Any]


class ChangeView(BaseModel):
    chunk_id: UUID
    document_id: UUID
    pages: list[int]
    before: DecisionView
    after: DecisionView


class GapView(BaseModel):
    code: str
    detail: str


class RefusalView(BaseModel):
    reason: str
    detail: str


class WhatIfView(BaseModel):
    """`cannot_say` names what the policy would also bring, which no trace can hold."""

    profile: dict[str, Any]
    before: list[UUID]
    after: list[UUID]
    added: list[UUID]
    removed: list[UUID]
    changes: list[ChangeView]
    refusal: RefusalView | None
    cannot_say: list[GapView]


@api.on("POST /evaluations", WRITE, status=HTTPStatus.ACCEPTED)
def evaluate(request: EvaluationRequest) -> EvaluationAccepted:
    """Measure how well policies find what is known to answer; the id's status follows it."""
    return start_evaluation(
        caller(api).tenant_id,
        collection=request.collection,
        questions=[question.to_question() for question in request.questions],
        profiles=request.profiles,
        store=clients.retrieval_client(deadline()),
        objects=buckets.object_store(),
    )


@api.on("GET /evaluations/{evaluation_id}", READ)
def evaluation(evaluation_id: Annotated[UUID, Path()]) -> EvaluationView:
    """Show how far an evaluation is, and the figures of each policy, stage by stage."""
    tenant_id = caller(api).tenant_id
    found = read_evaluation(tenant_id, evaluation_id, objects=buckets.object_store())
    return EvaluationView.model_validate(found)


class HealthView(BaseModel):
    status: Literal["ok"] = "ok"


class CheckView(BaseModel):
    status: Literal["ok", "off"]
    ms: float


class StageModelsView(BaseModel):
    """What a stage embeds with where a collection says nothing, reranks with and answers with."""

    embedder: str
    reranker: str | None
    chat: str


class ReadyView(BaseModel):
    """`off` is what the stage is configured without."""

    status: Literal["ready"] = "ready"
    checks: dict[str, CheckView]
    models: StageModelsView


def _asked() -> tuple[Caller, QueryEngine]:
    """Return who asks and with what to answer; the request's time begins to run."""
    limit = deadline()
    asker = caller(api)
    return asker, query_engine(asker.tenant_id, deadline=limit)


@api.on("POST /search", READ)
def search(request: SearchRequest) -> SearchView:
    """Find the passages that answer a question, each with its scores."""
    asker, engine = _asked()
    found = search_passages(request.to_question(request.query, asker), engine=engine)
    return search_view(found, request)


@api.on("POST /ask", READ)
def ask(request: AskRequest) -> AnswerView:
    """Answer a question from the documents, citing the page and the exact words."""
    asker, engine = _asked()
    answer = ask_question(request.to_question(request.question, asker), engine=engine)
    return answer_view(answer, request)


@api.on("POST /chat", READ)
def chat(request: AskRequest) -> ChatView:
    """Answer as `/ask` does, under the policy `classic`, ending with the references."""
    asker, engine = _asked()
    answer = answer_chat(request.to_question(request.question, asker), engine=engine)
    return chat_view(answer, request)


class HighlightView(BaseModel):
    width: float
    height: float
    boxes: list[Annotated[list[float], Field(min_length=4, max_length=4)]]


@api.on("GET /documents/{document_id}/pages/{page}/highlight", READ)
def highlighted(
    document_id: DocumentId,
    page: PathPage,
    start: Annotated[int, Query(ge=0, le=MOST_OF_A_PAGE)],
    end: Annotated[int, Query(ge=1, le=MOST_OF_A_PAGE)],
    version: Version = None,
) -> HighlightView:
    """Find the words that a citation quotes on its page: in points from the top left.

    In pixels for an image file. Width and height of the page come in the same unit.
    """
    limit = deadline()
    found = highlight(
        _place(document_id, page, start=start, end=end, version=version),
        locator=clients.retrieval_client(limit),
        finder=clients.box_finder(limit),
    )
    return HighlightView.model_validate(to_json(found))


def _place(
    document_id: UUID, page: int, *, start: int, end: int, version: int | None
) -> PlaceQuery:
    """Name a place on a page of the caller's own tenant."""
    return PlaceQuery(
        tenant_id=caller(api).tenant_id,
        document_id=document_id,
        page=page,
        start=start,
        end=end,
        version=version,
    )


class PictureView(HighlightView):
    """`png` is the page drawn, in base64; the boxes of `start` to `end` lie on it as on paper."""

    png: str


@api.on("GET /documents/{document_id}/pages/{page}/picture", READ)
def picture(
    document_id: DocumentId,
    page: PathPage,
    width: Annotated[int, Query(ge=100, le=2000)] = 1200,
    start: Annotated[int, Query(ge=0, le=MOST_OF_A_PAGE)] = 0,
    end: Annotated[int, Query(ge=0, le=MOST_OF_A_PAGE)] = 0,
    version: Version = None,
) -> PictureView:
    """Draw a page `width` dots across, with the boxes of a citation's words; 3 million at most."""
    limit = deadline()
    found = highlight(
        _place(document_id, page, start=start, end=end, version=version),
        dots_across=width,
        locator=clients.retrieval_client(limit),
        finder=clients.box_finder(limit),
    )
    return PictureView.model_validate(to_json(found) | {"png": found.picture})


@api.on("GET /traces/{trace_id}", READ)
def trace(trace_id: TraceId) -> dict[str, Any]:
    """Show why each passage was chosen or dropped; holds no text of question or document."""
    tenant_id = caller(api).tenant_id
    return read_trace(tenant_id, trace_id, objects=buckets.trace_store(deadline()))


@api.on("POST /traces/{trace_id}/replay", READ)
def replay(trace_id: TraceId) -> Replayed:
    """Compute a trace's selection again, from the trace alone, and compare."""
    tenant_id = caller(api).tenant_id
    return replay_trace(tenant_id, trace_id, objects=buckets.trace_store(deadline()))


@api.on("GET /traces/{trace_id}/why", READ)
def why(
    trace_id: TraceId, document_id: Annotated[UUID, Query()], page: Annotated[PageNumber, Query()]
) -> WhyView:
    """Name the stage at which a page was lost, with the numbers."""
    asker, engine = _asked()
    explained = explain_trace(
        PageOfTrace(asker.tenant_id, trace_id, document_id, page), engine=engine
    )
    return _why_view(to_json(explained))


@api.on("POST /traces/{trace_id}/why", READ)
def why_with_ranks(trace_id: TraceId, request: WhyRequest) -> WhyView:
    """Name the stage, and the exact rank that a page no leg brought would have had."""
    asker, engine = _asked()
    explained = explain_with_ranks(
        PageOfTrace(asker.tenant_id, trace_id, request.document_id, request.page),
        AskedAgain(request.question, request.to_scope(asker.tenant_id), asker.subject or None),
        engine=engine,
    )
    return _why_view(to_json(explained))


def _why_view(fields: dict[str, Any]) -> WhyView:
    if german.is_asked_for(api.current_event.raw_event):
        fields["detail"] = german.in_german(fields["detail"])
    return WhyView.model_validate(fields)


@api.on("POST /traces/{trace_id}/what-if", READ)
def try_another_policy(trace_id: TraceId, request: WhatIfRequest) -> WhatIfView:
    """Select a trace's candidates again under another policy, and compare."""
    asker, engine = _asked()
    tried = try_policy(asker.tenant_id, trace_id, request.to_policy(), engine=engine)
    return WhatIfView.model_validate(to_json(tried))


class ProofRequest(BaseModel):
    """A question and its answer to the letter: a trace keeps no words."""

    model_config = ConfigDict(extra="forbid")

    question: Text
    answer: Annotated[str, Field(max_length=100_000, strict=True)]


class ProofView(BaseModel):
    """`html` is a file of its own that loads nothing; `pulsedocs verify` checks it.

    `document_ids` are the documents whose words it quotes.
    """

    filename: str
    html: str
    document_ids: list[UUID]


@api.on("POST /traces/{trace_id}/proof", READ)
def prove(trace_id: TraceId, request: ProofRequest) -> ProofView:
    """Export an answer as a signed file that shows where its words stand, and how it came about."""
    asker, engine = _asked()
    file = export_proof(
        AnswerToProve(asker.tenant_id, trace_id, request.question, request.answer),
        engine=engine,
        citations=clients.retrieval_client(engine.deadline),
        finder=clients.box_finder(engine.deadline),
        signer=keys.proof_signers()[0],
        now=datetime.now(UTC),
    )
    return ProofView(
        filename=f"proof-{trace_id[:8]}.html",
        html=file.body.decode(),
        document_ids=list(file.document_ids),
    )


class AnswerPlaceRequest(BaseModel):
    """A document that has the right answer, and its page as far as it is known."""

    model_config = ConfigDict(extra="forbid")

    document_id: UUID
    page: Page | None = None


class FeedbackRequest(CollectionsRequest):
    """What the caller says of an answer; `question` is the trace's, which keeps no words.

    `expected` says of a wrong answer where the right one stands: an empty list that no document has
    it, null that nobody knows. A helpful one stands where it cites. Without a collection it is of
    those that were asked.
    """

    question: Text
    verdict: Verdict
    reason: Annotated[str, Field(max_length=MOST_CHARACTERS, strict=True)] = ""
    expected: Annotated[list[AnswerPlaceRequest], Field(max_length=20)] | None = None

    def said_by(self, asker: Caller, trace_id: str) -> SaidOfAnswer:
        places = self.expected
        return SaidOfAnswer(
            tenant_id=asker.tenant_id,
            subject=asker.subject,
            trace_id=trace_id,
            question=self.question,
            verdict=self.verdict,
            reason=self.reason,
            collections=self.named_collections,
            expected=None
            if places is None
            else [AnswerPlace(place.document_id, place.page) for place in places],
        )


class FeedbackKeptView(BaseModel):
    """`is_question` is whether evaluations can ask it: somebody said where its answer stands."""

    trace_id: str
    verdict: Verdict
    reason: str
    is_question: bool


class WithdrawnView(BaseModel):
    trace_id: str
    was_there: bool


@api.on("PUT /traces/{trace_id}/feedback", READ)
def judge(trace_id: TraceId, request: FeedbackRequest) -> FeedbackKeptView:
    """Say whether an answer helped, and why: one word of each user, which a later one replaces."""
    asker, engine = _asked()
    kept = give_feedback(
        request.said_by(asker, trace_id),
        engine=engine,
        keeper=clients.retrieval_client(engine.deadline),
    )
    return FeedbackKeptView(
        trace_id=kept.trace_id,
        verdict=kept.verdict,
        reason=kept.reason,
        is_question=kept.places is not None,
    )


@api.on("DELETE /traces/{trace_id}/feedback", READ)
def withdraw(trace_id: TraceId) -> WithdrawnView:
    """Take back what the caller said of an answer; taken back again, nothing was there."""
    asker, limit = caller(api), deadline()
    was_there = withdraw_feedback(
        asker.tenant_id,
        trace_id,
        subject=asker.subject,
        keeper=clients.retrieval_client(limit),
        objects=buckets.trace_store(limit),
    )
    return WithdrawnView(trace_id=trace_id, was_there=was_there)


class ProofKeyView(BaseModel):
    key_id: str
    public_key: str


class ProofKeysView(BaseModel):
    """Ed25519 keys in base64, the one in use first."""

    keys: list[ProofKeyView]


@api.on("GET /proofs/keys", None)
def proof_keys() -> ProofKeysView:
    """Show with which keys this stage signs proofs, for those who were handed one."""
    return ProofKeysView(
        keys=[
            ProofKeyView(key_id=signer.key_id, public_key=signer.public_key)
            for signer in keys.proof_signers()
        ]
    )


@api.on("GET /health", None)
def health() -> HealthView:
    """Say that the function runs; it asks nothing else, so a paused database stays paused."""
    return HealthView()


@api.on("GET /health/ready", READ)
def ready() -> ReadyView:
    """Ask the database, the bucket and the models whether they answer; this wakes a paused one."""
    asker, engine = _asked()
    chosen = bootstrap.settings()
    found = check_readiness(
        asker.tenant_id,
        database=clients.retrieval_client(engine.deadline),
        objects=buckets.object_store(),
        providers=engine.providers,
        embedding_model=chosen.embedding_model,
    )
    models = StageModelsView(
        embedder=chosen.embedding_model,
        reranker=chosen.reranker_model or None,
        chat=chosen.chat_model,
    )
    return ReadyView.model_validate(to_json(found) | {"models": models})


@api.on("GET /openapi.json", None, is_documented=False)
def openapi_document() -> Response[str]:
    """Serve the contract, generated from the handlers."""
    return Response(
        HTTPStatus.OK,
        content_type="application/json",
        body=openapi.document(),
        headers=_SAME_FOR_ALL,
    )


@api.on("GET /docs", None, is_documented=False)
def docs(format: Annotated[str | None, Query(max_length=32)] = None) -> Response[str]:  # noqa: A002 -- the page's own link asks so
    """Show the contract to a person; the page loads nothing from elsewhere."""
    if format == "json":
        return openapi_document()
    return Response(
        HTTPStatus.OK,
        content_type="text/html; charset=utf-8",
        body=openapi.page(),
        headers={"Content-Security-Policy": openapi.page_policy(), **_SAME_FOR_ALL},
    )


@api.on("GET /", None, is_documented=False)
def console_page(
    code: Annotated[str | None, Query(max_length=2000)] = None,
    state: Annotated[str | None, Query(max_length=200)] = None,
    error: Annotated[str | None, Query(max_length=200)] = None,
    error_description: Annotated[str | None, Query(max_length=2000)] = None,
) -> Response[str]:
    """Show the console, on which people use the stage; the page itself reads how they come back."""
    del code, state, error, error_description
    return _console_file("index.html", None)


@api.on("GET /console/{name}", None, is_documented=False)
def console_file(
    name: Annotated[str, Path(max_length=64)],
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response[str]:
    """Serve a file of the console, or the configuration that it signs in with."""
    return _console_file(path_text(name), if_none_match)


def _console_file(name: str, known: str | None) -> Response[str]:
    file = console.file(name)
    is_known = known is not None and file.etag in known
    return Response(
        HTTPStatus.NOT_MODIFIED if is_known else HTTPStatus.OK,
        content_type=file.content_type,
        body="" if is_known else file.text,
        headers={"ETag": file.etag, "Content-Security-Policy": console.policy(), **_SAME_FOR_ALL},
    )


handler = lambda_handler(api)
