"""Lists the versions of what a prefix names; moto copies every object of the bucket to find them.

With a thousand objects that takes half a second of a processor, and each document asks once.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from moto.s3.models import S3Backend


@contextmanager
def versions_of_a_prefix() -> Generator[None]:
    """Show moto only the keys below the prefix; the rest of its listing stays moto's."""
    listed: Any = S3Backend.list_object_versions

    def list_object_versions(
        backend: Any,  # noqa: ANN401 -- moto's
        bucket_name: str,
        *arguments: Any,  # noqa: ANN401 -- as above
        prefix: str = "",
        **options: Any,  # noqa: ANN401 -- as above
    ) -> Any:  # noqa: ANN401 -- as above
        keys = backend.get_bucket(bucket_name).keys

        def below() -> Iterator[tuple[str, Any]]:
            below_it = ((name, kept) for name, kept in keys.iterlists() if name.startswith(prefix))
            return ((name, kept) for name, kept in below_it if kept)  # None: deleted meanwhile

        def narrowed(_name: str) -> SimpleNamespace:
            return SimpleNamespace(keys=SimpleNamespace(iterlists=below))

        asked = SimpleNamespace(get_bucket=narrowed)
        return listed(asked, bucket_name, *arguments, prefix=prefix, **options)

    with patch.object(S3Backend, "list_object_versions", list_object_versions):
        yield
