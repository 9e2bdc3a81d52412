"""The state machine of batches, what starts it, and what happens when it ends badly."""

from collections.abc import Mapping
from typing import Final

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.components.delivery import delivery, keep_failures, rule
from infra.components.machine import state_machine
from infra.config import Stage
from infra.events import STARTS_BATCH, bad_end, new_object
from infra.machines import batch_machine
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
        self.name = f"pulsedocs-{stage.name}-batch"
        self.state_machine = state_machine(
            self,
            batch_machine(max_concurrency=max_concurrency),
            name=self.name,
            stage=stage,
            functions=functions,
            calls=(*Step, *BATCH_STEPS),
            others={"BucketName": bucket.bucket_name},
        )
        delivered = delivery(dead_letters)
        rule(
            self,
            "Requested",
            new_object(bucket.bucket_name, STARTS_BATCH),
            targets.SfnStateMachine(self.state_machine, **delivered),
            description="A request to ingest a prefix starts the state machine of batches",
        )
        rule(
            self,
            "EndedBadly",
            bad_end(self.state_machine.state_machine_arn),
            targets.LambdaFunction(functions["tally"], **delivered),
            targets.SqsQueue(dead_letters, **delivered),
            description="A batch that stopped: it gives back what it held, and a person is told",
        )
        keep_failures(self, "FailedToTell", functions["tally"], dead_letters)

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
