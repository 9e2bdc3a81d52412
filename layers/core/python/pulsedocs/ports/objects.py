"""What the use cases need of the bucket, of the web, and of uploads."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from pulsedocs.model.documents import StoredObject, UploadForm


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

    def upload_orders(self, stored: StoredObject) -> Mapping[str, int]:
        """Return numbers that grow from each upload of a key to the next, as S3 ordered them.

        They are of this object version and all newer ones at least, the same whenever they are
        asked for, and need no event.
        """
        ...

    def presign_upload(
        self,
        key: str,
        *,
        content_type: str,
        max_bytes: int,
        sha256: bytes | None = None,
        fields: Mapping[str, str],
    ) -> UploadForm:
        """Sign a form for exactly the bytes announced, and with this digest if it is given.

        `max_bytes` is their number: the form takes no more, and no fewer.
        """
        ...

    def presign_download(
        self, key: str, *, object_version: str, filename: str, content_type: str
    ) -> str: ...


class StoredKey(Protocol):
    """An object as a listing shows it; the version is empty where it was not asked for."""

    @property
    def key(self) -> str: ...

    @property
    def object_version(self) -> str: ...

    @property
    def last_modified(self) -> datetime: ...
