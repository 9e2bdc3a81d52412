"""A versioned bucket in memory, with S3's rules about versions and delete markers."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from threading import Lock
from typing import Final

from pulsedocs.errors import ObjectNotFound
from pulsedocs.model.deletions import ObjectVersion
from pulsedocs.model.documents import StoredObject, UploadForm

_UPLOAD_LIFETIME: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class _Version:
    """One version of one object; `body` is None in a delete marker."""

    described: StoredObject
    body: bytes | None


@dataclass(slots=True)
class _Versions:
    newest_last: list[_Version] = field(default_factory=list[_Version])

    def find(self, object_version: str | None) -> _Version | None:
        if object_version is None:
            return self.newest_last[-1] if self.newest_last else None
        same = (v for v in self.newest_last if v.described.object_version == object_version)
        return next(same, None)


def _now() -> datetime:
    return datetime.now(UTC)


class InMemoryObjectStore:
    """Implements `ports.objects.ObjectStore` and `ObjectArchive`. Thread-safe."""

    def __init__(self, *, now: Callable[[], datetime] = _now) -> None:
        self._now = now
        self._objects: dict[str, _Versions] = {}
        self._numbers = count(1)
        self._lock = Lock()

    def describe(self, key: str, *, object_version: str | None = None) -> StoredObject:
        return self._existing(key, object_version)[0]

    def read(self, key: str, *, object_version: str | None = None) -> bytes:
        return self._existing(key, object_version)[1]

    def sha256(self, key: str, *, object_version: str | None = None) -> bytes:
        return hashlib.sha256(self.read(key, object_version=object_version)).digest()

    def exists(self, key: str) -> bool:
        found = self._objects.get(key, _Versions()).find(None)
        return found is not None and found.body is not None

    def write(self, key: str, body: bytes, *, content_type: str = "application/json") -> None:
        self.put(key, body, content_type=content_type)

    def put(
        self,
        key: str,
        body: bytes,
        *,
        content_type: str = "application/json",
        metadata: Mapping[str, str] | None = None,
    ) -> StoredObject:
        """Write as an uploader does, with metadata, and return what is now described."""
        return self._append(key, body, content_type=content_type, metadata=metadata or {})

    def remove(self, key: str) -> None:
        """Hide the object behind a delete marker; its versions can still be read by name."""
        self._append(key, None, content_type="", metadata={})

    def list_objects(
        self, prefix: str, *, after: str = "", limit: int = 1000
    ) -> list[StoredObject]:
        following = [key for key in self.keys(prefix) if key > after]
        return [self.describe(key) for key in following[:limit]]

    def list_uploads(
        self, prefix: str, *, after: str = "", limit: int = 1000
    ) -> list[StoredObject]:
        return self.list_objects(prefix, after=after, limit=limit)

    def versions(self, prefix: str) -> Iterator[ObjectVersion]:
        for key in sorted(key for key in self._objects if key.startswith(prefix)):
            for version in list(self._objects[key].newest_last):
                described, is_marker = version.described, version.body is None
                yield ObjectVersion(
                    key, described.object_version, is_delete_marker=is_marker, size=described.size
                )

    def erase(self, versions: Sequence[ObjectVersion]) -> None:
        gone = {(each.key, each.object_version) for each in versions}
        with self._lock:
            for key in {each.key for each in versions} & set(self._objects):
                kept = [
                    version
                    for version in self._objects[key].newest_last
                    if (key, version.described.object_version) not in gone
                ]
                self._objects[key].newest_last[:] = kept

    def upload_orders(self, stored: StoredObject) -> dict[str, int]:
        siblings = (each for each in self.versions(stored.key) if each.key == stored.key)
        return {each.object_version: int(each.object_version[1:]) for each in siblings}

    def presign_upload(
        self,
        key: str,
        *,
        content_type: str,
        max_bytes: int,
        sha256: bytes | None = None,
        fields: Mapping[str, str],
    ) -> UploadForm:
        form = {"key": key, "Content-Type": content_type, "size": str(max_bytes), **fields}
        if sha256 is not None:
            form["sha256"] = sha256.hex()
        return UploadForm("memory://upload", form, self._now() + _UPLOAD_LIFETIME)

    def presign_download(
        self, key: str, *, object_version: str, filename: str, content_type: str
    ) -> str:
        del filename, content_type
        return f"memory://{key}?version={object_version}"

    def keys(self, prefix: str = "") -> list[str]:
        """Return the keys of the objects that exist, sorted."""
        return sorted(key for key in self._objects if key.startswith(prefix) and self.exists(key))

    def _append(
        self, key: str, body: bytes | None, *, content_type: str, metadata: Mapping[str, str]
    ) -> StoredObject:
        with self._lock:
            described = StoredObject(
                key=key,
                object_version=f"v{next(self._numbers)}",
                size=len(body or b""),
                content_type=content_type,
                metadata=dict(metadata),
                last_modified=self._now(),
            )
            versions = self._objects.setdefault(key, _Versions())
            versions.newest_last.append(_Version(described, body))
        return described

    def _existing(self, key: str, object_version: str | None) -> tuple[StoredObject, bytes]:
        found = self._objects.get(key, _Versions()).find(object_version)
        if found is None or found.body is None:
            message = f"no object {key!r}" + (
                f" version {object_version}" if object_version else ""
            )
            raise ObjectNotFound(message)
        return found.described, found.body
