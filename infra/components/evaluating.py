"""What starts an evaluation, and where one waits that could not be run."""

from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

STARTS_EVALUATION: Final = "control/evaluate/"


class Evaluating(Construct):
    """Run `evaluate` for every request; one that fails twice over waits in the queue."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        evaluate: lambda_.IFunction,
        bucket: s3.IBucket,
        dead_letters: sqs.IQueue,
    ) -> None:
        super().__init__(scope, id_)
        events.Rule(
            self,
            "Asked",
            description="A request to evaluate a collection starts the evaluation",
            event_pattern=events.EventPattern(
                source=["aws.s3"],
                detail_type=["Object Created"],
                detail={
                    "bucket": {"name": [bucket.bucket_name]},
                    "object": {"key": [{"prefix": STARTS_EVALUATION}]},
                },
            ),
            targets=[
                targets.LambdaFunction(
                    evaluate,
                    dead_letter_queue=dead_letters,
                    max_event_age=Duration.hours(24),
                    retry_attempts=185,
                )
            ],
        )
        lambda_.CfnEventInvokeConfig(
            self,
            "FailedToEvaluate",
            function_name=evaluate.function_name,
            qualifier="$LATEST",
            maximum_retry_attempts=2,
            maximum_event_age_in_seconds=6 * 3600,
            destination_config=lambda_.CfnEventInvokeConfig.DestinationConfigProperty(
                on_failure=lambda_.CfnEventInvokeConfig.OnFailureProperty(
                    destination=dead_letters.queue_arn
                )
            ),
        )
