"""The state machines: what each calls, what starts it, and what happens when it ends badly."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from aws_cdk import Aws
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.components.delivery import delivery, keep_failures, rule
from infra.components.logs import log_group
from infra.components.trust import service_of_this_account
from infra.config import Stage
from infra.events import STARTS_BATCH, STARTS_INGESTION, STARTS_MODELS, bad_end, new_object
from pulsedocs.pipeline import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineSpec:
    """One of `infra/machines`; the ids are of its rules, and in the names of what is deployed."""

    name: str
    calls: tuple[str, ...]
    starts: tuple[str, ...]
    starts_on_copies: bool = True
    start_id: str = "Requested"
    start: str
    tells: str
    """The function that learns of a bad end."""
    rings: bool = True
    """A bad end also waits in the queue, and alarms."""
    untold_id: str = "FailedToTell"
    end: str

    def named(self, stage: Stage) -> str:
        return f"pulsedocs-{stage.name}-{self.name}"


MACHINES: Final = {
    "Ingestion": MachineSpec(
        name="ingest",
        calls=tuple(Step),
        starts=STARTS_INGESTION,
        # A copy is carried on by whoever made it: a batch, or a request to ingest.
        starts_on_copies=False,
        start_id="Uploaded",
        start="An upload, or a request to ingest one again, starts the state machine",
        tells=Step.FAIL,
        rings=False,
        untold_id="FailedToFail",
        end="An execution that could not record its own failure",
    ),
    "Batching": MachineSpec(
        name="batch",
        calls=(*Step, "collect", "tally"),
        starts=(STARTS_BATCH,),
        start="A request to ingest a prefix starts the state machine of batches",
        tells="tally",
        end="A batch that stopped: it gives back what it held, and a person is told",
    ),
    "Modelling": MachineSpec(
        name="models",
        calls=("embed", "store", "backfill"),
        starts=STARTS_MODELS,
        start="A request to probe or to fill in a model starts the state machine",
        tells="backfill",
        end="A probe or a backfill that stopped: its reason is kept, a person is told",
    ),
}


class Machine(Construct):
    """A state machine: its log, its role without a single grant, its functions."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        definition: Mapping[str, Any],
        stage: Stage,
        functions: Mapping[str, lambda_.IFunction],
        others: Mapping[str, str],
    ) -> None:
        """`${ClaimFunctionArn}` in the definition becomes the function `claim` of its calls."""
        super().__init__(scope, id_)
        self.spec: Final = MACHINES[id_]
        self._functions = functions
        name = self.spec.named(stage)
        log = log_group(self, "Log", name=f"/aws/vendedlogs/states/{name}", days=stage.log_days)
        arns = {f"{c.title()}FunctionArn": functions[c].function_arn for c in self.spec.calls}
        self.state_machine = sfn.StateMachine(
            self,
            "StateMachine",
            state_machine_name=name,
            # Without the white space that a template would carry along.
            definition_body=sfn.DefinitionBody.from_string(
                json.dumps(definition, separators=(",", ":"))
            ),
            definition_substitutions={"Partition": Aws.PARTITION, **arns, **others},
            role=iam.Role(self, "Role", assumed_by=service_of_this_account(self, "states")),
            logs=sfn.LogOptions(
                destination=log, level=sfn.LogLevel.ALL, include_execution_data=False
            ),
            tracing_enabled=True,
        )

    def start_on_objects(self, bucket: s3.IBucket, dead_letters: sqs.IQueue) -> None:
        """Start it for each object; what cannot be delivered waits in the queue."""
        spec, delivered = self.spec, delivery(dead_letters)
        told = self._functions[spec.tells]
        starter = iam.Role(
            self.state_machine, "EventsRole", assumed_by=service_of_this_account(self, "events")
        )
        rule(
            self,
            spec.start_id,
            new_object(bucket.bucket_name, *spec.starts, copies=spec.starts_on_copies),
            targets.SfnStateMachine(self.state_machine, role=starter, **delivered),
            description=spec.start,
        )
        rule(
            self,
            "EndedBadly",
            bad_end(self.state_machine.state_machine_arn),
            targets.LambdaFunction(told, **delivered),
            *([targets.SqsQueue(dead_letters, **delivered)] if spec.rings else []),
            description=spec.end,
        )
        keep_failures(self, spec.untold_id, told, dead_letters)
