"""Every state of the three state machines says what it is for, and outlasts what it calls."""

from collections.abc import Iterator
from typing import Any

import pytest

from infra.functions import FUNCTIONS
from infra.machines import batch_machine, ingest_machine, models_machine

State = dict[str, Any]
MACHINES: dict[str, State] = {
    "ingest": ingest_machine(),
    "batch": batch_machine(max_concurrency=7),
    "models": models_machine(),
}


def states_of(machine: State) -> Iterator[tuple[str, State]]:
    """Yield the states of a machine and of its maps."""
    for name, state in machine["States"].items():
        yield name, state
        yield from states_of(state["ItemProcessor"]) if "ItemProcessor" in state else ()


STATES = {
    f"{machine}: {name}": state
    for machine, definition in MACHINES.items()
    for name, state in states_of(definition)
}
TASKS = {name: state for name, state in STATES.items() if state["Type"] == "Task"}


def function_of(state: State) -> str:
    name: str = state["Parameters"]["FunctionName"]
    return name.removeprefix("${").removesuffix("FunctionArn}").lower()


@pytest.mark.parametrize("name", STATES)
def test_every_state_says_what_it_is_for(name: str) -> None:
    assert STATES[name]["Comment"].endswith(".")


@pytest.mark.parametrize("name", TASKS)
def test_a_task_calls_a_function_that_exists(name: str) -> None:
    assert function_of(TASKS[name]) in FUNCTIONS
    assert TASKS[name]["Resource"] == "arn:${Partition}:states:::lambda:invoke"


@pytest.mark.parametrize("name", TASKS)
def test_a_task_waits_longer_than_its_function_and_shorter_than_the_machine(name: str) -> None:
    timeout = TASKS[name]["TimeoutSeconds"]

    assert timeout == FUNCTIONS[function_of(TASKS[name])].timeout_seconds + 10
    assert timeout < MACHINES[name.partition(":")[0]]["TimeoutSeconds"]
