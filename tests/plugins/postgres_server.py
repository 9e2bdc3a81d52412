"""One private PostgreSQL for each test process: `PULSEDOCS_TEST_POSTGRES` chooses 16 or 18."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.postgres import PostgresServer


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One per xdist worker: a server starts in 0.7 s, which no lock between workers would beat."""
    version = int(os.environ.get("PULSEDOCS_TEST_POSTGRES", "16"))  # noqa: TID251 -- of the tests
    directory = Path(tempfile.mkdtemp(prefix="pulsedocs-postgres-"))
    with PostgresServer(directory, version=version, disposable=True) as server:
        yield server
