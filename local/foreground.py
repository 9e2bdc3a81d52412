"""Run a stage until somebody asks it to stop."""

import logging
import os
import signal
import threading
import time
from typing import Final

import httpx

from local.models import ensure_models
from local.service import Endpoint, Service, StageFailed
from local.stage import BUCKET, Stage

_HEALTHY_SECONDS: Final = 60


def run(service: Service, *, port: int) -> None:
    """Start the stage, write its endpoint, wait for SIGTERM or Ctrl-C, and stop everything."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(message)s")
    with service.running():
        stop = _stop_event()
        stage = Stage(service.directory, model_directory=ensure_models(), port=port, durable=True)
        with stage:
            signal.signal(signal.SIGUSR1, lambda _number, _frame: _sweep(stage, service))
            _await_health(stage.url, stop)
            if not stop.is_set():
                _endpoint(stage).write(service.endpoint_file)
                print(f"ready at {stage.url}", flush=True)  # noqa: T201 -- what a terminal shows
            stop.wait()
            service.endpoint_file.unlink(missing_ok=True)


def _sweep(stage: Stage, service: Service) -> None:
    """Run a full pass of the sweep, and leave its report where `python -m local sweep` waits."""
    try:
        report = stage.sweep(full=True)
    except (LookupError, OSError, RuntimeError) as error:
        report = {"error": str(error)}
    service.keep_sweep_report(report)


def _stop_event() -> threading.Event:
    event = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: event.set())
    return event


def _await_health(url: str, stop: threading.Event) -> None:
    """Wait until the API answers; its function loads its libraries first."""
    deadline = time.monotonic() + _HEALTHY_SECONDS
    while not stop.is_set():
        response = httpx.get(f"{url}/health", timeout=_HEALTHY_SECONDS, trust_env=False)
        if response.is_success:
            return
        if time.monotonic() > deadline:
            raise StageFailed(f"GET /health answers {response.status_code}: {response.text}")
        stop.wait(0.5)


def _endpoint(stage: Stage) -> Endpoint:
    return Endpoint(
        url=stage.url,
        token=stage.token(),
        tenant_id=stage.tenant_id,
        database_url=stage.database_url,
        pid=os.getpid(),
        bucket=BUCKET,
        s3_url=stage.aws.endpoint_url,
    )
