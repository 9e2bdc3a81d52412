"""The intake over a bucket in memory, beside buckets of others."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock

from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.errors import Conflict, ObjectNotFound
from pulsedocs.model.requests import FoundObject, ObjectAddress, SeenObject


class InMemoryIntake:
    """Implements `ingestion.ports.Intake`; `others` are buckets by name, the stage's among them."""

    def __init__(
        self, objects: InMemoryObjectStore, *, others: Mapping[str, InMemoryObjectStore]
    ) -> None:
        self._objects = objects
        self._others = others
        self._lock = Lock()

    def find(self, address: ObjectAddress) -> FoundObject:
        bucket = self._others.get(address.bucket)
        if bucket is None or not bucket.exists(address.key):
            raise ObjectNotFound(f"there is no object {address.uri!r} that this tenant may ingest")
        described = bucket.describe(address.key)
        etag = described.object_version
        return FoundObject(address, described.size, described.content_type, etag)

    def list_objects(self, place: ObjectAddress, *, after: str, limit: int) -> list[FoundObject]:
        bucket = self._others.get(place.bucket)
        if bucket is None:
            raise ObjectNotFound(f"{place.uri!r} is no place that can be listed")
        listed = bucket.list_objects(place.key, after=after, limit=limit)
        found = (self.find(ObjectAddress(place.bucket, item.key)) for item in listed)
        return [replace(each, content_type="") for each in found]

    def copy(
        self, found: FoundObject, key: str, *, content_type: str, metadata: Mapping[str, str]
    ) -> str:
        if self.find(found.address) != found:
            raise Conflict(f"{found.address.uri!r} changed while it was copied")
        body = self._others[found.address.bucket].read(found.address.key)
        stored = self._objects.put(key, body, content_type=content_type, metadata=metadata)
        return stored.object_version

    def put(self, key: str, body: bytes, *, content_type: str, metadata: Mapping[str, str]) -> None:
        self._objects.put(key, body, content_type=content_type, metadata=metadata)

    def has_any(self, prefix: str) -> bool:
        return bool(self._objects.list_objects(prefix, limit=1))

    def peek(self, key: str) -> SeenObject | None:
        if not self._objects.exists(key):
            return None
        body = self._objects.read(key)
        etag = hashlib.sha256(body).hexdigest()
        return SeenObject(body, etag, self._objects.describe(key).last_modified)

    def swap(self, key: str, body: bytes, *, expected: SeenObject | None) -> bool:
        with self._lock:
            seen = self.peek(key)
            if (seen and seen.etag) != (expected and expected.etag):
                return False
            self._objects.write(key, body)
        return True

    def remove(self, key: str) -> None:
        self._objects.remove(key)
