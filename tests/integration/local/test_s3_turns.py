"""Requests that change one object at the same moment: as with S3, each is whole, and none is lost.

moto answers in threads. Each test holds one request where another overtook it, or would have to.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto.s3.models import FakeKey, S3Backend, s3_backends

from local.kept_objects import KeptObjects
from local.rest_events import ACCOUNT
from pulsedocs.adapters.aws.refusals import code_of
from tests.integration.local.conftest import Cloud

KEY = "u/one"
_IN_VAIN = 0.5  # seconds for the other request to come, where nothing keeps it off


class Meeting:
    """Two threads that go on when both have come, or when the other is kept off."""

    def __init__(self) -> None:
        self._both = threading.Barrier(2)

    def wait(self) -> None:
        try:
            self._both.wait(_IN_VAIN)
        except threading.BrokenBarrierError:
            return


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    with ThreadPoolExecutor(len(calls)) as threads:
        return [each.result() for each in [threads.submit(call) for call in calls]]


def test_a_copy_is_told_its_own_version(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3-04: a batch claims its copy by that version; it was told the one of another's copy."""
    bucket, s3, meeting = cloud.bucket(), cloud.aws.client("s3"), Meeting()
    s3.put_object(Bucket=bucket, Key="imports/one", Body=b"x")
    copy_object: Any = S3Backend.copy_object

    def stored(*arguments: Any, **options: Any) -> None:
        copy_object(*arguments, **options)
        meeting.wait()

    monkeypatch.setattr(S3Backend, "copy_object", stored)

    def copy(batch: str) -> str:
        answer = s3.copy_object(
            Bucket=bucket,
            Key=KEY,
            CopySource={"Bucket": bucket, "Key": "imports/one"},
            MetadataDirective="REPLACE",
            Metadata={"batch": batch},
        )
        head = s3.head_object(Bucket=bucket, Key=KEY, VersionId=answer["VersionId"])
        return head["Metadata"]["batch"]

    assert at_once(lambda: copy("first"), lambda: copy("second")) == ["first", "second"]


def test_of_two_writes_under_a_condition_one_wins(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which document a source names is settled by it: two would be made."""
    bucket, s3, meeting = cloud.bucket(), cloud.aws.client("s3"), Meeting()
    put_object: Any = S3Backend.put_object

    def checked(*arguments: Any, **options: Any) -> Any:
        meeting.wait()
        return put_object(*arguments, **options)

    monkeypatch.setattr(S3Backend, "put_object", checked)

    def put() -> str:
        try:
            s3.put_object(Bucket=bucket, Key=KEY, Body=b"x", IfNoneMatch="*")
        except ClientError as error:
            return code_of(error)
        return "stored"

    assert sorted(at_once(put, put)) == ["PreconditionFailed", "stored"]


def test_nobody_sees_an_object_without_its_metadata(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim would take it for bytes that nobody asked for."""
    bucket, s3, meeting = cloud.bucket(), cloud.aws.client("s3"), Meeting()
    is_listed = threading.Event()
    set_metadata: Any = FakeKey.set_metadata

    def late(*arguments: Any, **options: Any) -> None:
        is_listed.set()
        meeting.wait()
        set_metadata(*arguments, **options)

    def read() -> dict[str, str]:
        is_listed.wait()
        metadata = s3.head_object(Bucket=bucket, Key=KEY)["Metadata"]
        meeting.wait()
        return metadata

    monkeypatch.setattr(FakeKey, "set_metadata", late)

    def put() -> None:
        s3.put_object(Bucket=bucket, Key=KEY, Body=b"x", Metadata={"request": "1"})

    assert at_once(put, read) == [None, {"request": "1"}]


def test_the_newest_version_is_the_newest_after_a_restart(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Fails when: whose bytes reach the disk first counts, and not who stored them first."""
    bucket, s3 = cloud.bucket(), cloud.aws.client("s3")
    is_stored, is_overtaken = threading.Event(), threading.Event()
    keep = KeptObjects.keep

    def overtaken(objects: KeptObjects, changes: Any) -> None:
        if not is_stored.is_set():
            is_stored.set()
            is_overtaken.wait()
        keep(objects, changes)

    def newest() -> bytes:
        return s3.get_object(Bucket=bucket, Key=KEY)["Body"].read()

    def put_after() -> None:
        is_stored.wait()
        s3.put_object(Bucket=bucket, Key=KEY, Body=b"new")
        is_overtaken.set()

    monkeypatch.setattr(KeptObjects, "keep", overtaken)
    with cloud.aws.keeping_objects(bucket, tmp_path):
        at_once(lambda: s3.put_object(Bucket=bucket, Key=KEY, Body=b"old"), put_after)
        before = newest()
    s3_backends[ACCOUNT]["aws"].buckets[bucket].keys.clear()

    with cloud.aws.keeping_objects(bucket, tmp_path):
        assert (before, newest()) == (b"new", b"new")
