"""Structured logs and metrics, with ids and never document text, tokens or secrets."""

from collections.abc import Collection, Mapping
from functools import cache

from aws_lambda_powertools import Logger, single_metric
from aws_lambda_powertools.metrics import MetricUnit

from pulsedocs import bootstrap

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
        if name not in metrics:
            continue
        with single_metric(
            name=metric_name(event, name),
            unit=MetricUnit.Count,
            value=count,
            namespace=NAMESPACE,
            default_dimensions={"stage": bootstrap.settings().stage},
        ):
            pass


def metric_name(event: str, count: str) -> str:
    """Return a count's name as a metric: `sweep`, `unknown_objects` → `SweepUnknownObjects`."""
    return f"{event}_{count}".title().replace("_", "")
