"""One world for all cases: a question changes nothing that the next one could see."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from benchmarks.library import Library
from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.profiles import PostgresProfileStore
from tests.integration.degradation.world import World
from tests.plugins.migrated_database import MigratedDatabase


@pytest.fixture(scope="session")
def world(postgres_server: PostgresServer, migrated_template: str) -> Iterator[World]:
    database = MigratedDatabase(
        postgres_server.create_database("degradation", template=migrated_template)
    )
    with (
        closing(Library(database.admin_url)) as library,
        closing(Database(database.url("query"))) as asking,
        closing(Database(database.url("api"))) as defining,
    ):
        yield World.built(library, asking, PostgresProfileStore(defining))
    postgres_server.drop_database("degradation")
