"""The files of the local models: where they lie, and which bytes they must be."""

import hashlib
from pathlib import Path
from typing import Final

from pulsedocs.errors import ConfigurationError

SHA256: Final = {
    "bge-small-en-v1.5/model.onnx": (
        "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743"
    ),
    "bge-small-en-v1.5/tokenizer.json": (
        "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"
    ),
    "ms-marco-MiniLM-L12-v2/model.onnx": (
        "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"
    ),
    "ms-marco-MiniLM-L12-v2/tokenizer.json": (
        "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448"
    ),
    "answerai-colbert-small-v1/model.onnx": (
        "4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0"
    ),
    "answerai-colbert-small-v1/tokenizer.json": (
        "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448"
    ),
    "tiktoken/9b5ad71b2ce5302211f9c61530b329a4922fc6a4": (
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
    ),
    "tiktoken/fb374d419588a4632f3f557e76b4b70aebbca790": (
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
    ),
}
"""Every file a model directory may hold. tiktoken looks for a rank file under the SHA-1 of its
public address: cl100k_base, then o200k_base."""


def is_right(directory: Path, name: str) -> bool:
    """Say whether the file is there with exactly the pinned bytes."""
    try:
        with (directory / name).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == SHA256[name]
    except OSError:
        return False


def verified(directory: Path, name: str) -> Path:
    """Return the file's path; raise ConfigurationError when it is missing or not the pinned one.

    A model of other bytes would give other vectors, silently incomparable with the stored ones.
    Hashing costs 0.03 to 0.2 s for the 34 MB of a model, once per process.
    """
    if not is_right(directory, name):
        message = f"model file {name!r} is missing or damaged; `make demo` fetches it"
        raise ConfigurationError(message, model_file=name)
    return directory / name
