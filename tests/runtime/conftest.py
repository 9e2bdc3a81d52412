"""The layers, built for the machine that runs the tests; made once for all workers of a run."""

import fcntl
import platform
import shutil
import sys
from pathlib import Path
from typing import Final

import pytest

from infra import layers
from infra.layers import Layers
from tests.runtime.interface import Installed

ROOT: Final = Path(__file__).parents[2]
HERE: Final = ROOT / "build" / "here"
PLATFORM: Final = f"{platform.machine().replace('arm64', 'aarch64')}-manylinux_2_28"
INTERFACE: Final = ROOT / "requirements" / "interface.txt"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, runtime_python: str) -> Installed:
    """Return both layers by the code that builds Lambda's, and AWS's runtime client."""
    del runtime_python  # for its skip
    if sys.platform != "linux":
        pytest.skip("AWS publishes its runtime client for Linux")
    HERE.mkdir(parents=True, exist_ok=True)
    with (HERE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return Installed(
            layers=layers.build(Layers.below(HERE), platform=PLATFORM),
            client=_client(HERE / "interface"),
            tasks=tmp_path_factory.mktemp("tasks"),
        )


def _client(target: Path) -> Path:
    note = target.with_suffix(".txt")
    if not note.is_file() or note.read_bytes() != INTERFACE.read_bytes():
        shutil.rmtree(target, ignore_errors=True)
        layers.install(target, INTERFACE, platform=PLATFORM)
        shutil.copy(INTERFACE, note)
    return target
