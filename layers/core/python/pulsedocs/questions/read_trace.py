"""How a question was answered: one stored trace of the caller's own tenant."""

import re
from uuid import UUID

from pulsedocs.errors import ObjectNotFound, TraceNotFound
from pulsedocs.model.object_keys import trace_key
from pulsedocs.questions.ports import TraceStore
from pulsedocs.retrieval.trace import Trace, parse_trace

_TRACE_ID = re.compile(r"[0-9a-f]{32}")


def read_trace(tenant_id: UUID, trace_id: str, *, objects: TraceStore) -> Trace:
    """Return a trace; another tenant's cannot be told from one that never was."""
    shown = trace_id[:64]
    unknown = TraceNotFound(f"there is no trace {shown!r}", trace_id=shown)
    if not _TRACE_ID.fullmatch(trace_id):
        raise unknown
    try:
        return parse_trace(objects.read(trace_key(tenant_id, trace_id)))
    except ObjectNotFound:
        raise unknown from None
