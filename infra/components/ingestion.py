"""The state machine, what starts it, and what happens when it ends badly."""

import json
from collections.abc import Mapping
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.batch_machine import COPIED
from infra.components.logs import log_group
from infra.config import DEFINITION, Stage
from pulsedocs.pipeline import Step

STARTS_INGESTION: Final = ("u/", "control/ingest/")
ENDED_BADLY: Final = ("FAILED", "TIMED_OUT", "ABORTED")


class Ingestion(Construct):
    """Run `ingest.asl.json` for every upload; whatever could not be delivered waits in a queue."""

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
        self.state_machine = self._state_machine(stage, functions)
        self._start_on_upload(bucket)
        self._record_bad_ends(functions[Step.FAIL])

    def _state_machine(
        self, stage: Stage, functions: Mapping[str, lambda_.IFunction]
    ) -> sfn.StateMachine:
        log = log_group(
            self, "Log", name=f"/aws/vendedlogs/states/pulsedocs-{stage.name}", days=stage.log_days
        )
        return sfn.StateMachine(
            self,
            "StateMachine",
            state_machine_name=f"pulsedocs-{stage.name}-ingest",
            definition_body=sfn.DefinitionBody.from_string(_definition()),
            definition_substitutions={
                f"{step.title()}FunctionArn": functions[step].function_arn for step in Step
            },
            role=iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("states.amazonaws.com")),
            logs=sfn.LogOptions(
                destination=log, level=sfn.LogLevel.ALL, include_execution_data=False
            ),
            tracing_enabled=True,
        )

    def _start_on_upload(self, bucket: s3.IBucket) -> None:
        events.Rule(
            self,
            "Uploaded",
            description="An upload, or a request to ingest one again, starts the state machine",
            event_pattern=events.EventPattern(
                source=["aws.s3"],
                detail_type=["Object Created"],
                detail={
                    "bucket": {"name": [bucket.bucket_name]},
                    "object": {"key": [{"prefix": prefix} for prefix in STARTS_INGESTION]},
                    # A copy is carried on by whoever made it: a batch, or a request to ingest.
                    "reason": [{"anything-but": COPIED}],
                },
            ),
            targets=[
                targets.SfnStateMachine(
                    self.state_machine,
                    dead_letter_queue=self.dead_letters,
                    max_event_age=Duration.hours(24),
                    retry_attempts=185,
                )
            ],
        )

    def _record_bad_ends(self, fail: lambda_.IFunction) -> None:
        events.Rule(
            self,
            "EndedBadly",
            description="An execution that could not record its own failure",
            event_pattern=events.EventPattern(
                source=["aws.states"],
                detail_type=["Step Functions Execution Status Change"],
                detail={
                    "stateMachineArn": [self.state_machine.state_machine_arn],
                    "status": list(ENDED_BADLY),
                },
            ),
            targets=[
                targets.LambdaFunction(
                    fail,
                    dead_letter_queue=self.dead_letters,
                    max_event_age=Duration.hours(24),
                    retry_attempts=185,
                )
            ],
        )
        # EventBridge's queue takes what it could not hand over; what `fail` itself could not do
        # twice over has been handed over, and would be gone.
        lambda_.CfnEventInvokeConfig(
            self,
            "FailedToFail",
            function_name=fail.function_name,
            qualifier="$LATEST",
            maximum_retry_attempts=2,
            maximum_event_age_in_seconds=6 * 3600,
            destination_config=lambda_.CfnEventInvokeConfig.DestinationConfigProperty(
                on_failure=lambda_.CfnEventInvokeConfig.OnFailureProperty(
                    destination=self.dead_letters.queue_arn
                )
            ),
        )


def _definition() -> str:
    """Return the state machine without the white space that a template would carry along."""
    return json.dumps(json.loads(DEFINITION.read_text("utf-8")), separators=(",", ":"))
