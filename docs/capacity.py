"""What a stage holds and answers, computed from the runs of `benchmarks/capacity.py`."""

import json
from pathlib import Path
from typing import Any, Final

from docs.tables import table
from infra.cost import HOURS
from infra.prices import US_EAST_1

RUNS: Final = Path(__file__).parents[1] / "benchmarks" / "results"
ACUS: Final = (0.5, 4, 32, 128)
_MEMORY_OF_AN_ACU: Final = 2 * 2**30
_SHARE_OF_BUFFERS: Final = 0.75  # of Aurora's memory
_CPUS_OF_AN_ACU: Final = 0.25  # as instances have: 8 GiB for each
_MERGING: Final = "merging_cpu_ms_a_chunk"
_LEAST: Final = 100  # bytes for a chunk, of a table that is shown
_MILLIONS: Final = 10
_WIDE_ENTRY: Final = 8192 // 2  # two vectors of 1,536 half floats fill a block of HNSW
_KINDS: Final = {"mid": "rare words", "common": "one common word", "several_common": "five common"}


def measured() -> str:
    """Return one column per run: sizes and CPU, by chunk or by act."""
    runs = _runs()
    rows = [
        _row("MB of buffers", [f"{run['megabytes_of_buffers']:,}" for run in runs]),
        _row("bytes of text in a chunk", [_each(run, run["bytes_of_text"]) for run in runs]),
        *(
            _row(f"bytes in `{name}`", [_each(run, run["bytes"][name]) for run in runs])
            for name, size in runs[0]["bytes"].items()
            if size >= _LEAST * runs[0]["chunks"]
        ),
        _row("of these, of HNSW", [_each(run, run["bytes_of_vector_index"]) for run in runs]),
        _row(
            "CPU ms to store a chunk: server / client",
            [_pair(run["load_of_a_chunk"], "_cpu_ms", 2) for run in runs],
        ),
        _row(
            "blocks to store a chunk", [f"{run['load_of_a_chunk']['blocks']:.0f}" for run in runs]
        ),
        _row("CPU ms to merge a chunk's postings", [_merging(run) for run in runs]),
        _row(
            "CPU s to build the index; blocks of each chunk",
            [
                f"{run['index_build']['server_cpu_s']:.0f}; "
                f"{_each(run, run['index_build']['blocks'])}"
                for run in runs
            ],
        ),
        *(
            _row(
                f"CPU ms of a question, {said}; blocks",
                [_cost(run["question"][kind]) for run in runs],
            )
            for kind, said in _KINDS.items()
        ),
        _row(
            "CPU s to change one chunk of 100: server / client",
            [_pair(run["update_of_a_document"], "_cpu_s", 2) for run in runs],
        ),
        _row(
            "CPU s to delete a document, with its proof",
            [_pair(run["deletion_of_a_document"], "_cpu_s", 1) for run in runs],
        ),
        _row(
            "CPU s to delete ten at once, with their proof",
            [_pair(run["deletion_of_10_documents"], "_cpu_s", 1) for run in runs],
        ),
    ]
    head = "".join(f" {run['chunks']:,} chunks |" for run in runs)
    return table(f"| |{head}", rows)


def by_acu() -> str:
    """Return one row per capacity: what fits its buffers, what it answers, what it costs."""
    run = _merged()
    words = run["bytes"]["posting"] / run["chunks"]
    narrow = words + run["bytes_of_vector_index"] / run["chunks"]
    rows: list[str] = []
    for acu in ACUS:
        buffers = acu * _MEMORY_OF_AN_ACU * _SHARE_OF_BUFFERS
        answers = (
            f"{acu * _CPUS_OF_AN_ACU * 1000 / run['question'][kind]['server_cpu_ms']:.1f}"
            for kind in _KINDS
        )
        chunks = buffers / narrow
        stored = chunks * sum(run["bytes"].values()) / run["chunks"]
        rows.append(
            _row(
                f"{acu}",
                [
                    f"{chunks / 1e6:.2f}",
                    f"{buffers / (words + _WIDE_ENTRY) / 1e6:.2f}",
                    " / ".join(answers),
                    f"{acu * HOURS * US_EAST_1.acu_hour:,.0f}",
                    f"{stored / 1e9 * US_EAST_1.gb_month:,.1f}",
                ],
            )
        )
    head = (
        "| ACU | million chunks, 384 dimensions | 1,536 dimensions |"
        f" questions a second to {run['chunks']:,} chunks | USD a month | storage, USD |"
    )
    return table(head, rows)


def elsewhere() -> str:
    """Return what ten million chunks need with and without their vectors in the database."""
    run = _merged()
    words = run["bytes"]["posting"] / run["chunks"]
    narrow = run["bytes_of_vector_index"] / run["chunks"]
    rows = [
        _row(name, [f"{acu:.0f}", f"{acu * HOURS * US_EAST_1.acu_hour:,.0f}"])
        for name, acu in (
            (name, _MILLIONS * 1e6 * size / (_MEMORY_OF_AN_ACU * _SHARE_OF_BUFFERS))
            for name, size in (
                ("in the database, 384 dimensions", words + narrow),
                ("in the database, 1,536 dimensions", words + _WIDE_ENTRY),
                ("in another store", words),
            )
        )
    ]
    return table(f"| vectors of {_MILLIONS} million chunks | ACU | USD a month |", rows)


def _merged() -> dict[str, Any]:
    """Return the largest run whose documents share postings: the others are of code before."""
    return [run for run in _runs() if _MERGING in run][-1]


def _runs() -> list[dict[str, Any]]:
    runs = [json.loads(path.read_text("utf-8")) for path in RUNS.glob("capacity-*.json")]
    return sorted(runs, key=lambda run: run["chunks"])


def _each(run: dict[str, Any], size: int) -> str:
    return f"{size / run['chunks']:,.0f}"


def _cost(question: dict[str, float]) -> str:
    return f"{question['server_cpu_ms']:.0f}; {question['blocks']:,.0f}"


def _merging(run: dict[str, Any]) -> str:
    return f"{run[_MERGING]:.2f}" if _MERGING in run else "not merged"


def _pair(spent: dict[str, float], unit: str, digits: int) -> str:
    return f"{spent[f'server{unit}']:.{digits}f} / {spent[f'client{unit}']:.{digits}f}"


def _row(name: str, values: list[str]) -> str:
    return f"| {name} | {' | '.join(values)} |"
