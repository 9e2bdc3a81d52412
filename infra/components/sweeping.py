"""What starts the sweep: every five minutes over the markers, once a day over everything.

A sweep that always breaks emits nothing, like one that finds nothing: so one that broke three times
over waits in the queue, and alarms.
"""

from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.components.delivery import keep_failures

EVERY: Final = Duration.minutes(5)
_EVENT_AGE: Final = Duration.hours(1)  # the next one comes anyway


class Sweeping(Construct):
    """Two schedules of one function. Rules, not EventBridge Scheduler: they need no role."""

    def __init__(
        self, scope: Construct, id_: str, *, sweep: lambda_.IFunction, dead_letters: sqs.IQueue
    ) -> None:
        super().__init__(scope, id_)
        self._sweep, self._dead_letters = sweep, dead_letters
        self._rule(
            "Markers",
            events.Schedule.rate(EVERY),
            description="Looks at what is under way; asks the database only while something is",
            full=False,
        )
        self._rule(
            "FullPass",
            events.Schedule.cron(hour="3", minute="17"),
            description="Compares the bucket with the rows",
            full=True,
        )
        keep_failures(self, "Failed", sweep, dead_letters)

    def _rule(self, id_: str, schedule: events.Schedule, *, description: str, full: bool) -> None:
        events.Rule(
            self,
            id_,
            description=description,
            schedule=schedule,
            targets=[
                targets.LambdaFunction(
                    self._sweep,
                    event=events.RuleTargetInput.from_object({"full": full}),
                    dead_letter_queue=self._dead_letters,
                    max_event_age=_EVENT_AGE,
                    retry_attempts=3,
                )
            ],
        )
