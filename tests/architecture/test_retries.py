"""Every task of every state machine retries what passes by itself, and nothing without a bound."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pulsedocs.errors import RetryableError, branch

State = dict[str, Any]
DEFINITIONS = sorted((Path(__file__).parents[2] / "infra").glob("*.asl.json"))
THROTTLED_FOR_HOURS = 3 * 3600
RETRYABLE = [error.__name__ for error in branch(RetryableError)]
WAKING_UP_SECONDS = 60  # of a paused Aurora: about 15, rarely more than a minute


def tasks_of(states: dict[str, State]) -> Iterator[tuple[str, State]]:
    """Yield the tasks of a scope and of the maps in it."""
    for name, state in states.items():
        if state["Type"] == "Task":
            yield name, state
        yield from tasks_of(state.get("ItemProcessor", {}).get("States", {}))


TASKS = {
    f"{definition.name.partition('.')[0]}-{name}": task
    for definition in DEFINITIONS
    for name, task in tasks_of(json.loads(definition.read_text("utf-8"))["States"])
}


def retrier_of(error: str, task: State) -> State:
    """Return the one retrier that names the error: Step Functions takes the first of several."""
    [retrier] = [each for each in task["Retry"] if error in each["ErrorEquals"]]
    return retrier


def mean_seconds(retrier: State) -> float:
    """Return how long it waits in all: with full jitter, half of the longest on average."""
    waits = (
        min(retrier["IntervalSeconds"] * 2.0**attempt, retrier["MaxDelaySeconds"])
        for attempt in range(retrier["MaxAttempts"])
    )
    return sum(waits) / 2


def test_every_machine_is_looked_at() -> None:
    assert {name.partition("-")[0] for name in TASKS} == {"batch", "ingest", "models"}


@pytest.mark.parametrize("name", TASKS)
def test_every_retryable_error_is_retried_by_its_own_name(name: str) -> None:
    """P-02: Step Functions knows nothing of inheritance, so each class is listed, once."""
    for error in RETRYABLE:
        assert retrier_of(error, TASKS[name])["MaxAttempts"] > 1, error


@pytest.mark.parametrize("name", TASKS)
def test_every_retry_is_spread_out_and_bounded(name: str) -> None:
    for retrier in TASKS[name]["Retry"]:
        assert retrier["JitterStrategy"] == "FULL"
        assert retrier["MaxDelaySeconds"] <= 300
        assert retrier["BackoffRate"] == 2


@pytest.mark.parametrize("name", TASKS)
def test_a_throttled_lambda_is_retried_for_hours(name: str) -> None:
    """A burst of uploads beyond the account's concurrency waits instead of failing."""
    retrier = retrier_of("Lambda.TooManyRequestsException", TASKS[name])

    assert mean_seconds(retrier) > THROTTLED_FOR_HOURS


@pytest.mark.parametrize("name", TASKS)
def test_a_database_that_is_waking_up_is_waited_for(name: str) -> None:
    """Every machine waits alike, and long enough for bad luck with the jitter."""
    retrier = retrier_of("DatabaseWarming", TASKS[name])

    assert retrier == retrier_of("DatabaseWarming", TASKS["ingest-Claim"])
    assert mean_seconds(retrier) > 4 * WAKING_UP_SECONDS


@pytest.mark.parametrize("error", RETRYABLE)
def test_a_model_that_is_only_tried_delays_a_publication_by_seconds(error: str) -> None:
    """S1-04: a backfill finds what is missing. What the database needs, publication needs too."""
    retrier = retrier_of(error, TASKS["ingest-EmbedForShadow"])

    if error != "DatabaseWarming":
        assert retrier["MaxAttempts"] == 2
        assert 2 * mean_seconds(retrier) < 10
