"""`pip install pulsedocs[local]`, from a wheel into an empty environment, is a stage by itself."""

import os
import subprocess
from pathlib import Path

import pytest

from local.models import default_directory
from tests.e2e.wheel import environment_with


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment_with("local", tmp_path_factory.mktemp("wheel"))


class Person:
    """Somebody without a checkout: a home and a folder of their own, and the wheel's command."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self._program = programs / "pulsedocs"
        cache = default_directory().parents[1]  # the models are fetched once a machine
        self._environment = {
            "PATH": os.defpath,
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(cache),
            "PULSEDOCS_PORT": "0",
        }

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [self._program, *words],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def person(programs: Path, tmp_path: Path) -> Person:
    return Person(programs, tmp_path)


def test_a_stage_goes_up_answers_and_goes_down_without_a_checkout(person: Person) -> None:
    (person.folder / "note.txt").write_text("The deposit for the harbour flat is 1,250 euros.")

    up = person.run("up")
    try:
        added = person.run("add", "note.txt")
        asked = person.run("ask", "How much is the deposit for the harbour flat?")
        opened = person.run("open")
    finally:
        down = person.run("down")

    assert up.returncode == 0, up.stdout + up.stderr
    assert "pulsedocs down" in up.stdout
    assert "make" not in up.stdout
    assert added.returncode == 0, added.stderr
    assert "1,250 euros" in asked.stdout, asked.stderr
    assert opened.stdout.strip() in up.stdout
    assert down.stdout == "Stopped.\n"
    assert sorted(path.name for path in person.folder.iterdir()) == ["note.txt"]


def test_the_demo_runs_without_a_checkout(person: Person) -> None:
    shown = person.run("demo")

    assert shown.returncode == 0, shown.stderr
    assert "must warm up for 25 minutes" in shown.stdout
    assert "`pulsedocs up` starts a stage that stays" in shown.stdout


def test_an_estimate_needs_no_checkout_either(person: Person) -> None:
    (person.folder / "note.txt").write_text("The deposit for the harbour flat is 1,250 euros.")

    assert "per 1,000 such pages" in person.run("estimate", "note.txt").stdout
