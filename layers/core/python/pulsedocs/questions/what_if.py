"""What a stored trace would have selected under another policy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from pulsedocs.embedding.calibration import relevance_map
from pulsedocs.model.retrieval import Scope
from pulsedocs.questions.policies import policy_named
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.read_trace import read_trace
from pulsedocs.retrieval.profiles import Overrides, changed, with_overrides
from pulsedocs.retrieval.trace import profile_of, reading
from pulsedocs.retrieval.what_if import WhatIf, what_if


@dataclass(frozen=True, slots=True)
class OtherPolicy:
    """A policy to try: a named one or the trace's own, with other values and switches."""

    profile: str | None = None
    collection: str = "default"
    overrides: Overrides = field(default_factory=Overrides)
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])


def try_policy(
    tenant_id: UUID,
    trace_id: str,
    other: OtherPolicy,
    *,
    engine: QueryEngine,
) -> WhatIf:
    """Select the trace's candidates again; nothing is searched, embedded or written.

    The database is asked only for a policy that a collection has defined. Raises TraceNotFound,
    ProfileNotFound, InvalidRequest.
    """
    trace = read_trace(tenant_id, trace_id, objects=engine.objects)
    if other.profile is None:
        with reading():
            policy = profile_of(trace)
    else:
        scope = Scope(tenant_id, (other.collection,))
        policy = policy_named(other.profile, scope, store=engine.store, of_stage=engine.policies)
    policy = with_overrides(policy, other.overrides)
    if other.values:
        policy = changed(policy, other.values)
    with reading():
        model: str | None = trace["models"]["embedding"]
    return what_if(trace, policy, relevance_of=relevance_map(model or ""))
