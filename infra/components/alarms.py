"""An alarm for each promise of `infra.promises`, and a budget of the stage's month.

The first ten metrics that an account's alarms watch are free; a stage has no more than ten alarms.
Every alarm has its section in docs/guides/operate.md, under its own name.
"""

from dataclasses import dataclass
from typing import Final

from aws_cdk import ArnFormat, Duration, Stack
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_rds as rds
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.config import Options, Stage
from infra.promises import OURS

RUNBOOK: Final = "docs/guides/operate.md"
_FIVE_MINUTES: Final = Duration.minutes(5)
_ABOVE: Final = cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD
_ARN_OF: Final = {
    "cloudwatch": ArnFormat.COLON_RESOURCE_NAME,
    "budgets": ArnFormat.SLASH_RESOURCE_NAME,
}
_AT_LEAST: Final = cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD


@dataclass(frozen=True, slots=True)
class Watched:
    """What the alarms look at."""

    state_machine: sfn.StateMachine
    dead_letters: sqs.IQueue
    api: apigateway.RestApi
    database: rds.DatabaseCluster


class Alarms(Construct):
    """Alarms that send to one topic; a mail address subscribes to it when one is given."""

    def __init__(
        self, scope: Construct, id_: str, *, stage: Stage, watched: Watched, options: Options
    ) -> None:
        super().__init__(scope, id_)
        self._stage = stage
        self.topic = sns.Topic(self, "Topic", enforce_ssl=True)
        self._admit("cloudwatch", resource="alarm", name=f"pulsedocs-{stage.name}-*")
        if options.alert_email:
            self.topic.add_subscription(subscriptions.EmailSubscription(options.alert_email))
        if options.has_budget:
            self._admit("budgets", resource="budget", name="*", region="")
            self._add_budget()
        self._watch_ingestion(watched)
        self._watch_api(watched)
        self._watch_questions()
        self._watch_database(watched.database)

    def _watch_ingestion(self, watched: Watched) -> None:
        self._add_alarm(
            "DeadLetters",
            watched.dead_letters.metric_approximate_number_of_messages_visible(
                period=_FIVE_MINUTES, statistic="Maximum"
            ),
            says="an upload or a failure was never handled",
            threshold=1,
        )
        self._add_alarm(
            "FailedDocuments",
            own_metric(self._stage, "DocumentFailed"),
            says="documents ended FAILED or PARKED: a person has to act",
            threshold=1,
        )
        self._add_alarm(
            "StuckDocuments",
            own_metric(self._stage, "SweepStuck"),
            says="a new run did not help documents that make no progress",
            threshold=1,
        )

    def _watch_questions(self) -> None:
        """Watch the median of 0 and 1: it is 1 once most questions are refused.

        CloudWatch leaves the alarm as it is while an hour has fewer than the 20 questions that a
        median takes: an alarm of its own for a single question would be noise.
        """
        self._add_alarm(
            "RefusedQuestions",
            own_metric(self._stage, "QuestionRefused", period=Duration.hours(1), statistic="p50"),
            says="most questions of an hour were refused: their documents do not answer them",
            threshold=1,
            few_samples="ignore",
        )
        self._add_alarm(
            "SpentBudgets",
            own_metric(self._stage, "BudgetRefused"),
            says="a tenant's budget of the day is spent: documents wait, questions are refused",
            threshold=1,
        )

    def _watch_api(self, watched: Watched) -> None:
        api = watched.api
        failed = cloudwatch.MathExpression(
            expression="IF(requests >= 20 OR errors >= requests, 100 * errors / requests, 0)",
            using_metrics={
                "errors": api.metric_server_error(period=_FIVE_MINUTES, statistic="Sum"),
                "requests": api.metric_count(period=_FIVE_MINUTES, statistic="Sum"),
            },
            label="Requests answered with 5xx, percent",
            period=_FIVE_MINUTES,
        )
        # Where the database pauses, those who ask are few, and each time it wakes up it refuses
        # three in four for a while: who is told to come back in 5 s, where it takes 15.
        if self._stage.auto_pause_minutes is None:
            self._add_alarm(
                "FailedRequests",
                failed,
                says="more than 5 % of requests were answered with 5xx, twice within an hour",
                threshold=5,
                comparison=_ABOVE,
                periods=(2, 12),
            )
        else:
            self._add_alarm(
                "FailedRequests",
                failed,
                says="nine in ten requests of five minutes were answered with 5xx, twice in a day",
                threshold=90,
                comparison=_ABOVE,
                periods=(2, 288),
            )
        self._add_alarm(
            "SlowRequests",
            api.metric_latency(period=_FIVE_MINUTES, statistic="p95"),
            says="one request in twenty took longer than 20 s",
            threshold=20_000,
            periods=3,
        )
        self._add_alarm(
            "ThrottledFunctions",
            cloudwatch.Metric(
                namespace="AWS/Lambda",
                metric_name="Throttles",
                period=_FIVE_MINUTES,
                statistic="Sum",
            ),
            says="the account's Lambda concurrency is used up",
            threshold=10,
            periods=3,
        )

    def _watch_database(self, database: rds.DatabaseCluster) -> None:
        self._add_alarm(
            "FullDatabase",
            database.metric_acu_utilization(period=_FIVE_MINUTES, statistic="Average"),
            says="the database has been at nine tenths of its capacity for a quarter of an hour",
            threshold=90,
            periods=3,
        )
        if self._stage.auto_pause_minutes is not None:
            self._add_alarm(
                "SleeplessDatabase",
                database.metric_serverless_database_capacity(
                    period=Duration.hours(1), statistic="Minimum"
                ),
                says="the database has not paused for a day: about $44 a month at 0.5 ACU",
                threshold=0,
                comparison=_ABOVE,
                periods=24,
            )

    def _add_alarm(
        self,
        name: str,
        metric: cloudwatch.IMetric,
        *,
        says: str,
        threshold: float,
        comparison: cloudwatch.ComparisonOperator = _AT_LEAST,
        periods: int | tuple[int, int] = 1,
        few_samples: str | None = None,
    ) -> None:
        """Ring after `periods` one after another, or after some of the last so many."""
        breaching, last = (None, periods) if isinstance(periods, int) else periods
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=f"pulsedocs-{self._stage.name}-{name}",
            alarm_description=f"{says[0].upper()}{says[1:]}. {RUNBOOK}#{name.lower()}",
            metric=metric,
            threshold=threshold,
            comparison_operator=comparison,
            evaluation_periods=last,
            datapoints_to_alarm=breaching,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
            evaluate_low_sample_count_percentile=few_samples,
        )
        alarm.add_alarm_action(actions.SnsAction(self.topic))

    def _admit(self, service: str, *, resource: str, name: str, region: str | None = None) -> None:
        """Let a service publish what is ours: a topic with a policy admits nobody else."""
        stack = Stack.of(self)
        source = stack.format_arn(
            service=service,
            region=region,
            resource=resource,
            resource_name=name,
            arn_format=_ARN_OF[service],
        )
        self.topic.add_to_resource_policy(
            iam.PolicyStatement(
                actions=["sns:Publish"],
                principals=[iam.ServicePrincipal(f"{service}.amazonaws.com")],
                resources=[self.topic.topic_arn],
                conditions={
                    "StringEquals": {"aws:SourceAccount": stack.account},
                    "ArnLike": {"aws:SourceArn": source},
                },
            )
        )

    def _add_budget(self) -> None:
        """Tell at 80 and 100 % of the month's budget, counting what carries the stage's tag."""
        budget = budgets.CfnBudget(
            self,
            "Budget",
            budget=budgets.CfnBudget.BudgetDataProperty(
                budget_type="COST",
                time_unit="MONTHLY",
                budget_limit=budgets.CfnBudget.SpendProperty(
                    amount=self._stage.budget_usd, unit="USD"
                ),
                cost_filters={"TagKeyValue": [f"user:pulsedocs-stage${self._stage.name}"]},
            ),
            notifications_with_subscribers=[
                budgets.CfnBudget.NotificationWithSubscribersProperty(
                    notification=budgets.CfnBudget.NotificationProperty(
                        comparison_operator="GREATER_THAN",
                        notification_type="ACTUAL",
                        threshold=percent,
                    ),
                    subscribers=[
                        budgets.CfnBudget.SubscriberProperty(
                            subscription_type="SNS", address=self.topic.topic_arn
                        )
                    ],
                )
                for percent in (80, 100)
            ],
        )
        budget.node.add_dependency(self.topic)  # and its policy: AWS tries to publish at once


def own_metric(
    stage: Stage, name: str, *, period: Duration = _FIVE_MINUTES, statistic: str = "Sum"
) -> cloudwatch.Metric:
    """Return a metric that the handlers emit, of one stage."""
    return cloudwatch.Metric(
        namespace=OURS,
        metric_name=name,
        dimensions_map={"stage": stage.name},
        period=period,
        statistic=statistic,
    )
