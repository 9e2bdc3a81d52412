"""Named points at which a test can kill, delay or fail the process; nothing happens in production.

Each point is a boundary of a write. Tests and the local worker install an injector; a deployed
function has no way to: there is no setting and no environment variable for it.
"""

from collections.abc import Callable


def _ignore(_point: str) -> None:
    return


_injector: Callable[[str], None] = _ignore


def install(injector: Callable[[str], None] | None) -> None:
    """Call `injector` with the name of every fault point reached from now on; None stops it."""
    global _injector  # noqa: PLW0603 -- one process-wide switch, set by tests only
    _injector = injector or _ignore


def fault_point(point: str) -> None:
    """Mark a boundary of a write, named `<step>.<boundary>`, e.g. `chunk.before_commit`."""
    _injector(point)
