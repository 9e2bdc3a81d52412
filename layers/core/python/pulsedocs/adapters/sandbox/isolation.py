"""What the operating system lets the child do, and lets others see of the parent."""

import ctypes
import math
import resource
import sys
import time

_PR_SET_DUMPABLE = 4
_OPEN_FILES = 16


def hide_parent() -> None:
    """Close /proc/PID of this process to processes of the same user (Linux only).

    The environment of a Lambda holds its credentials; a child that a file has taken over could
    read them there.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


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
