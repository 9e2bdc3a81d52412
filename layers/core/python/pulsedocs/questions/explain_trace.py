"""Why a page is not in an answer: from the trace, and where that is silent from the database."""

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

from pulsedocs.embedding import parse_model_name
from pulsedocs.errors import InvalidRequest
from pulsedocs.model.budgets import bought
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.page_status import PageQuery
from pulsedocs.model.retrieval import CandidateQuery, Leg, Scope
from pulsedocs.prices import is_free
from pulsedocs.questions.input_stage import query_tokens
from pulsedocs.questions.journal import Spending
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.read_trace import read_trace, refuse_other_question
from pulsedocs.questions.recording import usage_of
from pulsedocs.retrieval.explanation import Explanation, explain, lost_before
from pulsedocs.retrieval.filters import parse_filter
from pulsedocs.retrieval.trace import Trace, collections_of, profile_of, reading

_EMBED_SECONDS = 6.0
_METHOD = "why"


@dataclass(frozen=True, slots=True)
class PageOfTrace:
    """Which page is asked about, before which trace."""

    tenant_id: UUID
    trace_id: str
    document_id: UUID
    page: int


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """The question of a trace, from whoever asked it: a trace keeps no words.

    A scope without collections is of those that were asked.
    """

    text: str
    scope: Scope
    subject: str | None = None


def explain_trace(asked: PageOfTrace, *, engine: QueryEngine) -> Explanation:
    """Name the stage at which a page was lost; ask the database only where the trace is silent.

    Raises TraceNotFound, ArtifactInvalid.
    """
    trace = read_trace(asked.tenant_id, asked.trace_id, objects=engine.objects)
    known = explain(trace, asked.document_id, asked.page)
    if known is not None:
        return known
    status = engine.store.page_status(_page_query(asked, trace))
    return lost_before(trace, asked.page, status)


def explain_with_ranks(
    asked: PageOfTrace,
    again: AskedAgain,
    *,
    engine: QueryEngine,
) -> Explanation:
    """Explain, and compute the exact place that the page would have taken in each leg.

    The question is compared with the trace's by its hash: ranks of another one would mislead.
    Raises InvalidRequest, TraceNotFound, BudgetExceeded, and the embedder's errors.
    """
    parse_filter(again.scope.filters)
    trace = read_trace(asked.tenant_id, asked.trace_id, objects=engine.objects)
    refuse_other_question(again.text, trace, engine=engine)
    known = explain(trace, asked.document_id, asked.page)
    if known is not None:
        return known
    query = _page_query(asked, trace)
    profile = profile_of(trace)
    vectors: dict[Leg, Any] = {}
    if profile.vector_candidates:
        vectors[Leg.VECTOR] = _embed(again, query, trace_id=asked.trace_id, engine=engine)
    legs = CandidateQuery(  # the question's own: queries that a model wrote are not kept
        scope=replace(again.scope, collections=again.scope.collections or collections_of(trace)),
        model=query.model,
        dimensions=parse_model_name(query.model).dimensions,
        vectors=vectors,
        words=again.text if profile.keyword_candidates else None,
        vector_candidates=profile.vector_candidates,
        keyword_candidates=profile.keyword_candidates,
        exact=True,
    )
    status = engine.store.page_status(replace(query, query=legs))
    return lost_before(trace, asked.page, status)


def _embed(
    again: AskedAgain, query: PageQuery, *, trace_id: str, engine: QueryEngine
) -> tuple[float, ...]:
    """Embed the question once more; where that is paid for, it is reserved and booked."""
    limit = Deadline.after(engine.deadline.timeout(_EMBED_SECONDS))
    embedder = engine.providers.embedder(query.model)
    if is_free(query.model):
        return embedder.embed_query(again.text, deadline=limit)
    holder, spent = uuid4(), Spending()
    tokens = query_tokens(query.model, again.text)
    engine.store.reserve(query.tenant_id, holder, bought(query.model, input_tokens=tokens))
    try:
        vector = embedder.embed_query(again.text, deadline=limit)
        spent.add_embedding(query.model, tokens)
    finally:  # nobody else will: what is reserved would wait to expire
        usage = usage_of(spent, again.subject, method=_METHOD, model=query.model, trace_id=trace_id)
        engine.store.settle(query.tenant_id, holder, usage)
    return vector


def _page_query(asked: PageOfTrace, trace: Trace) -> PageQuery:
    with reading():
        model: str | None = trace["models"]["embedding"]
    if model is None:  # only a question that was refused before anything was looked at
        raise InvalidRequest("nothing was searched for this trace")
    return PageQuery(asked.tenant_id, asked.document_id, asked.page, model)
