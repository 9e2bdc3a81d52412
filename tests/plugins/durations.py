"""Where the time of a run went, by file and by test, into build/durations.txt.

Seconds of a processor are what a busy machine does not change. They count what a test process and
the processes below it used: PostgreSQL, the workers of a stage, subprocesses. Linux only.
"""

import os
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest
from _pytest.reports import TestReport
from _pytest.terminal import TerminalReporter

FILE: Final = Path(__file__).parents[2] / "build" / "durations.txt"
_SHOWN: Final = 50
_STARTED: Final = time.monotonic()
_BEFORE: Final = "(start and collection)"
_used: Final = defaultdict[str, float](float)
"""Seconds of a processor, by file."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, Any, Any]:
    """Look after the last test of a file only: to read /proc takes milliseconds."""
    if not _used:
        _used[_BEFORE] = _processor_seconds()
    answer = yield
    if nextitem is None or nextitem.path != item.path:
        file = item.nodeid.partition("::")[0]
        _used[file] += _processor_seconds() - sum(_used.values())
    return answer


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput"):
        vars(session.config)["workeroutput"]["processor_seconds"] = dict(_used)


@pytest.hookimpl(optionalhook=True)  # xdist's
def pytest_testnodedown(node: Any) -> None:
    """Take over what a test process counted; one that crashed says nothing."""
    counted: dict[str, float] = getattr(node, "workeroutput", {}).get("processor_seconds", {})
    for file, seconds in counted.items():
        _used[file] += seconds


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Add up by file too: a fixture that every test of a file waits for shows only there."""
    reports = [
        report
        for listed in terminalreporter.stats.values()
        for report in listed
        if isinstance(report, TestReport)
    ]
    if hasattr(config, "workerinput") or not reports:
        return
    by_file = defaultdict[str, float](float)
    for report in reports:
        by_file[report.nodeid.partition("::")[0]] += report.duration
    slowest = sorted(reports, key=lambda report: -report.duration)[:_SHOWN]
    FILE.parent.mkdir(exist_ok=True)
    took = time.monotonic() - _STARTED
    FILE.write_text(
        "\n".join(
            [
                f"= {len({report.nodeid for report in reports})} tests in {took:.2f}s =",
                f"{sum(by_file.values()):9.1f} s in all tests together",
                f"{sum(_used.values()):9.1f} s of a processor",
                "",
                "By file: seconds of a processor, seconds that passed",
                *(
                    f"{_used[path]:9.1f} s {by_file[path]:9.1f} s  {path}"
                    for path in sorted(_used, key=lambda path: -_used[path])[:_SHOWN]
                ),
                "",
                "By test: seconds that passed",
                *(f"{each.duration:9.1f} s  {each.when:8} {each.nodeid}" for each in slowest),
                "",
            ]
        )
    )


def _processor_seconds() -> float:
    """Return what this process and all below it have used, and those of them that have ended."""
    used: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:  # ended meanwhile
            continue
        process = int(status.parent.name)
        used[process] = sum(map(int, fields[11:15]))  # utime, stime, and those of its children
        children.setdefault(int(fields[1]), []).append(process)
    ticks, below = 0, [os.getpid()]
    while below:
        process = below.pop()
        ticks += used.get(process, 0)
        below += children.get(process, [])
    return ticks / os.sysconf("SC_CLK_TCK")
