"""Each state machine is one that Step Functions takes, by the public schema of cfn-lint."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, Final, cast

import pytest
from cfnlint.api import lint_all

from infra.machines import batch_machine, ingest_machine, models_machine

Machine = dict[str, Any]

MACHINES: Final = {
    "ingest": ingest_machine(),
    "models": models_machine(),
    "batch": batch_machine(max_concurrency=40),
}
RESERVED: Final = {"Next", "End", "Default", "StartAt", "States", "Catch", "Retry"}


def findings(machine: Machine) -> list[str]:
    properties = {"RoleArn": "arn:aws:iam::123456789012:role/any", "Definition": machine}
    resource = {"Type": "AWS::StepFunctions::StateMachine", "Properties": properties}
    template = json.dumps({"Resources": {"Machine": resource}}).replace("${Partition}", "aws")
    found = lint_all(template)
    return [each.message for each in found if each.rule.id.startswith("E")]


def names_in(part: Any) -> Iterator[str]:
    """Yield the name of every state, those of maps as well."""
    if isinstance(part, dict):
        fields = cast("Machine", part)
        yield from fields.get("States", {})
        for each in fields.values():
            yield from names_in(each)
    elif isinstance(part, list):
        for each in cast("list[Any]", part):
            yield from names_in(each)


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_is_valid(name: str) -> None:
    assert findings(MACHINES[name]) == []


@pytest.mark.parametrize("name", MACHINES)
def test_no_state_is_called_as_a_word_of_the_language(name: str) -> None:
    states = list(names_in(MACHINES[name]))

    assert len(states) == len(set(states))
    assert not {state.title() for state in states} & RESERVED


def maps_in(part: Any) -> Iterator[Machine]:
    if isinstance(part, dict):
        fields = cast("Machine", part)
        if fields.get("Type") == "Map":
            yield fields
        for each in fields.values():
            yield from maps_in(each)


@pytest.mark.parametrize("name", MACHINES)
def test_what_a_map_drops_is_not_gathered_first(name: str) -> None:
    """A state holds 256 KB: a batch's own input and answers are 550 bytes, of up to 1,000."""
    dropped = [each for each in maps_in(MACHINES[name]) if each["ResultPath"] is None]

    assert dropped
    for each in dropped:
        last = [state for state in each["ItemProcessor"]["States"].values() if state.get("End")]
        assert all(state.get("Result") == {} or state["OutputPath"] is None for state in last)


def does_not_end(machine: Machine) -> None:
    del machine["States"]["Publish"]["Next"]


def is_of_no_type(machine: Machine) -> None:
    machine["States"]["Store"]["Type"] = "Tusk"


def retries_nothing(machine: Machine) -> None:
    del machine["States"]["Store"]["Retry"][0]["ErrorEquals"]


@pytest.mark.parametrize("defect", [does_not_end, is_of_no_type, retries_nothing])
def test_a_machine_that_step_functions_would_refuse_is_found(
    defect: Callable[[Machine], None],
) -> None:
    broken = deepcopy(MACHINES["ingest"])

    defect(broken)

    assert findings(broken) != []
