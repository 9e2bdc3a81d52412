"""The state machine of batches, what starts it, and what happens when it ends badly."""

import json
from collections.abc import Mapping
from typing import Final

from aws_cdk import ArnFormat, Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.batch_machine import STARTS_BATCH, batch_machine
from infra.components.ingestion import ENDED_BADLY
from infra.components.logs import log_group
from infra.config import Stage
from pulsedocs.pipeline import Step

BATCH_STEPS: Final = ("collect", "tally")
"""The functions of a batch beside those of its documents."""


class Batching(Construct):
    """Run a batch for each request; one that ends badly also waits in the queue, and alarms."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        stage: Stage,
        max_concurrency: int,
        functions: Mapping[str, lambda_.IFunction],
        bucket: s3.IBucket,
        dead_letters: sqs.IQueue,
    ) -> None:
        super().__init__(scope, id_)
        self._dead_letters = dead_letters
        self.name = f"pulsedocs-{stage.name}-batch"
        self.state_machine = self._state_machine(stage, max_concurrency, functions, bucket)
        self._rule(
            "Requested",
            "A request to ingest a prefix starts the state machine of batches",
            events.EventPattern(
                source=["aws.s3"],
                detail_type=["Object Created"],
                detail={
                    "bucket": {"name": [bucket.bucket_name]},
                    "object": {"key": [{"prefix": STARTS_BATCH}]},
                },
            ),
            [targets.SfnStateMachine(self.state_machine, **self._delivery)],
        )
        self._rule(
            "EndedBadly",
            "A batch that stopped: it gives back what it held, and a person is told",
            events.EventPattern(
                source=["aws.states"],
                detail_type=["Step Functions Execution Status Change"],
                detail={
                    "stateMachineArn": [self.state_machine.state_machine_arn],
                    "status": list(ENDED_BADLY),
                },
            ),
            [
                targets.LambdaFunction(functions["tally"], **self._delivery),
                targets.SqsQueue(dead_letters, **self._delivery),
            ],
        )

    @property
    def arn(self) -> str:
        """Its address by name: the role's policy would otherwise wait for the machine it is for."""
        return Stack.of(self).format_arn(
            service="states",
            resource="stateMachine",
            resource_name=self.name,
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )

    @property
    def executions_arn(self) -> str:
        """The address of the executions of this machine, which its Maps follow and stop."""
        return Stack.of(self).format_arn(
            service="states",
            resource="execution",
            resource_name=f"{self.name}:*",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )

    @property
    def _delivery(self) -> dict[str, object]:
        return {
            "dead_letter_queue": self._dead_letters,
            "max_event_age": Duration.hours(24),
            "retry_attempts": 185,
        }

    def _rule(
        self,
        id_: str,
        description: str,
        pattern: events.EventPattern,
        to: list[events.IRuleTarget],
    ) -> None:
        events.Rule(self, id_, description=description, event_pattern=pattern, targets=to)

    def _state_machine(
        self,
        stage: Stage,
        max_concurrency: int,
        functions: Mapping[str, lambda_.IFunction],
        bucket: s3.IBucket,
    ) -> sfn.StateMachine:
        log = log_group(
            self, "Log", name=f"/aws/vendedlogs/states/{self.name}", days=stage.log_days
        )
        machine = batch_machine(max_concurrency=max_concurrency)
        arns = {
            f"{name.title()}FunctionArn": functions[name].function_arn
            for name in (*Step, *BATCH_STEPS)
        }
        return sfn.StateMachine(
            self,
            "StateMachine",
            state_machine_name=self.name,
            definition_body=sfn.DefinitionBody.from_string(
                json.dumps(machine, separators=(",", ":"))
            ),
            definition_substitutions={**arns, "BucketName": bucket.bucket_name},
            role=iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("states.amazonaws.com")),
            logs=sfn.LogOptions(
                destination=log, level=sfn.LogLevel.ALL, include_execution_data=False
            ),
            tracing_enabled=True,
        )
