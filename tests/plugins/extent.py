"""What `make test` leaves to `make test-all`: most cases of long claims, and a few claims whole.

Whole are 3,000 pages, PostgreSQL crashing under load, workers of a whole stage killed again and
again (the samples of `tests/integration/faults` stay), the figures of retrieval, and a stage that
does everything while what it asks of AWS is held against what it is granted.
`make test-all` runs what is marked `long`, and so does pytest itself, for whoever names a file.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import pytest

KEPT: Final[Mapping[str, int]] = {
    "tests/architecture/test_once_more.py": 2,
    "tests/e2e/test_batches.py::test_workers_killed_in_the_middle": 0,
    "tests/e2e/test_client.py::test_a_document_that_takes_long": 0,  # it waits for 20 s
    "tests/e2e/test_killed_workers.py": 0,
    "tests/e2e/test_large_documents.py": 0,  # 3,000 pages
    "tests/e2e/test_local_program.py::test_a_program": 0,  # a stage of its own
    "tests/e2e/test_models.py::test_the_two_local_models_replace": 0,
    "tests/e2e/test_restored.py": 0,  # a stage of its own
    "tests/e2e/test_wheel.py": 0,  # an environment of its own, from a registry
    "tests/e2e/test_wheel_stage.py": 0,  # the same, and two stages
    "tests/hostile/test_hostile_files.py": 6,
    "tests/infra/test_recorded_calls.py": 0,  # a minute of a processor before the first test
    "tests/integration/changes/test_deletions.py::test_a_delete_at_every_point": 0,  # 46 s
    "tests/integration/evaluation/test_baseline.py": 0,
    "tests/integration/evaluation/test_extraction.py": 0,
    "tests/integration/faults/test_histories.py": 10,  # 30 of the 300
    "tests/integration/faults/test_models.py": 4,
    "tests/integration/faults/test_points.py": 6,
    "tests/integration/faults/test_restarts.py": 0,
    "tests/integration/faults/test_sabotage.py": 6,
    "tests/integration/local/test_service.py::test_a_stage_": 4,
    "tests/integration/local/test_service.py::test_a_taken_port": 0,  # a stage of its own
    "tests/integration/local/test_service.py::test_two_people": 0,  # two
    "tests/integration/retrieval/test_crowd.py::test_a_thousand_other_tenants_cost": 12,
    "tests/runtime/test_handlers.py::test_an_upload_is_answered_from": 0,
    "tests/runtime/test_handlers.py": 12,
    "tests/runtime/test_layers.py::test_two_builds": 0,  # two environments, from a registry
}
"""Which of the tests below a path are kept in `make test`: every nth, in order; 0 for none."""


CASES: Final[Mapping[str, int]] = {
    "tests/e2e/": 12,
    "tests/contract/": 6,
    "tests/functions/": 6,
    # Most cases are one function in one of four stages: every third has each function once at
    # least, unless three divides the number of functions (26).
    "tests/infra/": 3,
    "tests/integration/": 6,
    "tests/unit/": 4,
}
"""Of each test below a path, every nth of its cases is kept, and the first: no claim goes.

The first path that fits counts.
"""


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marker
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    seen: Counter[str] = Counter()
    for item in items:
        nth, group = _share(item.nodeid)
        if not nth or seen[group] % nth:
            item.add_marker(pytest.mark.long)
        seen[group] += 1


def _share(node_id: str) -> tuple[int, str]:
    """Return of how many tests one is kept, 0 for none, and among which they are counted."""
    for path, nth in KEPT.items():
        if node_id.startswith(path):
            return nth, path
    for path, nth in CASES.items():
        if node_id.startswith(path):
            return nth, node_id.partition("[")[0]
    return 1, node_id
