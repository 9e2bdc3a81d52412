"""The state machine, what starts it, and what happens when it ends badly."""

from collections.abc import Mapping

from aws_cdk import Duration
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.components.delivery import delivery, keep_failures, rule
from infra.components.machine import state_machine
from infra.config import Stage
from infra.events import STARTS_INGESTION, bad_end, new_object
from infra.machines import ingest_machine
from pulsedocs.pipeline import Step


class Ingestion(Construct):
    """Ingest every upload; whatever could not be delivered waits in a queue."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        stage: Stage,
        functions: Mapping[str, lambda_.IFunction],
        bucket: s3.IBucket,
    ) -> None:
        super().__init__(scope, id_)
        self.dead_letters = sqs.Queue(
            self,
            "DeadLetters",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(14),
        )
        self.state_machine = state_machine(
            self,
            ingest_machine(),
            name=f"pulsedocs-{stage.name}-ingest",
            stage=stage,
            functions=functions,
            calls=Step,
        )
        delivered = delivery(self.dead_letters)
        rule(
            self,
            "Uploaded",
            # A copy is carried on by whoever made it: a batch, or a request to ingest.
            new_object(bucket.bucket_name, *STARTS_INGESTION, copies=False),
            targets.SfnStateMachine(self.state_machine, **delivered),
            description="An upload, or a request to ingest one again, starts the state machine",
        )
        rule(
            self,
            "EndedBadly",
            bad_end(self.state_machine.state_machine_arn),
            targets.LambdaFunction(functions[Step.FAIL], **delivered),
            description="An execution that could not record its own failure",
        )
        keep_failures(self, "FailedToFail", functions[Step.FAIL], self.dead_letters)
