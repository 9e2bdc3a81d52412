"""What `make test` leaves to `make test-all`: most cases of long claims, and three claims whole.

The three are 3,000 pages, PostgreSQL crashing under load, and a whole stage killed again and again.
`make test-all` runs what is marked `long`, and so does pytest itself, for whoever names a file.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import pytest

KEPT: Final[Mapping[str, int]] = {
    "tests/e2e/test_killed_workers.py": 3,
    "tests/e2e/test_large_documents.py": 0,  # 3,000 pages
    "tests/hostile/test_hostile_files.py": 6,
    "tests/infra/test_rules.py::test_cfn_lint": 4,
    "tests/integration/faults/test_histories.py": 5,  # 60 of the 300
    "tests/integration/faults/test_models.py": 4,
    "tests/integration/faults/test_points.py": 6,
    "tests/integration/faults/test_restarts.py": 0,
    "tests/integration/faults/test_sabotage.py": 6,
    "tests/integration/local/test_service.py::test_a_stage_": 4,
    "tests/runtime/test_handlers.py": 6,
}
"""Which of the tests below a path are kept in `make test`: every nth, in order; 0 for none."""


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marker
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    seen: Counter[str] = Counter()
    for item in items:
        path = next((path for path in KEPT if item.nodeid.startswith(path)), None)
        if path is not None:
            nth, number = KEPT[path], seen[path]
            seen[path] += 1
            if not nth or number % nth:
                item.add_marker(pytest.mark.long)
