"""How a question was answered: one stored trace of the caller's own tenant."""

import re
from typing import Final
from uuid import UUID

from pulsedocs.errors import InvalidRequest, ObjectNotFound, TraceNotFound
from pulsedocs.model.object_keys import trace_key
from pulsedocs.questions.ports import TraceStore
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.retrieval.trace import Trace, parse_trace

TRACE_ID: Final = re.compile(r"[0-9a-f]{32}")


def read_trace(tenant_id: UUID, trace_id: str, *, objects: TraceStore) -> Trace:
    """Return a trace; another tenant's cannot be told from one that never was."""
    shown = trace_id[:64]
    unknown = TraceNotFound(f"there is no trace {shown!r}", trace_id=shown)
    if not TRACE_ID.fullmatch(trace_id):
        raise unknown
    try:
        return parse_trace(objects.read(trace_key(tenant_id, trace_id)))
    except ObjectNotFound:
        raise unknown from None


def refuse_other_question(text: str, trace: Trace, *, engine: QueryEngine) -> None:
    """Raise InvalidRequest for a question that is not the trace's, which keeps its hash alone."""
    if trace.get("question_hmac") not in engine.seals_of("question", text):
        raise InvalidRequest("the question is not the one that the trace is of")
