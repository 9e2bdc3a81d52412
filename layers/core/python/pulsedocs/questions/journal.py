"""What happened on the way of a question: how long each part took, what it cost, what was lost."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from pulsedocs.errors import (
    ConfigurationError,
    ParkedError,
    ProcessingFailed,
    PulseDocsError,
    RetryableError,
)
from pulsedocs.model.answers import Completion
from pulsedocs.prices import cost_of, is_free

_FALLS_BACK = (RetryableError, ParkedError, ProcessingFailed)
_Result = TypeVar("_Result")


@dataclass(slots=True)
class Spending:
    """What models took that are paid for. `cost_usd` is None once a price is not known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    priced_usd: float = 0.0

    def add(self, completion: Completion) -> None:
        """Count a call that was made, whatever becomes of its words: the provider counts it too."""
        self.input_tokens += completion.input_tokens
        self.output_tokens += completion.output_tokens
        cost = cost_of(
            completion.model,
            input_tokens=completion.input_tokens,
            output_tokens=completion.output_tokens,
        )
        self.add_cost(cost)

    def add_embedding(self, model: str, tokens: int) -> None:
        """Count a query that was embedded; on this machine it costs nothing."""
        if not is_free(model):
            self.input_tokens += tokens
            self.add_cost(cost_of(model, input_tokens=tokens))

    def add_cost(self, cost: float | None) -> None:
        self.priced_usd = round(self.priced_usd + (cost or 0.0), 9)
        known = self.cost_usd is not None and cost is not None
        self.cost_usd = self.priced_usd if known else None


@dataclass(slots=True)
class Journal:
    """Times, costs and losses of one question."""

    timings_ms: dict[str, float] = field(default_factory=dict[str, float])
    failures: dict[str, PulseDocsError | None] = field(
        default_factory=dict[str, PulseDocsError | None]
    )
    spent: Spending = field(default_factory=Spending)

    @property
    def degraded(self) -> list[str]:
        return list(self.failures)

    @contextmanager
    def timed(self, part: str) -> Generator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.timings_ms[part] = round((time.perf_counter() - started) * 1000, 1)

    def attempt(self, part: str, action: Callable[[], _Result]) -> _Result | None:
        """Return what the action returns, or None and a note where it failed.

        Faults of the request and of the configuration are not survived: they would stay unseen.
        """
        try:
            with self.timed(part):
                return action()
        except ConfigurationError:
            raise
        except _FALLS_BACK as error:
            self.failures[part] = error
            return None
