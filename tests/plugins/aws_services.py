"""What botocore reads of the services of AWS, once for a test process.

A session of boto3 reads 0.1 s of JSON for its first client, and moto takes a new session for each
account: a test with two clients paid for them again.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from botocore.loaders import JSONFileLoader


@pytest.fixture(scope="session", autouse=True)
def services_read_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        loader = JSONFileLoader()
        read = cache(loader.load_file)

        def from_memory(_loader: JSONFileLoader, path: str) -> Any:
            return read(path)

        patch.setattr(JSONFileLoader, "load_file", from_memory)
        yield
