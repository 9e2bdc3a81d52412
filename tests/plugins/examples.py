"""What hypothesis draws: the same examples for everybody, however long a busy machine takes."""

import pytest
from hypothesis import HealthCheck, settings

_QUICK = 40  # of the 100 that `make test-all` draws


def pytest_configure(config: pytest.Config) -> None:
    is_quick = config.getoption("markexpr") == "not long"
    settings.register_profile(
        "pulsedocs",
        deadline=None,  # by default 200 ms an example, which a busy machine exceeds
        derandomize=True,
        max_examples=_QUICK if is_quick else 100,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("pulsedocs")
