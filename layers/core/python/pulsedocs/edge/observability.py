"""Structured logs and metrics, with ids and never document text, tokens or secrets."""

from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Metrics

from pulsedocs import bootstrap
from pulsedocs.model.documents import Run


@cache
def logger() -> Logger:
    """Return the function's JSON logger; one line each for what a person would ask about."""
    return Logger(service="pulsedocs", level="INFO", utc=True)


@cache
def metrics() -> Metrics:
    """Return the EMF emitter: metrics travel on stdout, so no network route is needed."""
    emitter = Metrics(namespace="PulseDocs", service="pulsedocs")
    emitter.set_default_dimensions(stage=bootstrap.settings().stage)
    return emitter


def run_fields(run: Run) -> dict[str, Any]:
    """Return a run as the keys that every log line about it carries."""
    return {
        "tenant_id": str(run.tenant_id),
        "document_id": str(run.document_id),
        "version": run.version,
        "fence": run.fence,
    }
