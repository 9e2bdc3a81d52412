"""One dashboard a stage: what came in, what ended how, how long it took, what it costs.

A dashboard is free with no more than 50 metrics, of which the functions alone would use as many:
what is told by function comes from their logs, which are read when somebody looks.
"""

from collections.abc import Mapping
from typing import Final

from aws_cdk import Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.components.alarms import Watched, own_metric
from infra.config import Stage

_ASKED: Final = ("authorize", "query", "stream", "retrieve")
_SWEPT: Final = ("SweepRequeued", "SweepStuck", "SweepFailed", "SweepOrphans")
_SUMS: Final = (
    "count(*) as calls",
    "count(@initDuration) as cold_starts",
    "avg(@initDuration) as cold_ms",
    "pct(@duration, 95) as p95_ms",
    "max(@maxMemoryUsed / 1000000) as max_mb",
)
_STARTS: Final = (
    'filter @type = "REPORT"',
    f"stats {', '.join(_SUMS)} by @log",
    "sort calls desc",
)
_ENDS: Final = (
    'filter message = "task"',
    "stats count(*) as calls, pct(ms, 95) as p95_ms by function, outcome",
    "sort calls desc",
)


class Dashboard(Construct):
    """Graphs of metrics, and two tables out of the functions' logs."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        stage: Stage,
        watched: Watched,
        functions: Mapping[str, lambda_.IFunction],
    ) -> None:
        super().__init__(scope, id_)
        self._stage = stage
        # An account's dashboards have one name space, whichever region they are made in.
        name = f"pulsedocs-{stage.name}-{Stack.of(self).region}"
        dashboard = cloudwatch.Dashboard(self, "Dashboard", dashboard_name=name)
        dashboard.add_widgets(*self._documents(watched))
        dashboard.add_widgets(*self._requests(watched))
        dashboard.add_widgets(*self._means(watched, functions))
        groups = [f"/aws/lambda/{stage.function_name(name)}" for name in functions]
        dashboard.add_widgets(
            _table("Cold starts", _STARTS, groups), _table("Steps by outcome", _ENDS, groups)
        )

    def _documents(self, watched: Watched) -> list[cloudwatch.IWidget]:
        machine = watched.state_machine
        return [
            _graph(
                "Documents",
                machine.metric_started(),
                machine.metric_succeeded(),
                machine.metric_timed_out(),
                own_metric(self._stage, "DocumentFailed"),
            ),
            _graph("Time per document", machine.metric_time(statistic="p95")),
            _graph("Sweep", *(own_metric(self._stage, name) for name in _SWEPT)),
            _graph(
                "Dead letters", watched.dead_letters.metric_approximate_number_of_messages_visible()
            ),
        ]

    def _requests(self, watched: Watched) -> list[cloudwatch.IWidget]:
        api = watched.api
        return [
            _graph(
                "Requests", api.metric_count(), api.metric_client_error(), api.metric_server_error()
            ),
            _graph(
                "Latency", api.metric_latency(statistic="p50"), api.metric_latency(statistic="p95")
            ),
            _graph(
                "Questions",
                own_metric(self._stage, "QuestionRefused"),
                own_metric(self._stage, "QuestionRefused", statistic="SampleCount"),
                own_metric(self._stage, "AnswerDegraded"),
                own_metric(self._stage, "BudgetRefused"),
            ),
        ]

    def _means(
        self, watched: Watched, functions: Mapping[str, lambda_.IFunction]
    ) -> list[cloudwatch.IWidget]:
        database = watched.database
        asked = [functions[name].metric_duration(statistic="p95") for name in _ASKED]
        return [
            _graph("Duration of what answers", *asked),
            _graph(
                "Database and concurrency",
                database.metric_acu_utilization(),
                database.metric_database_connections(),
                _of_the_account("Throttles"),
            ),
            _graph(
                "Cost drivers",
                database.metric_serverless_database_capacity(),
                _of_the_account("Duration"),
                _of_the_account("Invocations"),
                watched.state_machine.metric_started(),
                watched.api.metric_count(),
            ),
        ]


def _of_the_account(name: str) -> cloudwatch.Metric:
    return cloudwatch.Metric(namespace="AWS/Lambda", metric_name=name, statistic="Sum")


def _graph(title: str, *metrics: cloudwatch.IMetric) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=list(metrics), width=8)


def _table(title: str, query: tuple[str, ...], groups: list[str]) -> cloudwatch.LogQueryWidget:
    return cloudwatch.LogQueryWidget(
        title=title, log_group_names=groups, query_lines=list(query), width=12
    )
