"""What the operating system lets the child do, and lets others see of the parent."""

import ctypes
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from errno import EPERM

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_OPEN_FILES = 16


def hide_parent() -> None:
    """Close /proc/PID of this process to processes of the same user (Linux only).

    The environment of a Lambda holds its credentials; a child that a file has taken over could
    read them there.
    """
    _prctl(_PR_SET_DUMPABLE, 0)


@contextmanager
def adopt_orphans() -> Generator[None]:
    """Be the parent of processes below this one whose own parent ends meanwhile (Linux only).

    Raises OSError where the system forbids it.
    """
    if _prctl(_PR_SET_CHILD_SUBREAPER, 1):
        raise PermissionError(EPERM, "this process may not adopt others")
    try:
        yield
    finally:
        _prctl(_PR_SET_CHILD_SUBREAPER, 0)


def die_with(parent: int) -> None:
    """Have this process killed when its parent ends; end where that is another already."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _prctl(option: int, value: int) -> int:
    """Return 0 where it was done, and where there is no such call."""
    return ctypes.CDLL(None).prctl(option, value, 0, 0, 0) if sys.platform == "linux" else 0


def confine(*, memory_bytes: int) -> None:
    """Give up, for good, what reading a file does not need."""
    _limit("RLIMIT_FSIZE", 0)
    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_NOFILE", _OPEN_FILES)
    _limit("RLIMIT_NPROC", 0)  # no effect on root
    _limit("RLIMIT_AS", memory_bytes)  # macOS knows the name but does not keep it


def allow_cpu(seconds: float, *, total_seconds: float) -> None:
    """Have SIGXCPU end this process after `seconds` more, never beyond `total_seconds` in all.

    The kernel counts whole seconds, so a budget is exceeded by up to one.
    """
    soft = math.ceil(min(time.process_time() + seconds, total_seconds))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _limit(name: str, value: int) -> None:
    """Lower a limit where the system knows it; some refuse, and then the others must do."""
    kind = getattr(resource, name, None)
    if kind is None:
        return
    try:
        _, hard = resource.getrlimit(kind)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (most, most))
    except (OSError, ValueError):
        return
