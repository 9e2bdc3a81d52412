"""The first command on a new machine says one line, unless nothing can be installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMPLAINT = "error: invalid peer certificate: UnknownIssuer"


def install(folder: Path, *, uv: int, pip: int) -> "subprocess.CompletedProcess[str]":
    """Run the rule that fills an environment, with programs that end as they are told."""
    binaries = folder / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (folder / "requirements").mkdir()
    (folder / "requirements" / "local.txt").write_text("")
    (folder / "requirements" / "uv.txt").write_text("")
    shutil.copy(ROOT / "Makefile", folder)
    for name, status, said in (("uv", uv, COMPLAINT), ("python", pip, "pip cannot either")):
        program = binaries / name
        program.write_text(f"#!/bin/sh\n[ {status} = 0 ] || echo '{said}' >&2\nexit {status}\n")
        program.chmod(0o755)
    (folder / ".venv" / ".uv").touch()
    # Below another make, as in `make test`, it would say which folder it enters.
    alone = ["env", "-u", "MAKELEVEL", "-u", "MAKEFLAGS"]
    return subprocess.run(
        [*alone, "make", "--old-file=.venv/.uv", ".venv/.synced"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("uv", [0, 2])
def test_a_registry_that_only_pip_trusts_is_no_error_to_read(tmp_path: Path, uv: int) -> None:
    """Fails when: what uv says of its certificates is not held back until pip has tried."""
    installed = install(tmp_path, uv=uv, pip=0)

    assert (installed.returncode, installed.stderr) == (0, "")
    assert installed.stdout == (
        "Installing requirements/local.txt into .venv (about a minute) ...\n"
    )
    assert (tmp_path / ".venv" / ".synced").exists()


def test_where_nothing_can_be_installed_both_say_why(tmp_path: Path) -> None:
    failed = install(tmp_path, uv=2, pip=1)

    assert failed.returncode != 0
    assert COMPLAINT in failed.stderr
    assert "pip cannot either" in failed.stderr
    assert not (tmp_path / ".venv" / ".synced").exists()
