"""Print the fault matrix of ingestion: each cell of stage and kind, and the test that covers it.

`python -m tests.faults` prints it; `tests/integration/faults/test_matrix.py` holds it to the tests.
A cell that nothing covers offline says why instead.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

ROOT: Final = Path(__file__).parents[1]
STAGES: Final = ("event_intake", "claim", "extract", "clean", "chunk", "embed", "publish")
_WITH_ROWS: Final = ("claim", "clean", "chunk", "embed", "publish")
_FAULTS: Final = "integration/faults/"
_POINTS: Final = _FAULTS + "test_points.py::test_a_run_broken_at_any_point_converges"
_RIVAL: Final = _FAULTS + "test_points.py::test_a_run_broken_at_any_point_and_overtaken_converges"
_HISTORIES: Final = _FAULTS + "test_histories.py::test_a_history_ends_as_it_must"
_CRASHES: Final = (
    _FAULTS + "test_restarts.py::test_a_database_that_crashes_all_the_time_loses_nothing"
)
_HANGS: Final = _FAULTS + "test_locks.py::test_no_transaction_stays_open_while_the_provider_hangs"
_REVERSE: Final = _FAULTS + "test_locks.py::test_a_rival_that_locks_in_reverse_order_is_survived"
_CLOCKS: Final = _FAULTS + "test_locks.py::test_a_worker_with_a_wrong_clock_cannot_steal_a_lease"
_HOSTILE: Final = "hostile/test_hostile_files.py::test_it_ends_typed_in_time_and_within_memory"
_REPLACED: Final = (
    "e2e/test_deployments.py::"
    "test_documents_in_flight_while_a_new_version_replaces_the_last_end_published"
)
_POISONED: Final = "integration/ingestion/test_poisoned_page.py"
_TAKES_NO_TEXT: Final = "-: the stage reads ids only; a poisoned page ended before it"
_NO_DATABASE: Final = "-: the stage has no database; what it writes is named by fence and content"
_NO_CHILD: Final = "-: memory is the Lambda's; a killed process is K01, which every point covers"
_DELETES: Final = "integration/changes/test_deletions.py::"


def _all(test: str, stages: tuple[str, ...] = STAGES) -> dict[str, str]:
    return dict.fromkeys(stages, test)


MATRIX: Final[dict[str, dict[str, str]]] = {
    "K01 crash before commit": _all(_POINTS),
    "K02 crash after commit before ack": _all(_POINTS),
    "K03 duplicate delivery": _all(_POINTS),
    "K04 out-of-order overwrite": _all(_HISTORIES),
    "K05 concurrent executions": _all(_RIVAL),
    "K06 hung dependency": _all(_HANGS),
    "K07 partial batch failure": _all(_HISTORIES, ("extract", "clean", "chunk", "embed")),
    "K08 poison page or item": {
        "event_intake": "integration/ingestion/test_references.py",
        "extract": _POISONED,
        "clean": _TAKES_NO_TEXT,
        "chunk": _TAKES_NO_TEXT,
        "embed": "contract/test_embedder.py",
    },
    "K09 provider 429": {"embed": "contract/test_embedder.py"},
    "K10 provider 5xx, reset, slow": {"embed": "contract/test_embedder.py"},
    "K11 provider malformed": {"embed": "contract/test_embedder.py"},
    "K12 provider quota exhausted": {
        "embed": "integration/ingestion/test_sweep.py::"
        "test_one_parked_document_tries_the_provider_for_all"
    },
    "K13 connection dropped": {**_all(_POINTS, _WITH_ROWS), "extract": _NO_DATABASE},
    "K14 restart, failover": {**_all(_CRASHES, _WITH_ROWS), "extract": _NO_DATABASE},
    "K15 deadlock": {**_all(_REVERSE, _WITH_ROWS), "extract": _NO_DATABASE},
    "K16 clock skew": _all(_CLOCKS, ("claim", "publish")),
    "K17 lost event or completion": _all(
        "integration/ingestion/test_sweep.py::test_an_execution_lost_at_any_point_is_made_up_for"
    ),
    "K18 delete races": _all(_DELETES + "test_a_delete_at_every_point_of_an_ingestion_wins"),
    "K19 memory, disk": {
        "extract": _HOSTILE,
        **_all(_NO_CHILD, ("clean", "chunk", "embed")),
    },
    "K20 deploy skew": _all(_REPLACED),
}


def cells() -> Iterator[tuple[str, str, str]]:
    """Yield kind, stage, and the test or the reason."""
    for kind, row in MATRIX.items():
        for stage, covered_by in row.items():
            yield kind, stage, covered_by


def is_reason(covered_by: str) -> bool:
    return covered_by.startswith("-: ")


def missing(covered_by: str) -> str | None:
    """Return what is wrong with a cell: no such file, or no such test in it."""
    name, _, test = covered_by.partition("::")
    path = ROOT / "tests" / name
    if not path.is_file():
        return f"there is no {name}"
    if test and f"def {test}(" not in path.read_text(encoding="utf-8"):
        return f"{name} has no {test}"
    return None


def main() -> int:
    """Print the matrix; return 1 when a cell names a test that is not there."""
    table = Table("fault", "stage", "covered by")
    for kind, stage, covered_by in cells():
        table.add_row(kind, stage, covered_by)
    console = Console(width=160)
    console.print(table)
    listed = [covered_by for _, _, covered_by in cells()]
    reasons = sum(map(is_reason, listed))
    console.print(
        f"{len(listed)} cells: {len(listed) - reasons} by a test, {reasons} with a reason"
    )
    return int(any(missing(each) for each in listed if not is_reason(each)))


if __name__ == "__main__":
    sys.exit(main())
