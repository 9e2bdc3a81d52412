"""The stage's bucket: versioned objects, presigned forms and links."""

import base64
import hashlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from pulsedocs.adapters.aws.refusals import FORBIDDEN, MISSING, UNSAID, code_of, refusal_of
from pulsedocs.errors import ConfigurationError, ObjectNotFound, ObjectStoreUnavailable
from pulsedocs.model.deletions import ObjectVersion
from pulsedocs.model.documents import StoredObject, UploadForm

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client
    from types_boto3_s3.type_defs import ObjectIdentifierTypeDef

_DOWNLOAD_SECONDS = 300
_HASHED_AT_ONCE = 1 << 20  # so that a function of 512 MB hashes a file of any size
_UPLOADS_A_SECOND = 1_000_000  # to one key; S3 takes 3,500
_CLIENT_CONFIG = Config(
    signature_version="s3v4",
    connect_timeout=3,
    read_timeout=30,
    retries={"mode": "standard", "max_attempts": 3},
)
# Else the SDK signs forms and links for s3.amazonaws.com: it redirects (307) to a bucket made
# outside us-east-1 for a day, and refuses one in a region opened after March 2019 (400).
_OF_THE_REGION = Config(
    s3={"addressing_style": "virtual", "us_east_1_regional_endpoint": "regional"}
)


@dataclass(frozen=True, slots=True)
class ListedObject:
    """Implements `ports.objects.StoredKey`."""

    key: str
    last_modified: datetime
    object_version: str = ""


class S3ObjectStore:
    """Implements `ports.objects.ObjectStore` and `ObjectArchive`."""

    def __init__(
        self, *, bucket: str, region: str, endpoint_url: str | None, upload_seconds: int = 300
    ) -> None:
        self._bucket = bucket
        self._upload_seconds = upload_seconds
        config = _CLIENT_CONFIG if endpoint_url else _CLIENT_CONFIG.merge(_OF_THE_REGION)
        self._client: S3Client = boto3.client(
            "s3", region_name=region, endpoint_url=endpoint_url, config=config
        )

    def describe(self, key: str, *, object_version: str | None = None) -> StoredObject:
        address = self._address(key, object_version)
        with _translated(key):
            try:
                head = self._client.head_object(**address)
            except ClientError as error:
                if code_of(error) in UNSAID:  # a HEAD has no words to say why; a GET has
                    self._client.get_object(**address, Range="bytes=0-0")["Body"].close()
                raise
        return StoredObject(
            key=key,
            # "null" is S3's own name of a version from before the bucket had them.
            object_version=head.get("VersionId", "null"),
            size=head["ContentLength"],
            content_type=head.get("ContentType", ""),
            metadata=head.get("Metadata", {}),
            last_modified=head["LastModified"],
        )

    def read(self, key: str, *, object_version: str | None = None) -> bytes:
        with _translated(key):
            return self._client.get_object(**self._address(key, object_version))["Body"].read()

    def sha256(self, key: str, *, object_version: str | None = None) -> bytes:
        """Hash what S3 stores: its own checksum of the object may be missing, or of parts."""
        digest = hashlib.sha256()
        with _translated(key):
            body = self._client.get_object(**self._address(key, object_version))["Body"]
            for block in body.iter_chunks(_HASHED_AT_ONCE):
                digest.update(block)
        return digest.digest()

    def exists(self, key: str) -> bool:
        try:
            self.describe(key)
        except ObjectNotFound:
            return False
        return True

    def write(self, key: str, body: bytes, *, content_type: str = "application/json") -> None:
        with _translated(key):
            self._client.put_object(
                Bucket=self._bucket, Key=key, Body=body, ContentType=content_type
            )

    def remove(self, key: str) -> None:
        with _translated(key):
            self._client.delete_object(Bucket=self._bucket, Key=key)

    def list_objects(
        self, prefix: str, *, after: str = "", limit: int = 1000
    ) -> list[ListedObject]:
        with _translated(prefix):
            listed = self._client.list_objects_v2(
                Bucket=self._bucket, Prefix=prefix, StartAfter=after, MaxKeys=limit
            )
        return [
            ListedObject(item.get("Key", ""), _time(item.get("LastModified")))
            for item in listed.get("Contents", [])
        ]

    def list_uploads(
        self, prefix: str, *, after: str = "", limit: int = 1000
    ) -> list[ListedObject]:
        """List versions: a plain listing does not name them. Older versions are passed over."""
        found: list[ListedObject] = []
        position: dict[str, Any] | None = {"KeyMarker": after} if after else {}
        while position is not None and not found:
            with _translated(prefix):
                listed = self._client.list_object_versions(
                    Bucket=self._bucket, Prefix=prefix, MaxKeys=limit, **position
                )
            found = [
                ListedObject(
                    item.get("Key", ""), _time(item.get("LastModified")), item.get("VersionId", "")
                )
                for item in listed.get("Versions", [])
                if item.get("IsLatest")
            ]
            position = _following(listed)
        return found

    def versions(self, prefix: str) -> Iterator[ObjectVersion]:
        pages = self._client.get_paginator("list_object_versions")
        with _translated(prefix):
            for page in pages.paginate(Bucket=self._bucket, Prefix=prefix):
                yield from (_version(item) for item in page.get("Versions", []))
                yield from (_version(item) for item in page.get("DeleteMarkers", []))

    def erase(self, versions: Sequence[ObjectVersion]) -> None:
        if not versions:
            return
        listed: list[ObjectIdentifierTypeDef] = [
            {"Key": each.key, "VersionId": each.object_version} for each in versions
        ]
        with _translated(versions[0].key):
            answer = self._client.delete_objects(
                # Quiet: only refusals are listed, not each of up to 1,000 successes.
                Bucket=self._bucket,
                Delete={"Objects": listed, "Quiet": True},
            )
        refused = [each for each in answer.get("Errors", []) if each.get("Code") not in MISSING]
        if refused:
            code = refused[0].get("Code", "")
            message = f"object storage refused to remove {len(refused)} versions ({code})"
            kind = ConfigurationError if code in FORBIDDEN else ObjectStoreUnavailable
            raise kind(message, code=code)

    def upload_orders(self, stored: StoredObject) -> dict[str, int]:
        """Return the second of each upload and its number among those of the key in that second.

        A listing names the versions of a key newest first, and their times in whole seconds; a
        version is never taken for younger than one that stands before it.
        """
        listed: list[tuple[str, int]] = []
        second, found_at = 2**40, 0
        pages = self._client.get_paginator("list_object_versions")
        with _translated(stored.key):
            for page in pages.paginate(Bucket=self._bucket, Prefix=stored.key):
                for item in page.get("Versions", []):
                    if item.get("Key") != stored.key:
                        continue
                    second = min(second, int(_time(item.get("LastModified")).timestamp()))
                    if second < found_at:
                        return _numbered(listed)
                    listed.append((item.get("VersionId", ""), second))
                    if listed[-1][0] == stored.object_version:
                        found_at = second
        return _numbered(listed)

    def presign_upload(
        self,
        key: str,
        *,
        content_type: str,
        max_bytes: int,
        sha256: bytes | None = None,
        fields: Mapping[str, str],
    ) -> UploadForm:
        """Sign a POST policy: a presigned PUT could limit neither the size nor the bytes.

        https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
        """
        exact = {"Content-Type": content_type, **fields}
        if sha256 is not None:
            exact["x-amz-checksum-sha256"] = base64.b64encode(sha256).decode()
        expires_at = datetime.now(UTC) + timedelta(seconds=self._upload_seconds)
        form = self._client.generate_presigned_post(
            self._bucket,
            key,
            Fields=dict(exact),
            Conditions=[
                *({name: value} for name, value in exact.items()),
                ["content-length-range", max_bytes, max_bytes],
            ],
            ExpiresIn=self._upload_seconds,
        )
        return UploadForm(form["url"], form["fields"], expires_at)

    def presign_download(
        self, key: str, *, object_version: str, filename: str, content_type: str
    ) -> str:
        """Sign a link that saves under `filename`, encoded as RFC 6266 and RFC 8187 have it."""
        return self._client.generate_presigned_url(
            "get_object",
            Params={
                **self._address(key, object_version),
                "ResponseContentDisposition": f"attachment; filename*=UTF-8''{quote(filename, '')}",
                "ResponseContentType": content_type,
            },
            ExpiresIn=_DOWNLOAD_SECONDS,
        )

    def _address(self, key: str, object_version: str | None) -> dict[str, Any]:
        version = {} if object_version is None else {"VersionId": object_version}
        return {"Bucket": self._bucket, "Key": key, **version}


def _numbered(newest_first: Sequence[tuple[str, int]]) -> dict[str, int]:
    numbered: dict[str, int] = {}
    before, number = 0, 0
    for version, second in reversed(newest_first):
        number = number + 1 if second == before else 0
        before = second
        numbered[version] = second * _UPLOADS_A_SECOND + number
    return numbered


def _version(item: Mapping[str, Any]) -> ObjectVersion:
    """Read one entry of a listing; a delete marker has no size."""
    return ObjectVersion(
        item["Key"],
        item["VersionId"],
        is_delete_marker="Size" not in item,
        size=item.get("Size", 0),
    )


@contextmanager
def _translated(key: str) -> Generator[None]:
    """Turn the SDK's errors into ours, naming the key."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise refusal_of(error, key) from error


def _following(listed: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return where a listing of versions goes on, or None at its end."""
    if not listed.get("IsTruncated"):
        return None
    position = {"KeyMarker": listed.get("NextKeyMarker")}
    version = listed.get("NextVersionIdMarker")
    return position if version is None else position | {"VersionIdMarker": version}


def _time(moment: datetime | None) -> datetime:
    return moment or datetime.now(UTC)
