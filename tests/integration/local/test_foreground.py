"""A stage in the foreground sweeps beside its work, and stops when it is asked to."""

import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import pytest

from local.foreground import Sweeper
from local.places import REPOSITORY
from local.service import Service
from local.stage import Stage
from tests.patience import PATIENCE

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

    def sweep(self, **_which: bool) -> dict[str, Any]:
        self.swept.set()
        return {}


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
