"""The local stage lists the versions of a prefix while others delete them."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from moto.s3.models import S3Backend

from local.s3_versions import versions_of_a_prefix


class Emptied:
    """A bucket whose keys went while they were listed: moto lists a copy of them."""

    def iterlists(self) -> Iterator[tuple[str, None]]:
        yield from (("a/1", None), ("b/1", None))

    def get_bucket(self, _name: str) -> SimpleNamespace:
        return SimpleNamespace(keys=self)


def test_a_key_that_is_deleted_while_its_bucket_is_listed_is_left_out() -> None:
    backend: Any = Emptied()

    with versions_of_a_prefix():
        listed: Any = S3Backend.list_object_versions(backend, "bucket", prefix="a/")

    assert not any(listed[:3])
