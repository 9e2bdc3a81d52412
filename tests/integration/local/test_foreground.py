"""A stage in the foreground sweeps beside its work, and stops when it is asked to."""

import errno
import subprocess
import sys
import threading
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, cast
from uuid import UUID

import pytest

from local import foreground
from local.foreground import Sweeper
from local.places import REPOSITORY
from local.service import Endpoint, Service
from local.stage import Stage
from tests.patience import PATIENCE, eventually

_BLOCKED: Final = """
import os, signal, threading, time
from local.foreground import await_stop, stop_event

stop = stop_event()
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
await_stop(stop)
os._exit(0)
"""


def test_a_signal_that_another_thread_takes_stops_the_stage() -> None:
    """The main thread blocks it here: the system has to hand it to another one."""
    stopped = subprocess.run(
        [sys.executable, "-c", _BLOCKED], cwd=REPOSITORY, timeout=PATIENCE, check=False
    )

    assert stopped.returncode == 0


@dataclass
class BusyStage:
    """A stage that is never at rest, and counts its sweeps."""

    has_queue: bool
    is_at_rest: bool = False
    swept: threading.Event = field(default_factory=threading.Event)
    full: list[bool] = field(default_factory=list[bool])

    def sweep(self, *, full: bool) -> dict[str, Any]:
        self.full.append(full)
        self.swept.set()
        return {}

    def token(self) -> str:
        return "renewed"


@pytest.mark.parametrize(("has_queue", "seconds"), [(False, PATIENCE), (True, 1)])
def test_a_sweep_waits_for_what_waits_and_not_for_what_runs(
    tmp_path: Path, *, has_queue: bool, seconds: float
) -> None:
    """S0-28: runs that wait for one that is lost would keep the sweep from it."""
    stage, stop = BusyStage(has_queue), threading.Event()
    sweeper = Sweeper(cast("Stage", stage), Service(tmp_path), stop=stop, now=threading.Event())

    sweeper.start()
    was_swept = stage.swept.wait(seconds)
    stop.set()
    sweeper.join(PATIENCE)

    assert was_swept is not has_queue


def test_the_endpoint_of_a_stage_that_stays_up_has_a_token_that_is_good(tmp_path: Path) -> None:
    """A token lasts a week, and every command reads it there."""
    stage, service, stop = BusyStage(has_queue=False), Service(tmp_path), threading.Event()
    first = Endpoint("http://stage", "of a week ago", UUID(int=0), "postgresql://", pid=1)
    first.write(service.endpoint_file)
    sweeper = Sweeper(cast("Stage", stage), service, stop=stop, now=threading.Event())

    sweeper.start()
    was_swept = stage.swept.wait(PATIENCE)
    stop.set()
    sweeper.join(PATIENCE)

    assert was_swept
    assert Endpoint.read(service.endpoint_file) == replace(first, token="renewed")  # noqa: S106 -- of no stage


def test_a_token_that_cannot_be_written_does_not_end_the_sweeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when: a disk that is full once ends them for good, and the token after a week."""

    def full(_self: Service, _token: str) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(Service, "renew_token", full)
    stage, stop = BusyStage(has_queue=False), threading.Event()
    sweeper = Sweeper(cast("Stage", stage), Service(tmp_path), stop=stop, now=threading.Event())

    sweeper.start()
    was_swept = stage.swept.wait(PATIENCE)
    stop.set()
    sweeper.join(PATIENCE)

    assert was_swept


def test_a_stage_that_stops_gets_no_endpoint_back(tmp_path: Path) -> None:
    """It is asked to stop while its token is made; commands would go to a stage that is gone."""
    stop, service = threading.Event(), Service(tmp_path)
    first = Endpoint("http://stage", "of a week ago", UUID(int=0), "postgresql://", pid=1)
    first.write(service.endpoint_file)

    class StoppedStage(BusyStage):
        def token(self) -> str:
            stop.set()
            return super().token()

    stage = StoppedStage(has_queue=False)
    sweeper = Sweeper(cast("Stage", stage), service, stop=stop, now=threading.Event())

    sweeper.start()
    sweeper.join(PATIENCE)

    assert Endpoint.read(service.endpoint_file) == first


def test_a_day_is_one_of_the_calendar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when: a laptop that sleeps sixteen hours a day is swept in full every third day."""

    class Clock:
        """Half a day later at each look, while hardly a second passes by the other clock."""

        at = datetime(2026, 11, 1, tzinfo=UTC)

        @classmethod
        def now(cls, _zone: object) -> datetime:
            cls.at += timedelta(hours=12)
            return cls.at

    monkeypatch.setattr(foreground, "datetime", Clock, raising=False)
    monkeypatch.setattr(foreground, "_SWEEP_SECONDS", 0)
    stage, stop = BusyStage(has_queue=False), threading.Event()
    sweeper = Sweeper(cast("Stage", stage), Service(tmp_path), stop=stop, now=threading.Event())

    sweeper.start()
    was_swept_again = eventually(lambda: len(stage.full) > 3)
    stop.set()
    sweeper.join(PATIENCE)

    assert was_swept_again
    assert stage.full.count(True) > 1
