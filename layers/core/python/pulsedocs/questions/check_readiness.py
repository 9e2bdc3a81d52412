"""Ask everything that answering a question needs whether it answers."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar
from uuid import UUID

from pulsedocs.errors import PulseDocsError, StageNotReady
from pulsedocs.model.answers import ChatMessage
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.object_keys import trace_key
from pulsedocs.model.queries import QueryKey
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.prices import is_free
from pulsedocs.questions.ports import DatabaseProbe
from pulsedocs.questions.providers import Providers

OK, FAILED, OFF = "ok", "failed", "off"
SECONDS_EACH: Final = 5.0
_WORDS: Final = "ready"
_Used = TypeVar("_Used")


@dataclass(frozen=True, slots=True)
class Check:
    """How one dependency answered; `off` is what the stage is configured without."""

    status: str
    ms: float
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Readiness:
    checks: Mapping[str, Check]


def check_readiness(
    tenant_id: UUID,
    *,
    database: DatabaseProbe,
    objects: ObjectStore,
    providers: Providers,
    embedding_model: str,
) -> Readiness:
    """Ask each once, for a few seconds; a paused database wakes up.

    A model that is paid for costs a few tokens: while `providers` remember that it answered, it is
    not asked again. Raises StageNotReady, which names those that failed and why.
    """

    def remembered(model: str, ask: Callable[[], object]) -> object:
        key = QueryKey(tenant_id, model, "readiness", _WORDS)
        return ask() if is_free(model) else providers.remembered(key, ask)

    ready = Readiness(
        {
            "database": _check(lambda: database, lambda own, _: own.ping(tenant_id)),
            "bucket": _check(
                lambda: objects, lambda own, _: own.exists(trace_key(tenant_id, _WORDS))
            ),
            "embedder": _check(
                lambda: providers.embedder(embedding_model),
                lambda own, limit: remembered(
                    own.model, lambda: own.embed_query(_WORDS, deadline=limit)
                ),
            ),
            "reranker": _check(
                providers.reranker,
                lambda own, limit: remembered(
                    own.model, lambda: own.rerank(_WORDS, [_WORDS], deadline=limit)
                ),
            ),
            "chat": _check(
                providers.chat,
                lambda own, limit: remembered(
                    own.model,
                    lambda: own.complete(
                        [ChatMessage("user", _WORDS)], temperature=0, max_tokens=16, deadline=limit
                    ),
                ),
            ),
        }
    )
    failed = [name for name, check in ready.checks.items() if check.status == FAILED]
    if failed:
        found = {name: check.code or check.status for name, check in ready.checks.items()}
        raise StageNotReady(f"{', '.join(failed)} cannot be used", **found)
    return ready


def _check(build: Callable[[], _Used | None], ask: Callable[[_Used, Deadline], object]) -> Check:
    """Build a dependency and ask it; None is what the stage is configured without."""
    started = time.perf_counter()

    def elapsed() -> float:
        return round((time.perf_counter() - started) * 1000, 1)

    try:
        used = build()
        if used is None:
            return Check(OFF, elapsed())
        ask(used, Deadline.after(SECONDS_EACH))
    except PulseDocsError as error:
        return Check(FAILED, elapsed(), error.code)
    return Check(OK, elapsed())
