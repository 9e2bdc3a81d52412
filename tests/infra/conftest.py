"""The synthesised stages, made once: one process runs what reads them (`tests.plugins.stage`)."""

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
def assemblies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with one cloud assembly a stage."""
    folder = tmp_path_factory.mktemp("assemblies")
    result = subprocess.run(
        [sys.executable, "-m", "tests.infra.synthesise", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=_LIMIT_SECONDS,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
    return folder


@pytest.fixture(scope="session", params=NAMES)
def templates(assemblies: Path, request: Any) -> StageTemplates:
    return StageTemplates(name=request.param, folder=assemblies / request.param)


@pytest.fixture
def stage(templates: StageTemplates) -> Stage:
    return STAGES[templates.name.removesuffix("-own-issuer")]
