"""The interpreter of the local stage waits for what passes as long as each policy says."""

import json
import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from moto.stepfunctions.parser.asl.component.common.error_name.custom_error_name import (
    CustomErrorName,
)
from moto.stepfunctions.parser.asl.component.common.retry import retrier_decl, retry_outcome
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser

from infra.machines import batch_machine, ingest_machine, models_machine
from pulsedocs.errors import FUNCTION_ASLEEP, RetryableError, branch

MACHINES = {
    "ingest": ingest_machine(),
    "batch": batch_machine(max_concurrency=1),
    "models": models_machine(),
}
ERRORS = (
    *(error.__name__ for error in branch(RetryableError)),
    *(f"Lambda.{name}" for name in FUNCTION_ASLEEP),
    *("Lambda.TooManyRequestsException", "Lambda.ServiceException", "Lambda.SdkClientException"),
)
LEAST_SECONDS = 180
HURRIED = {"EmbedForShadow"}
"""A shadow model delays a publication by seconds; what it lacks then is backfilled later."""


def policies_in(states: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each state that retries, those of maps as well, with its policy as it was parsed."""
    for name, state in states.items():
        if getattr(state, "retry", None) is not None:
            yield name, state.retry
        processor = getattr(state, "iteration_component", None) or getattr(
            state, "item_processor_decl", None
        )
        inner = getattr(processor, "_states", None) or getattr(processor, "states", None)
        if inner is not None:
            yield from policies_in(inner.states)


@pytest.fixture(scope="module")
def policies() -> dict[tuple[str, str], Any]:
    """Parse no definition while tests are collected: each process would, for two seconds."""
    return {
        (machine, name): policy
        for machine, definition in MACHINES.items()
        for name, policy in policies_in(
            cast("Any", AmazonStateLanguageParser.parse(json.dumps(definition))[0]).states.states
        )
    }


def _middle(low: float, high: float) -> float:
    return (low + high) / 2


def waited(policy: Any, error: str, monkeypatch: pytest.MonkeyPatch) -> float:
    """Return the seconds from the first failure to the last try, every pause of middling length."""
    pauses: list[float] = []
    with monkeypatch.context() as patched:
        patched.setattr(retrier_decl, "time", SimpleNamespace(sleep=pauses.append))
        patched.setattr(random, "uniform", _middle)
        environment: Any = SimpleNamespace(heap={}, stack=[], is_running=lambda: True)
        while True:
            environment.stack.append(CustomErrorName(error))
            policy.eval(environment)
            if environment.stack.pop() != retry_outcome.RetryOutcome.CanRetry:
                return sum(pauses)


def test_every_task_that_is_written_is_replayed(policies: dict[tuple[str, str], Any]) -> None:
    written = sum(json.dumps(definition).count('"Retry"') for definition in MACHINES.values())

    assert len(policies) == written > 25
    assert {machine for machine, _ in policies} == set(MACHINES)


@pytest.mark.parametrize("error", ERRORS)
def test_what_passes_is_waited_for_three_minutes_in_every_machine(
    error: str, policies: dict[tuple[str, str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """T-11: a task that gives up sooner is one that holds up what is more urgent."""
    hurried = {
        name
        for (_, name), policy in policies.items()
        if waited(policy, error, monkeypatch) < LEAST_SECONDS
    }

    assert hurried <= HURRIED
