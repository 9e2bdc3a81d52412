"""Stages in process over one migrated database per file: one each would cost 0.15 s a case."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count

import pytest

from local.postgres import PostgresServer
from pulsedocs import faults
from tests.integration.faults.world import World
from tests.plugins.migrated_database import MigratedDatabase

_numbers = count(1)


@pytest.fixture(scope="module")
def module_database(
    postgres_server: PostgresServer, migrated_template: str
) -> Iterator[MigratedDatabase]:
    name = f"faults_{next(_numbers)}"
    yield MigratedDatabase(postgres_server.create_database(name, template=migrated_template))
    postgres_server.drop_database(name)


@pytest.fixture(scope="module")
def new_world(module_database: MigratedDatabase) -> Iterator[Callable[[], World]]:
    """Give worlds of their own tenant and bucket, on connections that the file shares."""
    with ExitStack() as opened:
        first = World.over(module_database, opened)
        yield first.anew


@pytest.fixture
def world(new_world: Callable[[], World]) -> World:
    return new_world()


@pytest.fixture(autouse=True)
def _no_faults_left() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] -- autouse
    yield
    faults.install(None)
