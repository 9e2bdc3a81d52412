"""An empty environment with the built wheel and what one of its extras asks for."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]


def environment_with(extra: str, folder: Path) -> Path:
    """Return its folder of programs; skip the test where no registry is in reach."""
    build = ["-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run([sys.executable, *build], cwd=ROOT, check=True, capture_output=True)
    [wheel] = folder.glob("pulsedocs-*.whl")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "empty")], check=True)
    programs = folder / "empty" / "bin"
    installed = subprocess.run(
        [programs / "python", "-m", "pip", "install", "--quiet", f"{wheel}[{extra}]"],
        check=False,
        capture_output=True,
        text=True,
    )
    if "No matching distribution found" in installed.stderr:
        pytest.skip("no registry is in reach")
    assert installed.returncode == 0, installed.stderr
    return programs
