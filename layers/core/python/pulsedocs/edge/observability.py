"""Structured logs and metrics, with ids and never document text, tokens or secrets."""

from collections.abc import Collection, Mapping
from functools import cache

from aws_lambda_powertools import Logger, single_metric
from aws_lambda_powertools.metrics import MetricUnit

from pulsedocs import bootstrap
from pulsedocs.edge.identifiers import note
from pulsedocs.errors import BudgetExceeded

NAMESPACE = "PulseDocs"


@cache
def logger() -> Logger:
    """Return the function's JSON logger; one line each for what a person would ask about."""
    return Logger(service="pulsedocs", level="INFO", utc=True)


def record_duration(name: str, milliseconds: float, **dimensions: str) -> None:
    """Emit one metric in EMF: it travels on stdout, so no network route is needed."""
    with single_metric(
        name=name,
        unit=MetricUnit.Milliseconds,
        value=milliseconds,
        namespace=NAMESPACE,
        default_dimensions={"stage": bootstrap.settings().stage},
    ) as metric:
        for dimension, value in dimensions.items():
            metric.add_dimension(dimension, value)


def record_counts(event: str, counts: Mapping[str, int], *, metrics: Collection[str]) -> None:
    """Log counts above zero; of these emit `metrics`: an idle stage sends none, and pays none."""
    counted = {name: count for name, count in counts.items() if count}
    logger().info(event, counts=counted)
    for name, count in counted.items():
        if name in metrics:
            record_count(metric_name(event, name), count)


def record_count(name: str, count: int) -> None:
    """Emit how often something happened, or 0 where a share of what might have is asked for."""
    with single_metric(
        name=name,
        unit=MetricUnit.Count,
        value=count,
        namespace=NAMESPACE,
        default_dimensions={"stage": bootstrap.settings().stage},
    ):
        pass


def record_answer(trace_id: str, *, refused_for: str | None, degraded: Collection[str]) -> None:
    """Count whether a question was refused, and whether something failed on the way.

    Every answer counts, as 0 or 1: the share of refusals is this metric's mean, and whether most
    are is its median.
    """
    note(trace_id=trace_id)
    logger().info("answer", trace_id=trace_id, refused_for=refused_for, degraded=list(degraded))
    record_count("QuestionRefused", int(refused_for is not None))
    if degraded:
        record_count("AnswerDegraded", 1)


def count_refusal(error: BaseException) -> None:
    """Emit `BudgetRefused` where a tenant's day had no room: a document waits, or a question."""
    if isinstance(error, BudgetExceeded):
        record_counts("budget", {"refused": 1}, metrics=("refused",))


def short_name(function_name: str) -> str:
    """Return a function's name as the table has it: AWS's begins with the stage's."""
    return function_name.removeprefix(f"pulsedocs-{bootstrap.settings().stage}-")


def metric_name(event: str, count: str) -> str:
    """Return a count's name as a metric: `sweep`, `unknown_objects` → `SweepUnknownObjects`."""
    return f"{event}_{count}".title().replace("_", "")
