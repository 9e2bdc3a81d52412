"""What hypothesis draws: the same examples for everybody, however long a busy machine takes."""

from typing import Final

import pytest
from hypothesis import HealthCheck, settings

_SHARE: Final = 4
"""`make test` draws a quarter of the examples that `make test-all` does."""
_chosen = {"is_quick": False}


def examples(number: int) -> int:
    """Return how many examples to draw where `make test-all` draws `number`."""
    return number // _SHARE if _chosen["is_quick"] else number


def pytest_configure(config: pytest.Config) -> None:
    _chosen["is_quick"] = config.getoption("markexpr") == "not long"
    settings.register_profile(
        "pulsedocs",
        deadline=None,  # by default 200 ms an example, which a busy machine exceeds
        derandomize=True,
        max_examples=examples(100),
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("pulsedocs")
