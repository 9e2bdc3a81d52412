"""A test that fails beside others has one more try, alone; what passes only then is named."""

import subprocess
import sys
from pathlib import Path

from tests.once_more import MOST
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
PASSES = "def test_passes(): pass\n"
PASSES_ONLY_ALONE = """
from pathlib import Path

def test_passes_only_alone():
    tried = Path("tried")
    is_second = tried.exists()
    tried.touch()
    assert is_second
"""
FAILS = "def test_fails(): raise AssertionError\n"


def all_of(folder: Path, tests: str) -> "subprocess.CompletedProcess[str]":
    """Run the tests of a file in two processes, as `make test-all` does."""
    (folder / "test_some.py").write_text(tests)
    return subprocess.run(
        [sys.executable, "-m", "tests.once_more", "-n", "2", "-p", "no:anyio"],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_what_passes_only_alone_is_named_and_refuses_nothing(tmp_path: Path) -> None:
    run = all_of(tmp_path, PASSES + PASSES_ONLY_ALONE)

    assert run.returncode == 0, run.stdout
    assert "Once more, alone: 1 tests" in run.stdout
    listed = (tmp_path / "build/flaky.txt").read_text()
    assert listed == "test_some.py::test_passes_only_alone\n"
    assert "Passed only alone" in run.stdout


def test_what_fails_alone_too_has_failed(tmp_path: Path) -> None:
    run = all_of(tmp_path, FAILS + PASSES_ONLY_ALONE)

    assert run.returncode == 1, run.stdout
    listed = (tmp_path / "build/flaky.txt").read_text()
    assert listed == "test_some.py::test_passes_only_alone\n"


def test_many_failures_are_not_tried_again(tmp_path: Path) -> None:
    many = "import pytest\n@pytest.mark.parametrize('n', range({}))\ndef test_fails(n): assert 0\n"

    run = all_of(tmp_path, many.format(MOST + 1))

    assert run.returncode == 1, run.stdout
    assert "Once more" not in run.stdout
    assert not (tmp_path / "build").exists()


def test_a_run_without_failures_is_one_run(tmp_path: Path) -> None:
    run = all_of(tmp_path, PASSES)

    assert run.returncode == 0, run.stdout
    assert "Once more" not in run.stdout
