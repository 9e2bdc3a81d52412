"""Both buckets list alike: in order, page by page, newest versions only, nothing that is hidden."""

from collections.abc import Iterator
from typing import Protocol

import boto3
import pytest
from moto import mock_aws

from pulsedocs.adapters.aws.object_store import S3ObjectStore
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.ports.objects import ObjectStore, StoredKey

BUCKET = "listed"


class Listing(Protocol):
    def __call__(self, prefix: str, *, after: str = "", limit: int = 1000) -> "list[StoredKey]": ...


@pytest.fixture(params=["memory", "s3"])
def bucket(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ObjectStore]:
    if request.param == "memory":
        yield InMemoryObjectStore()
        return
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        yield S3ObjectStore(bucket=BUCKET, region="us-east-1", endpoint_url=None)


def keys_of(listed: "list[StoredKey]") -> list[str]:
    return [item.key for item in listed]


@pytest.mark.parametrize("name", ["list_objects", "list_uploads"])
def test_pages_follow_each_other_in_the_order_of_keys(bucket: ObjectStore, name: str) -> None:
    """A sweep goes on after the last key it saw; nothing is skipped, nothing comes twice."""
    for number in (3, 1, 4, 0, 2):
        bucket.write(f"u/{number}", b"one")
        bucket.write(f"u/{number}", b"two")
    bucket.write("v/0", b"")
    listing: Listing = getattr(bucket, name)
    seen: list[str] = []

    while page := listing("u/", after=seen[-1] if seen else "", limit=2):
        seen += keys_of(page)

    assert seen == [f"u/{number}" for number in range(5)]


@pytest.mark.parametrize("name", ["list_objects", "list_uploads"])
def test_what_was_removed_is_not_listed(bucket: ObjectStore, name: str) -> None:
    for key in ("u/0", "u/1", "u/2"):
        bucket.write(key, b"")
    for key in ("u/0", "u/1"):
        bucket.remove(key)

    assert keys_of(getattr(bucket, name)("u/", limit=1)) == ["u/2"]


def test_an_upload_is_listed_with_its_newest_version(bucket: ObjectStore) -> None:
    bucket.write("u/0", b"one")
    bucket.write("u/0", b"two")

    [listed] = bucket.list_uploads("u/")

    newest = bucket.describe("u/0")
    assert (listed.object_version, listed.last_modified) == (
        newest.object_version,
        newest.last_modified,
    )


def test_uploads_of_a_key_are_ordered_as_they_came(bucket: ObjectStore) -> None:
    """T-02: many in one second, asked of any of them, and of one that others follow."""
    for number in range(12):
        bucket.write("u/0", str(number).encode())
        bucket.write("u/0-not", b"")
    newest = bucket.describe("u/0")
    orders = bucket.upload_orders(newest)
    by_order = sorted(orders, key=lambda version: orders[version])

    read = [bucket.read("u/0", object_version=version) for version in by_order]

    assert read == [str(number).encode() for number in range(12)][-len(read) :]
    assert by_order[-1] == newest.object_version
    oldest = bucket.describe("u/0", object_version=by_order[0])
    bucket.write("u/0", b"later")
    again = bucket.upload_orders(oldest)
    assert {version: again[version] for version in by_order} == orders
    assert max(again, key=lambda version: again[version]) not in orders
