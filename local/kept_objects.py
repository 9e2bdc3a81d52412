"""The objects of a durable stage, on disk as they are written: moto holds them in memory only.

Each version is a file of its own: one line of JSON that describes it, then its bytes. A file
appears in one step and before S3 answers, so that a stage which is killed has every byte that it
took. The names of the files rise, and give each key's versions their order back.
"""

import json
import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, Final

from moto.s3.models import FakeDeleteMarker, FakeKey, s3_backends
from moto.s3.utils import _VersionedKeyStore  # pyright: ignore[reportPrivateUsage] -- moto is pinned

from local.rest_events import ACCOUNT, REGION

_IN_A_FOLDER: Final = 4096
_FACTS: Final = (
    *("checksum_algorithm", "checksum_value", "checksum_type", "checksum_parts", "_etag"),
    *("_storage_class", "encryption", "kms_key_id", "bucket_key_enabled"),
)


@dataclass(slots=True)
class Changes:
    """What one request did to the bucket: versions of moto's, by the key they are of.

    Those that came have the number of their file: by it they are in order, whoever writes first.
    """

    added: list[tuple[str, Any, int]] = field(default_factory=list[tuple[str, Any, int]])
    removed: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])


_changes: ContextVar[Changes | None] = ContextVar("changes", default=None)


@contextmanager
def noted_changes() -> Generator[Changes]:
    """Collect what this thread changes in a kept bucket."""
    changes = Changes()
    token = _changes.set(changes)
    try:
        yield changes
    finally:
        _changes.reset(token)


class KeptObjects:
    """The versions of one bucket, as files below `folder`."""

    def __init__(self, bucket: str, folder: Path) -> None:
        self._bucket = bucket
        self._folder = folder
        self._files: dict[tuple[str, str], Path] = {}

    def restore(self) -> None:
        """Bring back every version, without an event for it, and note changes from here on."""
        folder = self._folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for draft in folder.glob("*.draft"):
            draft.unlink()
        keys, last = _Keys(), 0
        for path in sorted(folder.glob("*/*"), key=lambda path: int(path.name, 16)):
            last = int(path.name, 16)
            described, _, body = path.read_bytes().partition(b"\n")
            version = self._version(json.loads(described), body, keys)
            keys.bring_back(version)
            self._files[version.name, version.version_id] = path
        keys.numbers = count(last + 1)
        s3_backends[ACCOUNT]["aws"].buckets[self._bucket].keys = keys

    def keep(self, changes: Changes) -> None:
        """Write and remove the files of what one request changed; raises OSError."""
        for name, version in changes.removed:
            path = self._files.pop((name, version.version_id), None)
            if path is not None:
                path.unlink(missing_ok=True)
        for name, version, number in changes.added:
            self._files[name, version.version_id] = self._write(number, version)

    def take_back(self, changes: Changes) -> None:
        """Forget versions that could not be kept: nobody is told that they are stored."""
        keys = s3_backends[ACCOUNT]["aws"].buckets[self._bucket].keys
        for name, version, _ in changes.added:
            kept = [each for each in keys.getlist(name, []) if each is not version]
            if kept:
                keys.setlist(name, kept)
            else:
                dict.pop(keys, name, None)

    def _write(self, number: int, version: Any) -> Path:  # noqa: ANN401 -- moto's
        folder = self._folder / f"{number // _IN_A_FOLDER:06x}"
        path, draft = folder / f"{number:016x}", self._folder / f"{number:016x}.draft"
        folder.mkdir(mode=0o700, exist_ok=True)
        body = b"" if isinstance(version, FakeDeleteMarker) else version.value
        try:
            with draft.open("xb") as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(json.dumps(_described(version)).encode() + b"\n")
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            draft.rename(path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)  # the name of the new file survives a power cut too
        finally:
            os.close(descriptor)
        return path

    def _version(self, facts: dict[str, Any], body: bytes, keys: "_Keys") -> Any:  # noqa: ANN401 -- moto's
        name = str(facts["key"])
        made: Any = FakeKey(
            name,
            body,
            ACCOUNT,
            REGION,
            is_versioned=True,
            version_id=facts["version_id"],
            bucket_name=self._bucket,
        )
        if facts["is_delete_marker"]:
            made = FakeDeleteMarker(key=keys.get(name, made))
            made._version_id = facts["version_id"]  # noqa: SLF001 -- moto makes one up
        else:
            made.set_metadata(facts["metadata"])
            for fact in _FACTS:
                setattr(made, fact, facts[fact])
        made.last_modified = datetime.fromisoformat(facts["last_modified"])
        return made


class _Keys(_VersionedKeyStore):
    """moto's store of one bucket; says which versions came and went."""

    numbers = count(1)

    def bring_back(self, version: Any) -> None:  # noqa: ANN401 -- moto's
        super().__setitem__(version.name, version)

    def __setitem__(self, key: str, value: Any) -> None:  # noqa: ANN401 -- moto's
        before = self._listed(key)
        super().__setitem__(key, value)
        self._note(key, before)

    def setlist(self, key: Any, list_: Any) -> None:  # noqa: ANN401 -- moto's
        before = self._listed(key)
        super().setlist(key, list_)
        self._note(key, before)

    def pop(self, key: str) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] -- as moto's
        before = self._listed(key)
        super().pop(key)
        self._note(key, before)

    def _listed(self, key: str) -> list[Any]:
        return list(self.getlist(key, []))

    def _note(self, key: str, before: Iterable[Any]) -> None:
        changes = _changes.get()
        if changes is not None:
            old, new = {id(each): each for each in before}, self._listed(key)
            present = {id(each) for each in new}
            added = [each for each in new if id(each) not in old]
            changes.added += [(key, each, next(self.numbers)) for each in added]
            changes.removed += [(key, old[each]) for each in old if each not in present]


def _described(version: Any) -> dict[str, Any]:  # noqa: ANN401 -- moto's
    facts: dict[str, Any] = {
        "key": version.name,
        "version_id": version.version_id,
        "is_delete_marker": isinstance(version, FakeDeleteMarker),
        "last_modified": version.last_modified.isoformat(),
    }
    if not facts["is_delete_marker"]:
        facts["metadata"] = dict(version.metadata)
        facts |= {fact: getattr(version, fact) for fact in _FACTS}
    return facts
