"""A state machine as a Mermaid diagram with all its states; `make docs` writes it."""

from collections.abc import Iterator
from typing import Any

State = dict[str, Any]
Arrow = tuple[str, str, str]


def diagram(machine: State) -> str:
    """Return the diagram of a machine; GitHub and most editors draw it."""
    return "\n".join(["```mermaid", "stateDiagram-v2", *_lines(machine, indent="    "), "```"])


def arrows(scope: State) -> Iterator[Arrow]:
    """Yield from, to and label for each way between the states of a scope, Maps not entered."""
    yield "[*]", scope["StartAt"], ""
    for name, state in scope["States"].items():
        ways: dict[str, list[str]] = {}
        for choice in state.get("Choices", []):
            ways.setdefault(choice["Next"], []).append(_condition(choice))
        if "Default" in state:
            ways.setdefault(state["Default"], []).append("otherwise")
        if "Next" in state:
            ways.setdefault(state["Next"], []).append("")
        for caught in state.get("Catch", []):
            ways.setdefault(caught["Next"], []).append(_error(caught["ErrorEquals"]))
        for target, labels in ways.items():
            label = " or ".join(dict.fromkeys(filter(None, labels)))
            yield name, target, f"also after {label}" if label and "" in labels else label
        if state.get("End") or state["Type"] in {"Succeed", "Fail"}:
            yield name, "[*]", ""


def _lines(scope: State, *, indent: str) -> Iterator[str]:
    for name, state in scope["States"].items():
        if "ItemProcessor" in state:
            yield f"{indent}state {name} {{"
            yield from _lines(state["ItemProcessor"], indent=f"{indent}    ")
            yield f"{indent}}}"
    for source, target, label in arrows(scope):
        yield f"{indent}{source} --> {target}{f': {label}' if label else ''}"


def _condition(rule: State) -> str:
    for word in ("And", "Or"):
        if word in rule:
            return f" {word.lower()} ".join(map(_condition, rule[word]))
    name = rule["Variable"].rpartition(".")[2]
    match rule:
        case {"BooleanEquals": True} | {"IsPresent": True} | {"IsNull": False}:
            return name
        case {"BooleanEquals": False} | {"IsPresent": False} | {"IsNull": True}:
            return f"no {name}"
        case {"StringEquals": value} | {"StringMatches": value}:
            return f"{name} is {value or 'empty'}"
        case _:
            raise ValueError(f"no words for the choice {sorted(rule)}")


def _error(names: list[str]) -> str:
    if set(names) <= {"States.ALL", "States.DataLimitExceeded"}:  # together they are every error
        return "error"
    return names[0] if len(names) == 1 else "killed"
