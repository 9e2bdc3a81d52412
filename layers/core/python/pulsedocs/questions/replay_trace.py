"""The selection of a stored trace, computed again from the trace alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pulsedocs.questions.ports import TraceStore
from pulsedocs.questions.read_trace import read_trace
from pulsedocs.retrieval.trace import replay


@dataclass(frozen=True, slots=True)
class Replayed:
    identical: bool
    differences: tuple[Mapping[str, Any], ...]


def replay_trace(tenant_id: UUID, trace_id: str, *, objects: TraceStore) -> Replayed:
    """Recompute what was selected, with no database and no model, and compare."""
    differences = replay(read_trace(tenant_id, trace_id, objects=objects))
    return Replayed(not differences, tuple(differences))
