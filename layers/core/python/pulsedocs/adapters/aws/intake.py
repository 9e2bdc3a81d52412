"""Objects on their way into the stage's bucket: copies and conditional writes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from pulsedocs.adapters.aws.refusals import FORBIDDEN, MISSING, code_of, lacking_of, refusal_of
from pulsedocs.errors import Conflict, ObjectNotFound, ObjectStoreUnavailable
from pulsedocs.model.requests import FoundObject, ObjectAddress, SeenObject

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

# Denied reads like missing: whoever asks may not learn what other buckets and tenants hold.
_MISSING: Final = (
    frozenset({"400", "301", "PermanentRedirect", "NoSuchBucket"}) | FORBIDDEN | MISSING
)
_WRITES: Final = ("s3:Put", "kms:")
_OVERTAKEN: Final = {"412", "409", "PreconditionFailed", "ConditionalRequestConflict"}
_CLIENT_CONFIG: Final = Config(
    signature_version="s3v4",
    connect_timeout=3,
    read_timeout=20,
    retries={"mode": "standard", "max_attempts": 2},
)


class S3Intake:
    """Implements `ingestion.ports.Intake`."""

    def __init__(self, *, bucket: str, region: str, endpoint_url: str | None) -> None:
        self._bucket = bucket
        self._client: S3Client = boto3.client(
            "s3", region_name=region, endpoint_url=endpoint_url, config=_CLIENT_CONFIG
        )

    def find(self, address: ObjectAddress) -> FoundObject:
        try:
            head = self._client.head_object(Bucket=address.bucket, Key=address.key)
        except (BotoCoreError, ClientError) as error:
            if code_of(error) in _MISSING:
                raise ObjectNotFound(
                    f"there is no object {address.uri!r} that this tenant may ingest",
                    uri=address.uri,
                ) from error
            raise _unavailable(address.uri) from error
        return FoundObject(
            address, head["ContentLength"], head.get("ContentType", ""), head["ETag"]
        )

    def list_objects(self, place: ObjectAddress, *, after: str, limit: int) -> list[FoundObject]:
        try:
            listed = self._client.list_objects_v2(
                Bucket=place.bucket, Prefix=place.key, StartAfter=after, MaxKeys=limit
            )
        except (BotoCoreError, ClientError) as error:
            if code_of(error) in _MISSING:
                raise ObjectNotFound(f"{place.uri!r} is no place that can be listed") from error
            raise _unavailable(place.uri) from error
        return [
            FoundObject(ObjectAddress(place.bucket, item["Key"]), item["Size"], "", item["ETag"])  # pyright: ignore[reportTypedDictNotRequiredAccess] -- S3 always says them
            for item in listed.get("Contents", [])
        ]

    def copy(
        self, found: FoundObject, key: str, *, content_type: str, metadata: Mapping[str, str]
    ) -> str:
        try:
            copied = self._client.copy_object(
                Bucket=self._bucket,
                Key=key,
                CopySource={"Bucket": found.address.bucket, "Key": found.address.key},
                CopySourceIfMatch=found.etag,
                MetadataDirective="REPLACE",
                TaggingDirective="REPLACE",  # to copy tags would take one more permission
                ContentType=content_type,
                Metadata=dict(metadata),
            )
        except (BotoCoreError, ClientError) as error:
            if lacking_of(error).startswith(_WRITES):  # the fault is ours, not the address's
                raise refusal_of(error, key) from error
            if code_of(error) in _OVERTAKEN | _MISSING:
                raise Conflict(f"{found.address.uri!r} changed while it was copied") from error
            raise _unavailable(found.address.uri) from error
        return copied["VersionId"]

    def put(self, key: str, body: bytes, *, content_type: str, metadata: Mapping[str, str]) -> None:
        self._put(key, body, ContentType=content_type, Metadata=dict(metadata))

    def has_any(self, prefix: str) -> bool:
        try:
            listed = self._client.list_objects_v2(Bucket=self._bucket, Prefix=prefix, MaxKeys=1)
        except (BotoCoreError, ClientError) as error:
            raise refusal_of(error, prefix) from error
        return bool(listed.get("Contents"))

    def peek(self, key: str) -> SeenObject | None:
        try:
            got = self._client.get_object(Bucket=self._bucket, Key=key)
            return SeenObject(got["Body"].read(), got["ETag"], got["LastModified"])
        except (BotoCoreError, ClientError) as error:
            refusal = refusal_of(error, key)
            if isinstance(refusal, ObjectNotFound):
                return None
            raise refusal from error

    def swap(self, key: str, body: bytes, *, expected: SeenObject | None) -> bool:
        condition = {"IfNoneMatch": "*"} if expected is None else {"IfMatch": expected.etag}
        try:
            self._put(key, body, ContentType="application/json", **condition)
        except _Overtaken:
            return False
        return True

    def remove(self, key: str) -> None:
        try:
            self._client.delete_object(Bucket=self._bucket, Key=key)
        except (BotoCoreError, ClientError) as error:
            raise refusal_of(error, key) from error

    def _put(self, key: str, body: bytes, **arguments: Any) -> None:  # noqa: ANN401 -- boto3's own
        try:
            self._client.put_object(Bucket=self._bucket, Key=key, Body=body, **arguments)
        except (BotoCoreError, ClientError) as error:
            if code_of(error) in _OVERTAKEN | {"404", "NoSuchKey"}:
                raise _Overtaken from error
            raise refusal_of(error, key) from error


class _Overtaken(Exception):
    """A condition of a write did not hold any more."""


def _unavailable(subject: str) -> ObjectStoreUnavailable:
    return ObjectStoreUnavailable(f"object storage did not answer for {subject!r}")
