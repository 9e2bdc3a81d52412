"""Structured logs and metrics, with ids and never document text, tokens or secrets."""

from functools import cache

from aws_lambda_powertools import Logger, single_metric
from aws_lambda_powertools.metrics import MetricUnit

from pulsedocs import bootstrap


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
        namespace="PulseDocs",
        default_dimensions={"stage": bootstrap.settings().stage},
    ) as metric:
        for dimension, value in dimensions.items():
            metric.add_dimension(dimension, value)
