"""Where the time of a run went: the slowest fifty, into build/durations.txt."""

import time
from pathlib import Path
from typing import Final

import pytest
from _pytest.reports import TestReport
from _pytest.terminal import TerminalReporter

FILE: Final = Path(__file__).parents[2] / "build" / "durations.txt"
_SHOWN: Final = 50
_STARTED: Final = time.monotonic()


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
    by_file: dict[str, float] = {}
    for report in reports:
        path = report.nodeid.partition("::")[0]
        by_file[path] = by_file.get(path, 0) + report.duration
    slowest = sorted(reports, key=lambda report: -report.duration)[:_SHOWN]
    files = sorted(by_file.items(), key=lambda item: -item[1])[:_SHOWN]
    FILE.parent.mkdir(exist_ok=True)
    took = time.monotonic() - _STARTED
    FILE.write_text(
        "\n".join(
            [
                f"= {len({report.nodeid for report in reports})} tests in {took:.2f}s =",
                f"{sum(by_file.values()):9.1f} s in all tests together",
                "",
                *(f"{seconds:9.1f} s  {path}" for path, seconds in files),
                "",
                *(f"{each.duration:9.1f} s  {each.when:8} {each.nodeid}" for each in slowest),
                "",
            ]
        )
    )
