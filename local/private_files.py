"""Files that only their owner may read: keys, secrets, and where they are used."""

import os
from collections.abc import Callable
from pathlib import Path


def write_private(path: Path, content: bytes) -> None:
    """Replace a file in one step."""
    draft = path.with_suffix(".draft")
    descriptor = os.open(draft, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    draft.rename(path)


def keep_private(path: Path, new: Callable[[], bytes]) -> bytes:
    """Return what a file holds; where there is none, write what is `new` first."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_private(path, new())
    return path.read_bytes()
