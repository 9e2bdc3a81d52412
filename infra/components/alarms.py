"""An alarm for each promise, and one dashboard.

The first ten metrics that an account's alarms watch are free, so a stage watches no more. Every
alarm has its section in docs/guides/operate.md, under its own name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_rds as rds
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.config import Stage

RUNBOOK: Final = "docs/guides/operate.md"
_FIVE_MINUTES: Final = Duration.minutes(5)
_MILLISECONDS_PER_HOUR: Final = 3_600_000
_ABOVE: Final = cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD
_AT_LEAST: Final = cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD


@dataclass(frozen=True, slots=True)
class Watched:
    """What the alarms look at."""

    state_machine: sfn.StateMachine
    dead_letters: sqs.IQueue
    api: apigateway.RestApi
    database: rds.DatabaseCluster
    functions: Sequence[lambda_.IFunction]


class Alarms(Construct):
    """Alarms that send to one topic; a mail address subscribes to it when one is given."""

    def __init__(
        self, scope: Construct, id_: str, *, stage: Stage, watched: Watched, email: str
    ) -> None:
        super().__init__(scope, id_)
        self._stage = stage
        self.topic = sns.Topic(self, "Topic", enforce_ssl=True)
        if email:
            self.topic.add_subscription(subscriptions.EmailSubscription(email))
            self._budget(email)
        self._watch_ingestion(watched)
        self._watch_api(watched)
        self._watch_database(watched.database)

    def _watch_ingestion(self, watched: Watched) -> None:
        self._alarm(
            "DeadLetters",
            watched.dead_letters.metric_approximate_number_of_messages_visible(
                period=_FIVE_MINUTES, statistic="Maximum"
            ),
            says="an upload or a failure was never handled",
            threshold=1,
        )
        machine = watched.state_machine
        self._alarm(
            "FailedExecutions",
            machine.metric_failed(period=_FIVE_MINUTES, statistic="Sum"),
            says="documents ended FAILED or PARKED: a person has to act",
            threshold=1,
        )
        self._alarm(
            "StuckDocuments",
            cloudwatch.Metric(
                namespace="PulseDocs",
                metric_name="SweepStuck",
                dimensions_map={"stage": self._stage.name},
                period=_FIVE_MINUTES,
                statistic="Sum",
            ),
            says="a new run did not help documents that make no progress",
            threshold=1,
        )
        self._alarm(
            "SlowExecutions",
            machine.metric_time(period=_FIVE_MINUTES, statistic="Maximum"),
            says="a document took longer than an hour",
            threshold=_MILLISECONDS_PER_HOUR,
        )

    def _watch_api(self, watched: Watched) -> None:
        api = watched.api
        self._alarm(
            "FailedRequests",
            cloudwatch.MathExpression(
                expression="IF(requests >= 20, 100 * errors / requests, 0)",
                using_metrics={
                    "errors": api.metric_server_error(period=_FIVE_MINUTES, statistic="Sum"),
                    "requests": api.metric_count(period=_FIVE_MINUTES, statistic="Sum"),
                },
                label="Requests answered with 5xx, percent",
                period=_FIVE_MINUTES,
            ),
            says="more than 5 % of at least 20 requests were answered with 5xx",
            threshold=5,
            comparison=_ABOVE,
            periods=2,
        )
        self._alarm(
            "SlowRequests",
            api.metric_latency(period=_FIVE_MINUTES, statistic="p95"),
            says="one request in twenty took longer than 20 s",
            threshold=20_000,
            periods=3,
        )
        self._alarm(
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
        self._alarm(
            "FullDatabase",
            database.metric_acu_utilization(period=_FIVE_MINUTES, statistic="Average"),
            says="the database has been at nine tenths of its capacity for a quarter of an hour",
            threshold=90,
            periods=3,
        )
        if self._stage.auto_pause_minutes is not None:
            self._alarm(
                "SleeplessDatabase",
                database.metric_serverless_database_capacity(
                    period=Duration.hours(1), statistic="Minimum"
                ),
                says="the database has not paused for a day: about $44 a month at 0.5 ACU",
                threshold=0,
                comparison=_ABOVE,
                periods=24,
            )

    def _alarm(
        self,
        name: str,
        metric: cloudwatch.IMetric,
        *,
        says: str,
        threshold: float,
        comparison: cloudwatch.ComparisonOperator = _AT_LEAST,
        periods: int = 1,
    ) -> None:
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=f"pulsedocs-{self._stage.name}-{name}",
            alarm_description=f"{says[0].upper()}{says[1:]}. {RUNBOOK}#{name.lower()}",
            metric=metric,
            threshold=threshold,
            comparison_operator=comparison,
            evaluation_periods=periods,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        alarm.add_alarm_action(actions.SnsAction(self.topic))

    def _budget(self, email: str) -> None:
        """Mail at 80 and 100 % of the month's budget, counting what carries the stage's tag."""
        budgets.CfnBudget(
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
                            subscription_type="EMAIL", address=email
                        )
                    ],
                )
                for percent in (80, 100)
            ],
        )


class Dashboard(Construct):
    """Six graphs: what came in, what ended how, how long it took, what it used."""

    def __init__(self, scope: Construct, id_: str, *, stage: Stage, watched: Watched) -> None:
        super().__init__(scope, id_)
        machine, api, database = watched.state_machine, watched.api, watched.database
        dashboard = cloudwatch.Dashboard(
            self, "Dashboard", dashboard_name=f"pulsedocs-{stage.name}"
        )
        dashboard.add_widgets(
            _graph(
                "Documents",
                machine.metric_started(),
                machine.metric_succeeded(),
                machine.metric_failed(),
                machine.metric_timed_out(),
            ),
            _graph("Time per document", machine.metric_time(statistic="p95")),
            _graph(
                "Dead letters", watched.dead_letters.metric_approximate_number_of_messages_visible()
            ),
        )
        dashboard.add_widgets(
            _graph(
                "Requests", api.metric_count(), api.metric_client_error(), api.metric_server_error()
            ),
            _graph(
                "Latency", api.metric_latency(statistic="p50"), api.metric_latency(statistic="p95")
            ),
            _graph("Database capacity", database.metric_serverless_database_capacity()),
        )
        dashboard.add_widgets(
            _graph("Duration", *(function.metric_duration() for function in watched.functions)),
            _graph("Errors", *(function.metric_errors() for function in watched.functions)),
            _graph("Connections", database.metric_database_connections()),
        )


def _graph(title: str, *metrics: cloudwatch.IMetric) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=list(metrics), width=8)
