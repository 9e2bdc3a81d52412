"""The bucket in memory keeps versions and hides removed objects as S3 does."""

from datetime import UTC, datetime, timedelta

import pytest

from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.errors import ObjectNotFound
from pulsedocs.ports.objects import ObjectStore

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def bucket() -> InMemoryObjectStore:
    return InMemoryObjectStore(now=lambda: NOON)


def test_what_was_written_is_read(bucket: InMemoryObjectStore) -> None:
    store: ObjectStore = bucket  # the assignment is the type checker's half of this test

    store.write("a/b", b"text", content_type="text/plain")

    described = store.describe("a/b")
    assert store.read("a/b") == b"text"
    assert (described.size, described.content_type) == (4, "text/plain")
    assert described.last_modified == NOON


def test_each_write_is_a_version_of_its_own(bucket: InMemoryObjectStore) -> None:
    first = bucket.put("key", b"one", metadata={"tenant": "x"})
    second = bucket.put("key", b"two")

    assert bucket.read("key") == b"two"
    assert bucket.read("key", object_version=first.object_version) == b"one"
    assert bucket.describe("key", object_version=first.object_version) == first
    assert bucket.describe("key") == second != first


def test_a_removed_object_is_gone_but_its_versions_are_not(bucket: InMemoryObjectStore) -> None:
    first = bucket.put("key", b"one")

    bucket.remove("key")

    assert not bucket.exists("key")
    assert bucket.keys() == []
    assert bucket.read("key", object_version=first.object_version) == b"one"
    with pytest.raises(ObjectNotFound):
        bucket.read("key")


@pytest.mark.parametrize("version", [None, "v1", "v999"])
def test_what_is_not_there_is_not_found(bucket: InMemoryObjectStore, version: str | None) -> None:
    bucket.write("other", b"")

    with pytest.raises(ObjectNotFound):
        bucket.read("key", object_version=version)
    with pytest.raises(ObjectNotFound):
        bucket.describe("key", object_version=version)
    assert not bucket.exists("key")


def test_removing_what_is_not_there_succeeds(bucket: InMemoryObjectStore) -> None:
    bucket.remove("key")

    assert not bucket.exists("key")


def test_keys_are_listed_by_prefix(bucket: InMemoryObjectStore) -> None:
    for key in ("b/2", "a/1", "b/1"):
        bucket.write(key, b"")

    assert bucket.keys("b/") == ["b/1", "b/2"]


def test_an_upload_form_carries_its_conditions(bucket: InMemoryObjectStore) -> None:
    form = bucket.presign_upload(
        "key",
        content_type="text/plain",
        max_bytes=10,
        sha256=b"\x0a" * 32,
        fields={"x-amz-meta-source": "a.txt"},
    )

    assert form.fields["Content-Type"] == "text/plain"
    assert form.fields["x-amz-meta-source"] == "a.txt"
    assert (form.fields["size"], form.fields["sha256"]) == ("10", "0a" * 32)
    assert form.expires_at == NOON + timedelta(minutes=5)


def test_a_download_address_names_the_version(bucket: InMemoryObjectStore) -> None:
    address = bucket.presign_download(
        "key", object_version="v3", filename="a.pdf", content_type="application/pdf"
    )

    assert address.endswith("key?version=v3")
