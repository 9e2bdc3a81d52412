"""How long a test waits for what must come: a limit for hangs, and no measure of speed.

A machine at a load of eight takes ten times as long as an idle one.
"""

import time
from collections.abc import Callable
from typing import Any, Final

import pytest

PATIENCE: Final = 240.0
"""Seconds. Below the limit that ends a test, so that the test itself says what did not come."""

HELD_UP: Final = 15.0
"""What a busy machine may add to a limit that a test holds somebody to. Shorter than the time-outs
of the providers' clients, 18 and 20 s: whoever ignores the limit is still found out."""


def until(ask: Callable[[], Any], is_so: Callable[[Any], bool]) -> Any:
    """Ask until the answer is as expected, and return it."""
    found, deadline = None, time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = ask()
        if is_so(found):
            return found
        time.sleep(0.2)
    pytest.fail(f"it never came to be as expected: {found}")


def eventually(is_so: Callable[[], object]) -> bool:
    """Say whether something comes to be so."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
