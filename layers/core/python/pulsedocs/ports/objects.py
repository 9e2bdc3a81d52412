"""What the use cases need of the bucket, of the web, and of uploads."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from pulsedocs.model.deletions import ObjectVersion
from pulsedocs.model.documents import StoredObject
from pulsedocs.model.requests import FetchedPage, FoundObject, ObjectAddress, SeenObject


class ObjectStore(Protocol):
    """The stage's bucket. Raises ObjectNotFound, ObjectStoreUnavailable."""

    def describe(self, key: str, *, object_version: str | None = None) -> StoredObject: ...

    def read(self, key: str, *, object_version: str | None = None) -> bytes: ...

    def sha256(self, key: str, *, object_version: str | None = None) -> bytes:
        """Read the object through, a block at a time, and return the digest of its bytes."""
        ...

    def exists(self, key: str) -> bool: ...

    def write(self, key: str, body: bytes, *, content_type: str = "application/json") -> None: ...

    def remove(self, key: str) -> None: ...

    def list_objects(
        self, prefix: str, *, after: str = "", limit: int = 1000
    ) -> "Sequence[StoredKey]":
        """Return the objects below `prefix` whose keys follow `after`, in the order of keys."""
        ...

    def list_uploads(
        self, prefix: str, *, after: str = "", limit: int = 1000
    ) -> "Sequence[StoredKey]":
        """Return the same with the version of each, which costs a longer listing."""
        ...

    def presign_upload(
        self, key: str, *, content_type: str, max_bytes: int, fields: Mapping[str, str]
    ) -> "PresignedUpload": ...

    def presign_download(
        self, key: str, *, object_version: str, filename: str, content_type: str
    ) -> str: ...


class TraceStore(Protocol):
    """Where one request's traces lie. Raises ObjectNotFound, ObjectStoreUnavailable, TimedOut."""

    def exists(self, key: str) -> bool: ...

    def read(self, key: str) -> bytes: ...

    def write(self, key: str, body: bytes) -> None: ...


class ObjectArchive(ObjectStore, Protocol):
    """The bucket with its past: versions that newer ones hide, and delete markers."""

    def versions(self, prefix: str) -> Iterator[ObjectVersion]:
        """Yield every version and delete marker of every key that starts with `prefix`."""
        ...

    def erase(self, versions: Sequence[ObjectVersion]) -> None:
        """Remove these versions for good; one that is gone already is no error."""
        ...


class StoredKey(Protocol):
    """An object as a listing shows it; the version is empty where it was not asked for."""

    @property
    def key(self) -> str: ...

    @property
    def object_version(self) -> str: ...

    @property
    def last_modified(self) -> datetime: ...


class Intake(Protocol):
    """Objects on their way into the stage's bucket. Raises ObjectStoreUnavailable."""

    def find(self, address: ObjectAddress) -> FoundObject:
        """Describe an object of any bucket; raise ObjectNotFound, also where access is denied."""
        ...

    def list_objects(
        self, place: ObjectAddress, *, after: str, limit: int
    ) -> Sequence[FoundObject]:
        """List by key what lies below a prefix of any bucket and follows `after`.

        A listing says no content type. Raises ObjectNotFound, also where access is denied.
        """
        ...

    def copy(
        self, found: FoundObject, key: str, *, content_type: str, metadata: Mapping[str, str]
    ) -> None:
        """Copy without reading; raise Conflict when the bytes changed since they were found."""
        ...

    def put(
        self, key: str, body: bytes, *, content_type: str, metadata: Mapping[str, str]
    ) -> None: ...

    def exists(self, key: str) -> bool: ...

    def peek(self, key: str) -> SeenObject | None: ...

    def swap(self, key: str, body: bytes, *, expected: SeenObject | None) -> bool:
        """Write JSON unless the object is another by now; None expects that there is none."""
        ...

    def remove(self, key: str) -> None: ...


class WebFetcher(Protocol):
    """Reads public pages only.

    Raises UrlRefused, SourceNotFound, SourceUnavailable, FileTooLarge, UnsupportedContentType.
    """

    def fetch(self, url: str, *, content_types: Sequence[str]) -> FetchedPage: ...


class RequestLog(Protocol):
    """Remembers requests by their Idempotency-Key for a day."""

    def remember(
        self, tenant_id: UUID, key: str, *, request_hash: bytes
    ) -> Mapping[str, Any] | None:
        """Start an idempotent request; return the recorded response of a finished one.

        Raises IdempotencyKeyReused (another body) and RequestInProgress.
        """
        ...

    def record_response(
        self, tenant_id: UUID, key: str, *, status: int, body: Mapping[str, Any]
    ) -> None: ...

    def forget(self, tenant_id: UUID, key: str) -> None:
        """Release a key whose request failed, so that the same request can be tried again."""
        ...


class PresignedUpload(Protocol):
    """A POST form: the client sends `fields`, then `file`, to `url` before `expires_at`."""

    @property
    def url(self) -> str: ...

    @property
    def fields(self) -> Mapping[str, str]: ...

    @property
    def expires_at(self) -> datetime: ...
