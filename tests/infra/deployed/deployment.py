"""The two stacks of a stage, made on moto as CloudFormation would: what is needed comes first."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from local.aws import LocalAws
from local.environment import LocalFunction
from local.rest_events import ACCOUNT, REGION
from local.workers import WorkerPool
from tests.infra.deployed.intrinsics import Intrinsics, LeftOut, Made
from tests.infra.deployed.left_out import LEFT_OUT
from tests.infra.templates import StageTemplates

Properties = dict[str, Any]
Maker = Callable[["Deployment", str, Properties], Made]

PSEUDO: Final = {
    "AWS::Region": REGION,
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
}
ANSWERS: Final = "cloudformation-answers"
"""The bucket that custom resources answer into, as CloudFormation has one."""


@dataclass
class Deployment:
    """What has been made. `place` fits a function into this machine."""

    templates: StageTemplates
    aws: LocalAws
    pool: WorkerPool
    directory: Path
    makers: Mapping[str, Maker]
    place: Callable[[LocalFunction], LocalFunction]
    roles: dict[str, str]
    """The role's name of each function, by its own: filled here, read as calls are judged."""

    functions: dict[str, LocalFunction] = field(default_factory=dict[str, LocalFunction])
    """By deployed name; those that stream too, which the pool does not run."""
    permissions: list[Properties] = field(default_factory=list[Properties])
    answers: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """What custom resources said."""
    _made: dict[str, Made] = field(default_factory=dict[str, Made])

    def deploy(self) -> None:
        self.client("s3").create_bucket(Bucket=ANSWERS)
        for logical_id in self.templates.resources:
            self.made(logical_id)

    def made(self, logical_id: str) -> Made:
        """Make a resource, after those that it depends on, unless it is there."""
        if logical_id not in self._made:
            resource = self.templates.resources[logical_id]
            for needed in resource.get("DependsOn", ()):
                self.made(needed)
            self._made[logical_id] = self._make(logical_id, resource)
        return self._made[logical_id]

    def _make(self, logical_id: str, resource: Mapping[str, Any]) -> Made:
        kind = resource["Type"]
        if kind in LEFT_OUT:
            return LeftOut(logical_id)
        properties = self.intrinsics.value(resource.get("Properties", {}))
        return self.makers[kind](self, logical_id, properties)

    def refs(self, kind: str) -> list[str]:
        """Return what `Ref` gives for each resource of a type, `Events::Rule`."""
        return [self.made(logical_id).ref for logical_id in self.templates.of(kind)]

    @cached_property
    def intrinsics(self) -> Intrinsics:
        return Intrinsics(PSEUDO, self.made, self.templates.exports)

    @cached_property
    def client(self) -> Callable[[str], Any]:
        return cache(self.aws.client)

    def add(self, function: LocalFunction) -> None:
        """Let a function be invoked by name and ARN; one that streams is not, but listed."""
        placed = self.place(function)
        self.functions[function.arn.partition(":function:")[2]] = placed
        if not function.handler.endswith(".sh"):
            self.pool.deploy({function.name: placed})

    def ask(self, logical_id: str, properties: Properties) -> Made:
        """Create a custom resource: invoke its function, and read what it answers."""
        place = {"Bucket": ANSWERS, "Key": logical_id}
        event = {
            "RequestType": "Create",
            "ResponseURL": self.client("s3").generate_presigned_url("put_object", place),
            "StackId": self.templates.name,
            "RequestId": str(uuid4()),
            "LogicalResourceId": logical_id,
            "ResourceProperties": properties,
        }
        self.pool.invoke(properties["ServiceToken"], json.dumps(event).encode())
        answer = json.loads(self.client("s3").get_object(**place)["Body"].read())
        self.answers.append(answer)
        if answer["Status"] != "SUCCESS":
            raise RuntimeError(f"{logical_id}: {answer['Reason']}")
        return Made(answer["PhysicalResourceId"])
