"""What starts a purge, and where one waits that could not be done."""

from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

STARTS_PURGE: Final = "control/purge/"


class Purging(Construct):
    """Run `purge` for every request; one that fails twice over waits in the queue, and alarms."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        purge: lambda_.IFunction,
        bucket: s3.IBucket,
        dead_letters: sqs.IQueue,
    ) -> None:
        super().__init__(scope, id_)
        events.Rule(
            self,
            "Deleted",
            description="A request to purge what was deleted starts the purge",
            event_pattern=events.EventPattern(
                source=["aws.s3"],
                detail_type=["Object Created"],
                detail={
                    "bucket": {"name": [bucket.bucket_name]},
                    "object": {"key": [{"prefix": STARTS_PURGE}]},
                },
            ),
            targets=[
                targets.LambdaFunction(
                    purge,
                    dead_letter_queue=dead_letters,
                    max_event_age=Duration.hours(24),
                    retry_attempts=185,
                )
            ],
        )
        lambda_.CfnEventInvokeConfig(
            self,
            "FailedToPurge",
            function_name=purge.function_name,
            qualifier="$LATEST",
            maximum_retry_attempts=2,
            maximum_event_age_in_seconds=6 * 3600,
            destination_config=lambda_.CfnEventInvokeConfig.DestinationConfigProperty(
                on_failure=lambda_.CfnEventInvokeConfig.OnFailureProperty(
                    destination=dead_letters.queue_arn
                )
            ),
        )
