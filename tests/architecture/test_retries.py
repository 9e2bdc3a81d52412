"""Every task of every state machine retries what passes by itself, and nothing without a bound."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import botocore.session
import pytest

from infra.machines import batch_machine, ingest_machine, models_machine
from infra.machines.retries import POLICIES
from pulsedocs.errors import FUNCTION_ASLEEP, RetryableError, branch

State = dict[str, Any]
ROOT = Path(__file__).parents[2]
WRITTEN = sorted((ROOT / "infra" / "machines").glob("*.asl.json"))
MACHINES = {
    "ingest": ingest_machine(),
    "batch": batch_machine(max_concurrency=1),
    "models": models_machine(),
}
THROTTLED_FOR_HOURS = 3 * 3600
RETRYABLE = [error.__name__ for error in branch(RetryableError)]
NOT_IN_TIME = (
    *("Invalid", "KMS", "Runtime", "Request", "Serialized", "Unsupported", "Recursive", "Durable"),
    *("ResourceNotFound", "ServiceQuotaExceeded", "NoPublishedVersion", "ModeNotSupported"),
    *("CodeArtifactUserFailed", "SnapStartException", "EFSMountFailure", "S3FilesMountFailure"),
)
"""What the answers begin with that a person has to end: a request, a key, a runtime, a policy."""
WAKING_UP_SECONDS = 60  # of a paused Aurora: about 15, rarely more than a minute


def tasks_of(states: dict[str, State]) -> Iterator[tuple[str, State]]:
    """Yield the tasks of a scope and of the maps in it."""
    for name, state in states.items():
        if state["Type"] == "Task":
            yield name, state
        yield from tasks_of(state.get("ItemProcessor", {}).get("States", {}))


TASKS = {
    f"{machine}-{name}": task
    for machine, definition in MACHINES.items()
    for name, task in tasks_of(definition["States"])
}


def retrier_of(error: str, task: State) -> State:
    """Return the one retrier that names the error: Step Functions takes the first of several."""
    [retrier] = [each for each in task["Retry"] if error in each["ErrorEquals"]]
    return retrier


def errors_of(task: State) -> list[str]:
    return [error for retrier in task["Retry"] for error in retrier["ErrorEquals"]]


def mean_seconds(retrier: State) -> float:
    """Return how long it waits in all: with full jitter, half of the longest on average."""
    waits = (
        min(retrier["IntervalSeconds"] * 2.0**attempt, retrier["MaxDelaySeconds"])
        for attempt in range(retrier["MaxAttempts"])
    )
    return sum(waits) / 2


def test_every_policy_is_used() -> None:
    """T-32: the loader takes nothing but their names."""
    written = "".join(each.read_text("utf-8") for each in WRITTEN)

    assert [name for name in POLICIES if f'"Retry": "{name}"' not in written] == []


def test_a_new_retryable_error_is_one_edit() -> None:
    """T-32: a class below RetryableError is retried by every task without another line."""
    code = (
        "from pulsedocs.errors import RetryableError\n"
        "class AddedLater(RetryableError): ...\n"
        "from infra.machines.retries import POLICIES\n"
        "print(*(n for n, p in POLICIES.items() for r in p if 'AddedLater' in r['ErrorEquals']))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert ran.stdout.split() == list(POLICIES)


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


def test_the_runbook_says_how_long_a_throttled_lambda_is_waited_for() -> None:
    """On average, and less than the machine's own limit."""
    runbook = (ROOT / "docs/guides/operate.md").read_text("utf-8")
    seconds = mean_seconds(retrier_of("Lambda.TooManyRequestsException", TASKS["ingest-Claim"]))

    assert f"Waiting is no failure for about {seconds / 3600:.0f} hours" in runbook
    assert seconds < MACHINES["ingest"]["TimeoutSeconds"]


@pytest.mark.parametrize("name", TASKS)
def test_a_database_that_is_waking_up_is_waited_for(name: str) -> None:
    """Every machine waits alike, and long enough for bad luck with the jitter."""
    retrier = retrier_of("DatabaseWarming", TASKS[name])

    assert retrier == retrier_of("DatabaseWarming", TASKS["ingest-Claim"])
    assert mean_seconds(retrier) > 4 * WAKING_UP_SECONDS


@pytest.mark.parametrize("name", TASKS)
def test_a_function_that_was_idle_for_weeks_is_waited_for(name: str) -> None:
    """T-11: 3 minutes even with bad luck: the mean less four times the deviation of the jitter."""
    retrier = retrier_of("Lambda.ResourceNotReadyException", TASKS[name])
    longest = retrier["MaxDelaySeconds"]
    deviation = longest * (retrier["MaxAttempts"] / 12) ** 0.5

    assert mean_seconds(retrier) - 4 * deviation > 180
    assert {f"Lambda.{error}" for error in FUNCTION_ASLEEP} <= set(retrier["ErrorEquals"])


def test_every_answer_of_lambda_is_waited_for_or_named_as_one_that_waiting_does_not_help() -> None:
    """T-11: a new version of the SDK that knows another answer has to be read."""
    model = botocore.session.get_session().get_service_model("lambda").operation_model("Invoke")
    tried_again = {error for each in TASKS.values() for error in errors_of(each)}

    assert {
        shape.name
        for shape in model.error_shapes
        if f"Lambda.{shape.name}" not in tried_again and not shape.name.startswith(NOT_IN_TIME)
    } == set()


@pytest.mark.parametrize("error", RETRYABLE)
def test_a_model_that_is_only_tried_delays_a_publication_by_seconds(error: str) -> None:
    """S1-04: a backfill finds what is missing. What the database needs, publication needs too."""
    retrier = retrier_of(error, TASKS["ingest-EmbedForShadow"])

    if error != "DatabaseWarming":
        assert retrier["MaxAttempts"] == 2
        assert 2 * mean_seconds(retrier) < 10
