"""Run a stage until somebody asks it to stop."""

import logging
import os
import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import httpx
from botocore.exceptions import BotoCoreError, ClientError

from local.models import ensure_models
from local.service import Endpoint, Service, StageFailed
from local.stage import BUCKET, Stage
from local.turns import StageStops

_HEALTHY_SECONDS: Final = 600  # a limit for hangs, not for a slow machine
_STOP_SECONDS: Final = 30  # `make down` waits 120
_SWEEP_SECONDS: Final = 300  # as often as the schedule on AWS
_LOOK_SECONDS: Final = 0.5  # how late `make down` is noticed at most
_log = logging.getLogger(__name__)


def run(service: Service, *, port: int) -> None:
    """Start the stage, write its endpoint, wait for SIGTERM or Ctrl-C, and stop everything.

    The process then ends at once: whatever it still waited for is on disk, for the next start.
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(message)s")
    with service.running():
        stop, sweep_now = stop_event(), threading.Event()
        signal.signal(signal.SIGUSR1, lambda _number, _frame: sweep_now.set())
        stage = Stage(service.directory, model_directory=ensure_models(), port=port, durable=True)
        stage.start()
        try:
            _await_health(stage.url, stop)
            if not stop.is_set():
                Endpoint(
                    url=stage.url,
                    token=stage.token(),
                    console=stage.console,
                    tenant_id=stage.tenant_id,
                    database_url=stage.database_url,
                    pid=os.getpid(),
                    bucket=BUCKET,
                    s3_url=stage.aws.endpoint_url,
                    s3_access_key=stage.aws.credentials.access_key,
                    s3_secret_key=stage.aws.credentials.secret_key,
                ).write(service.endpoint_file)
                print(f"ready at {stage.url}", flush=True)  # noqa: T201 -- what a terminal shows
            Sweeper(stage, service, stop=stop, now=sweep_now).start()
            await_stop(stop)
        finally:
            service.endpoint_file.unlink(missing_ok=True)
            # A part that hangs is left to the end of the process.
            stopping = threading.Thread(target=stage.stop, daemon=True)
            stopping.start()
            stopping.join(_STOP_SECONDS)
            if stopping.is_alive():
                _log.warning("the stage did not stop within %s s; its process ends", _STOP_SECONDS)
    logging.shutdown()
    os._exit(0)


class Sweeper(threading.Thread):
    """Sweeps as the schedules on AWS do: at the start, every five minutes, and when asked.

    Each time it renews the endpoint's token, which ends after a week; a stage may stay up longer.
    """

    def __init__(
        self, stage: Stage, service: Service, *, stop: threading.Event, now: threading.Event
    ) -> None:
        super().__init__(name="sweeper", daemon=True)
        self._stage = stage
        self._service = service
        self._stop_event = stop
        self._asked = now

    def run(self) -> None:
        full_at = datetime.now(UTC)  # a laptop sleeps, and its monotonic clock with it
        while not self._stop_event.is_set():
            self._renew_token()
            is_asked, is_full = self._asked.is_set(), datetime.now(UTC) >= full_at
            if is_asked:
                self._asked.clear()
                report = self._report(full=True)
                with _logged("the report of the sweep is not kept"):
                    self._service.keep_sweep_report(report)
            # What waits for its turn is not lost: to ask for it again would lengthen the queue.
            # What has begun has a lease, which says whether it is.
            elif not self._stage.has_queue:
                self._report(full=is_full)
                full_at = datetime.now(UTC) + timedelta(days=1) if is_full else full_at
            end = time.monotonic() + _SWEEP_SECONDS
            while not (
                self._stop_event.is_set() or self._asked.is_set() or time.monotonic() >= end
            ):
                self._asked.wait(_LOOK_SECONDS)

    def _renew_token(self) -> None:
        token = self._stage.token()
        if self._stop_event.is_set():  # the endpoint is being taken away: do not put it back
            return
        with _logged("the endpoint keeps its token"):
            self._service.renew_token(token)

    def _report(self, *, full: bool) -> dict[str, Any]:
        try:
            return self._stage.sweep(full=full)
        except StageStops:
            return {"error": "the stage is stopping"}
        except (BotoCoreError, ClientError, LookupError, OSError, RuntimeError) as error:
            _log.warning("the sweep failed: %s", error)
            return {"error": str(error)}


@contextmanager
def _logged(loss: str) -> Generator[None]:
    """Let a write fail: a disk that is full now may not be at the next pass."""
    try:
        yield
    except OSError as error:
        _log.warning("%s: %s", loss, error)


def stop_event() -> threading.Event:
    event = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: event.set())
    return event


def await_stop(stop: threading.Event) -> None:
    """Return once the event is set, whichever thread the system hands its signal to.

    Python runs handlers in the main thread, and a signal that another thread takes does not end
    its wait.
    """
    while not stop.wait(_LOOK_SECONDS):
        pass


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
