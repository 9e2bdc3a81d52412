"""The state machine runs the stages in order and loses no failure."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docs.flow import diagram
from infra.machines import ingest_machine
from pulsedocs.pipeline import Step
from tests.architecture.test_machines import function_of

State = dict[str, Any]
MACHINE: State = ingest_machine()
LOST = {"ExtractRange": "LoseRange", "Recognise": "LoseScan"}
"""What reads strangers' pages, and where a range goes whose reader died."""


def scopes() -> list[dict[str, State]]:
    """Return the states of the machine and of its maps: a transition never leaves its scope."""
    maps = [
        state["ItemProcessor"] for state in MACHINE["States"].values() if "ItemProcessor" in state
    ]
    return [MACHINE["States"], *(inner["States"] for inner in maps)]


STATES: dict[str, State] = {name: state for scope in scopes() for name, state in scope.items()}
TASKS = {name: state for name, state in STATES.items() if state["Type"] == "Task"}


def successors(state: State) -> Iterator[str]:
    handlers = [*state.get("Choices", []), *state.get("Catch", [])]
    for holder in (state, *handlers):
        yield from (holder[key] for key in ("Next", "Default") if key in holder)


def reachable(states: dict[str, State], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(successors(states[name]))
    return found


def test_stages_run_in_pipeline_order() -> None:
    visited: list[str] = []
    name: str | None = MACHINE["StartAt"]
    while name:
        state = STATES[name]
        inner = state.get("ItemProcessor")
        visited += [function_of(inner["States"][inner["StartAt"]])] if inner else []
        visited += [function_of(state)] if state["Type"] == "Task" else []
        goes_on = [choice["Next"] for choice in state.get("Choices", [])]
        name = state.get("Next") or next(iter(goes_on), None)

    shadow = visited.pop(-2)  # of another model, beside the document's own way
    assert shadow == Step.EMBED
    assert visited == [step for step in Step if step is not Step.FAIL]


def test_every_state_that_can_fail_is_caught_except_the_one_that_records_failures() -> None:
    catching = {
        name
        for name, state in MACHINE["States"].items()
        if state["Type"] in {"Task", "Map"} and function_or_map(state) != "fail"
    }

    for name in catching:
        caught = [
            handler["ErrorEquals"]
            for handler in STATES[name]["Catch"]
            if handler["ErrorEquals"] != ["ModelChanged"]
        ]
        assert caught == [["States.DataLimitExceeded"], ["States.ALL"]], name
    assert {name for name in set(TASKS) - catching if "Catch" in STATES[name]} == set(LOST)


@pytest.mark.parametrize(("state", "lost"), LOST.items())
def test_a_range_whose_reader_dies_is_lost_and_any_other_error_ends_the_run(
    state: str, lost: str
) -> None:
    """K08: memory, time and the platform's own words for both; nothing that a file says."""
    [caught] = STATES[state]["Catch"]

    assert caught["Next"] == lost
    assert caught["ErrorEquals"] == [
        "ResourceExhausted",
        "Runtime.ExitError",
        "Sandbox.Timedout",
        "Lambda.Unknown",
        "States.Timeout",
    ]


def test_a_version_that_lacks_a_new_models_vectors_gets_them_before_it_is_published() -> None:
    """S1-04: a promotion between chunking and publication costs nobody a document."""
    [again] = [
        each for each in STATES["Publish"]["Catch"] if each["ErrorEquals"] == ["ModelChanged"]
    ]

    assert STATES["Publish"]["Catch"][0] == again  # States.ALL would take it
    assert again["Next"] == "Chunk"


def test_nothing_about_the_model_that_is_tried_holds_a_document_up() -> None:
    assert {each["Next"] for each in STATES["EmbedShadow"]["Catch"]} == {"Publish"}


def function_or_map(state: State) -> str:
    return function_of(state) if state["Type"] == "Task" else "map"


@pytest.mark.parametrize(
    "start", ["Claim", "ExtractRange", "Recognise", "Measure", "Embed", "EmbedForShadow"]
)
def test_every_state_is_reachable(start: str) -> None:
    [states] = [scope for scope in scopes() if start in scope]

    assert reachable(states, start) == set(states)


def test_there_is_one_substitution_for_each_function_of_the_pipeline() -> None:
    assert {function_of(task) for task in TASKS.values()} == {str(step) for step in Step}


def test_the_picture_in_the_docs_has_every_state_and_every_way_between_them() -> None:
    """T-32: it is generated, so it shows what is deployed."""
    shown = (Path(__file__).parents[2] / "docs/concepts/data-flow.md").read_text(encoding="utf-8")
    drawn = diagram(MACHINE)

    assert drawn in shown, "run `make docs`"
    for name, state in STATES.items():
        for target in successors(state):
            assert f"    {name} --> {target}" in drawn
    assert {word for line in drawn.splitlines() for word in line.split()} >= set(STATES)
