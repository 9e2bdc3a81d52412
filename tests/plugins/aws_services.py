"""What botocore reads of the services of AWS, once for a test process."""

from collections.abc import Iterator

import pytest
from botocore.loaders import JSONFileLoader

from tests.aws_services import from_memory


@pytest.fixture(scope="session", autouse=True)
def services_read_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JSONFileLoader, "load_file", from_memory)
        yield
