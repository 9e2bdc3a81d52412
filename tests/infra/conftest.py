"""The synthesised stages, made once for all workers of a run."""

import fcntl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from infra.config import STAGES, Stage
from tests.infra.synthesise import NAMES
from tests.infra.templates import StageTemplates

ROOT = Path(__file__).parents[2]
_LIMIT_SECONDS = 1500


@pytest.fixture(scope="session")
def assemblies(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """Return the folder with one cloud assembly a stage; the second worker waits for the first."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if hasattr(request.config, "workerinput") else base
    folder = shared / "assemblies"
    with (shared / "assemblies.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            _synthesise(shared / "assemblies.new")
            (shared / "assemblies.new").rename(folder)
    return folder


def _synthesise(folder: Path) -> None:
    folder.mkdir()
    result = subprocess.run(
        [sys.executable, "-m", "tests.infra.synthesise", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=_LIMIT_SECONDS,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]


@pytest.fixture(scope="session", params=NAMES)
def templates(assemblies: Path, request: Any) -> StageTemplates:
    return StageTemplates(name=request.param, folder=assemblies / request.param)


@pytest.fixture
def stage(templates: StageTemplates) -> Stage:
    return STAGES[templates.name.removesuffix("-own-issuer")]
