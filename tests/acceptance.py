"""Print each acceptance point with the tests that claim it and how they ended.

A test claims a point by naming its id in its docstring. `python -m tests.acceptance` runs exactly
those tests; with `--list` it only lists them. Exit status 1 when one of them fails or does not run.
"""

import ast
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeGuard
from xml.etree import ElementTree as ET

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
_ID = re.compile(r"\b((?:S[0-4]|P|T)-)(\d\d)(?:\.\.(\d\d))?")


def points() -> dict[str, str]:
    """Return every point's id and title, in order."""
    text = (ROOT / "tests" / "acceptance_points.txt").read_text(encoding="utf-8")
    return dict(line.split(" ", 1) for line in text.splitlines())


def ids_in(docstring: str) -> Iterator[str]:
    """Yield the ids a docstring names; `S0-26..32` names seven."""
    for prefix, first, last in _ID.findall(docstring):
        for number in range(int(first), int(last or first) + 1):
            yield f"{prefix}{number:02}"


def claims() -> dict[str, list[str]]:
    """Return, per point, the node ids of the tests that claim it."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node_id, docstring in _documented_tests(path):
            for point in ids_in(docstring):
                found[point].append(node_id)
    return found


def _documented_tests(path: Path) -> Iterator[tuple[str, str]]:
    relative = path.relative_to(ROOT)
    nodes = ast.parse(path.read_text(encoding="utf-8")).body
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    for node in filter(_is_test, nodes):
        yield f"{relative}::{node.name}", ast.get_docstring(node) or ""
    for own in classes:
        for member in filter(_is_test, own.body):
            for name in _run_as(own, classes):
                yield f"{relative}::{name}::{member.name}", ast.get_docstring(member) or ""


def _run_as(own: ast.ClassDef, classes: Sequence[ast.ClassDef]) -> list[str]:
    """Return the classes that run the tests of one: itself, or those that a contract is kept by."""
    if own.name.startswith("Test"):
        return [own.name]
    heirs = (one for one in classes if own.name in map(ast.unparse, one.bases))
    kept_by = [name for heir in heirs for name in _run_as(heir, classes)]
    return kept_by or [own.name]  # which does not run, and is said to


def _is_test(node: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test_")


def outcomes(node_ids: list[str]) -> dict[str, str]:
    """Run these tests; return how each ended, the worst of its parameters."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", f"--junitxml={report}"]
        subprocess.run([*command, *node_ids], cwd=ROOT, check=False)
        return _worst_by_test(report)


def _worst_by_test(report: Path) -> dict[str, str]:
    order = ["passed", "skipped", "failed"]
    worst: dict[str, str] = {}
    for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314 -- our own file
        function = (case.get("name") or "").partition("[")[0]
        name = f"{case.get('classname')}.{function}"
        worst[name] = max(worst.get(name, "passed"), _ending(case), key=order.index)
    return worst


def _ending(case: ET.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def _dotted(node_id: str) -> str:
    return node_id.replace(".py::", ".").replace("::", ".").replace("/", ".")


def main() -> int:
    """Print the table; return the exit status."""
    claimed = claims()
    node_ids = sorted({node_id for listed in claimed.values() for node_id in listed})
    ended = {} if "--list" in sys.argv else outcomes(node_ids)
    table = Table("id", "point", "test", "outcome")
    for point, title in points().items():
        for node_id in claimed.get(point, ["none"]):
            table.add_row(point, title, node_id, ended.get(_dotted(node_id), "-"))
            title = ""  # noqa: PLW2901 -- said once per point
    console = Console(width=200)
    console.print(table)
    shown = [point for point in points() if point in claimed]
    missing = [point for point in points() if point not in claimed]
    failed = sum(state == "failed" for state in ended.values())
    not_run = 0 if "--list" in sys.argv else sum(_dotted(one) not in ended for one in node_ids)
    console.print(
        f"{len(shown)} of {len(points())} points have a test; {failed} tests failed,"
        f" {not_run} did not run"
    )
    console.print(f"without a test: {' '.join(missing) or 'none'}")
    return int(failed + not_run > 0)


if __name__ == "__main__":
    sys.exit(main())
