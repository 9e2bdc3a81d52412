"""A stage in the foreground stops when it is asked to."""

import subprocess
import sys
from typing import Final

from local.places import REPOSITORY
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
