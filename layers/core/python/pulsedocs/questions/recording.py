"""What is kept of a question: its trace, what it used, and the turn of its conversation."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pulsedocs.model.conversations import NewTurn
from pulsedocs.model.object_keys import trace_key
from pulsedocs.model.retrieval import Usage
from pulsedocs.questions.journal import Spending
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Retrieved
from pulsedocs.retrieval.evidence import seal
from pulsedocs.retrieval.trace import Record, Trace, canonical, trace_of


def keep_trace(
    retrieved: Retrieved,
    answer: Mapping[str, Any] | None,
    *,
    method: str,
    engine: QueryEngine,
) -> Trace:
    """Store how the question was answered; without its trace an answer still stands."""
    record = Record(
        trace_id=retrieved.trace_id,
        created_at=retrieved.asked_at,
        profile=retrieved.profile,
        evidence=retrieved.evidence,
        selection=retrieved.selection,
        details=_details(retrieved, answer, method=method, tenant_key=engine.tenant_key),
    )
    trace = trace_of(record)
    key = trace_key(retrieved.question.scope.tenant_id, retrieved.trace_id)
    retrieved.journal.attempt("trace", lambda: engine.objects.write(key, canonical(trace)))
    return trace


def _details(
    retrieved: Retrieved, answer: Mapping[str, Any] | None, *, method: str, tenant_key: bytes
) -> dict[str, Any]:
    question, found, inputs = retrieved.question, retrieved.found, retrieved.inputs
    prepared = retrieved.prepared
    searched = {"rewritten": inputs.rewritten, "standard": inputs.searched, "hyde": inputs.hyde}
    changed = asdict(question.overrides).items()
    return {
        "method": method,
        "question_hmac": seal(tenant_key, "question", question.text),
        "collections": list(question.scope.collections),
        "overrides": {name: value for name, value in changed if value is not None},
        "language": retrieved.language,
        "models": {**retrieved.models, "chat": answer["model"] if answer else None},
        "corpus": {
            **found.corpus,
            "vector_path": found.vector_path,
            **(
                {}
                if prepared is None
                else {
                    "chunks": prepared.chunks,
                    "embedded": prepared.embedded,
                    "documents": prepared.documents,
                }
            ),
        },
        "input_stage": {  # as hashes of the kind that the question's is
            **{
                f"{name}_hmac": None if text is None else seal(tenant_key, "question", text)
                for name, text in searched.items()
            },
            "history_messages": len(question.history),
        },
        "timings_ms": retrieved.timings_ms,
        "degraded": retrieved.journal.degraded,
        "failures": {  # that were survived; a leg's own stays with the database
            part: error.code
            for part, error in retrieved.journal.failures.items()
            if error is not None
        },
        "answer": answer,
    }


def settle(
    retrieved: Retrieved,
    *,
    method: str,
    engine: QueryEngine,
    model: str | None = None,
    turn: NewTurn | None = None,
) -> None:
    """Record what the question used, and the turn of its conversation.

    No answer fails for it: a reservation expires by itself. A turn that is not known to be kept is
    named in `degraded`: the next question may not see it.
    """
    prepared, question = retrieved.prepared, retrieved.question
    if prepared is None:
        return
    named = model or prepared.model
    usage = usage_of(
        retrieved.journal.spent,
        question.subject,
        method=method,
        model=named,
        trace_id=retrieved.trace_id,
    )
    retrieved.journal.attempt(
        "usage" if turn is None else "conversation",
        lambda: engine.store.settle(
            question.scope.tenant_id, prepared.reservation_id, usage, turn=turn
        ),
    )


def usage_of(
    spent: Spending, subject: str | None, *, method: str, model: str, trace_id: str
) -> Usage:
    return Usage(
        method=method,
        model=model,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cost_usd=spent.cost_usd,
        trace_id=trace_id,
        user_id=subject,
        priced_usd=spent.priced_usd,
    )
