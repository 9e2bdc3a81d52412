"""Rules that lose no event: what cannot be handed over, or done, waits in the queue, and alarms."""

from typing import Any, Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.events import Pattern, new_object
from infra.functions import FunctionSpec

_HAND_OVER_FOR: Final = Duration.hours(24)
_TRIES: Final = 185  # the most that EventBridge makes, and what it makes within a day
_DO_WITHIN_SECONDS: Final = 6 * 3600  # the longest that Lambda keeps an event


def dead_letter_queue(scope: Construct) -> sqs.Queue:
    return sqs.Queue(
        scope,
        "DeadLetters",
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        retention_period=Duration.days(14),
    )


def delivery(dead_letters: sqs.IQueue) -> dict[str, Any]:
    """Return how a rule hands an event to a target, in the words of every target."""
    return {
        "dead_letter_queue": dead_letters,
        "max_event_age": _HAND_OVER_FOR,
        "retry_attempts": _TRIES,
    }


def rule(
    scope: Construct, id_: str, pattern: Pattern, *to: events.IRuleTarget, description: str
) -> events.Rule:
    """Make the rule of a pattern of `infra.events`."""
    return events.Rule(
        scope,
        id_,
        description=description,
        event_pattern=events.EventPattern(
            source=pattern["source"],
            detail_type=pattern["detail-type"],
            detail=pattern["detail"],
        ),
        targets=list(to),
    )


def keep_failures(
    scope: Construct, id_: str, function: lambda_.IFunction, dead_letters: sqs.IQueue
) -> None:
    """Send what a function could not do three times over to the queue.

    EventBridge's own queue takes what it could not hand over; this has been handed over, and
    would be gone.
    """
    lambda_.CfnEventInvokeConfig(
        scope,
        id_,
        function_name=function.function_name,
        qualifier="$LATEST",
        maximum_retry_attempts=2,
        maximum_event_age_in_seconds=_DO_WITHIN_SECONDS,
        destination_config=lambda_.CfnEventInvokeConfig.DestinationConfigProperty(
            on_failure=lambda_.CfnEventInvokeConfig.OnFailureProperty(
                destination=dead_letters.queue_arn
            )
        ),
    )


class OnRequest(Construct):
    """Run a function for every object that appears below its prefix."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        spec: FunctionSpec,
        function: lambda_.IFunction,
        bucket: s3.IBucket,
        dead_letters: sqs.IQueue,
    ) -> None:
        super().__init__(scope, id_)
        assert spec.started_by is not None  # noqa: S101 -- what the caller asked the table for
        rule(
            self,
            "Asked",
            new_object(bucket.bucket_name, spec.started_by),
            targets.LambdaFunction(function, **delivery(dead_letters)),
            description=f"An object below {spec.started_by} starts {spec.name}",
        )
        keep_failures(self, "Failed", function, dead_letters)
