"""A stage's two templates, read the way CloudFormation reads them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

Resource = dict[str, Any]
_PSEUDO = {
    "AWS::Region": "eu-west-1",
    "AWS::AccountId": "123456789012",
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """What a role allows: one statement, with references written out."""

    actions: tuple[str, ...]
    resources: tuple[str, ...]


@dataclass(frozen=True)
class StageTemplates:
    """Both stacks of a stage as one set of resources; logical ids do not clash."""

    name: str
    folder: Path
    pseudo: Mapping[str, str] = field(default_factory=lambda: _PSEUDO)
    """Where the stage is: what CloudFormation knows of region and partition."""

    @cached_property
    def templates(self) -> list[dict[str, Any]]:
        files = sorted(self.folder.glob("*.template.json"))
        return [json.loads(file.read_text("utf-8")) for file in files]

    @cached_property
    def resources(self) -> dict[str, Resource]:
        return {
            name: resource
            for template in self.templates
            for name, resource in template["Resources"].items()
        }

    def of(self, kind: str) -> dict[str, Resource]:
        """Return the resources of one type, `Lambda::Function`."""
        return {
            name: resource
            for name, resource in self.resources.items()
            if resource["Type"] == f"AWS::{kind}"
        }

    def properties(self, kind: str) -> list[dict[str, Any]]:
        return [resource.get("Properties", {}) for resource in self.of(kind).values()]

    @cached_property
    def functions(self) -> dict[str, dict[str, Any]]:
        """The properties of every Lambda function that has a name, by the name of the table."""
        prefix = f"pulsedocs-{self.name.removesuffix('-own-issuer')}-"
        return {
            function["FunctionName"].removeprefix(prefix): function
            for function in self.properties("Lambda::Function")
            if "FunctionName" in function
        }

    @cached_property
    def machines(self) -> dict[str, dict[str, Any]]:
        """The properties of the state machines, `ingest` and `batch`."""
        return {
            machine["StateMachineName"].rpartition("-")[2]: machine
            for machine in self.properties("StepFunctions::StateMachine")
        }

    def function_at(self, reference: Any) -> str:
        """Return the name of the function that an ARN in the template points at."""
        [name] = [
            name
            for name, function in self.functions.items()
            if self.resources[reference["Fn::GetAtt"][0]]["Properties"] is function
        ]
        return name

    def asset(self, code: Mapping[str, Any]) -> Path:
        """Return the folder that a function's code is uploaded from."""
        [asset] = [
            files[code["S3Key"].partition(".")[0]]
            for file in self.folder.glob("*.assets.json")
            if code["S3Key"].partition(".")[0] in (files := json.loads(file.read_bytes())["files"])
        ]
        return Path(asset["source"]["path"])

    def text(self, value: Any) -> str:
        """Write a value out: a reference becomes a name, an import what was exported."""
        if not isinstance(value, dict):
            return str(value)
        [(function, argument)] = cast("dict[str, Any]", value).items()
        return self._evaluated(function, argument)

    def _evaluated(self, function: str, argument: Any) -> str:
        match function:
            case "Ref":
                return self.pseudo.get(argument) or str(argument)
            case "Fn::GetAtt":
                return ".".join(argument)
            case "Fn::Join":
                return str(argument[0]).join(self.text(part) for part in argument[1])
            case "Fn::ImportValue":
                return self.text(self.exports[argument])
            case "Fn::If":
                [left, right] = self.conditions[argument[0]]["Fn::Equals"]
                return self.text(argument[1 if self.text(left) == self.text(right) else 2])
            case _:
                message = f"{function} is not read here"
                raise NotImplementedError(message)

    @cached_property
    def conditions(self) -> dict[str, Any]:
        return {
            name: condition
            for template in self.templates
            for name, condition in template.get("Conditions", {}).items()
        }

    @cached_property
    def exports(self) -> dict[str, Any]:
        return {
            output["Export"]["Name"]: output["Value"]
            for template in self.templates
            for output in template.get("Outputs", {}).values()
            if "Export" in output
        }

    def statements(self, role: Any) -> list[Statement]:
        """Return what a role (`{"Fn::GetAtt": [...]}` or its logical id) allows."""
        name = role if isinstance(role, str) else role["Fn::GetAtt"][0]
        return [
            self._statement(statement)
            for policy in self.properties("IAM::Policy")
            if {"Ref": name} in policy["Roles"]
            for statement in policy["PolicyDocument"]["Statement"]
        ]

    def _statement(self, statement: Mapping[str, Any]) -> Statement:
        assert statement["Effect"] == "Allow"
        return Statement(
            actions=tuple(sorted(listed(statement["Action"]))),
            resources=tuple(sorted(self.text(item) for item in listed(statement["Resource"]))),
        )

    def environment(self, function: str) -> dict[str, str]:
        variables = self.functions[function].get("Environment", {}).get("Variables", {})
        return {name: self.text(value) for name, value in variables.items()}


def listed(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def strings_in(value: Any) -> Iterator[str]:
    """Yield every string inside a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in cast("dict[str, Any]", value).values():
            yield from strings_in(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from strings_in(item)


def reference_in(joined: Any) -> Any:
    """Return the one attribute that an address in the template refers to."""
    for part in joined["Fn::Join"][1]:
        if isinstance(part, dict) and "Fn::GetAtt" in part:
            return cast("dict[str, Any]", part)
    raise AssertionError(joined)
