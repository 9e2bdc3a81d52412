"""One private PostgreSQL for each test process: `PULSEDOCS_TEST_POSTGRES` chooses 16 or 18.

On 18 only what asks for this server is run: all else would be what it is on 16.
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from local.postgres import PostgresServer

_USUAL: Final = 16
_VERSION: Final = int(os.environ.get("PULSEDOCS_TEST_POSTGRES", _USUAL))  # noqa: TID251 -- of the tests


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One per xdist worker: a server starts in 0.7 s, which no lock between workers would beat."""
    directory = Path(tempfile.mkdtemp(prefix="pulsedocs-postgres-"))
    with PostgresServer(directory, version=_VERSION, disposable=True) as server:
        yield server


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if _VERSION == _USUAL:
        return
    asking = [item for item in items if "postgres_server" in vars(item)["fixturenames"]]
    config.hook.pytest_deselected(items=[item for item in items if item not in asking])
    items[:] = asking
