"""A migrated database for each test, copied from a template that one process makes once."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.conninfo import make_conninfo

from benchmarks.library import Library
from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.adapters.postgres.upkeep.migrations import migrate

ROLES: Final = ("api", "ingest", "query", "sweep")
_PASSWORD: Final = "of-a-test"  # noqa: S105 -- the server listens on loopback and dies with the test
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class MigratedDatabase:
    """`admin_url` is a superuser's: row security does not apply to what it reads."""

    admin_url: str

    def url(self, role: str) -> str:
        """Return the address for the application role `pulsedocs_<role>`."""
        return url_of(self.admin_url, role)


def url_of(admin_url: str, role: str) -> str:
    """Return a database's address for an application role, after `set_passwords`."""
    return make_conninfo(admin_url, user=f"pulsedocs_{role}", password=_PASSWORD)


@pytest.fixture(scope="session")
def migrated_template(postgres_server: PostgresServer) -> str:
    """Return the name of a database that has every migration and no rows."""
    name = "migrated"
    url = postgres_server.create_database(name)
    migrate(url)
    set_passwords(url)
    return name


def set_passwords(url: str) -> None:
    """Let the application roles of a migrated server log in."""
    with psycopg.connect(url, autocommit=True) as connection:
        for role in ROLES:
            statement = sql.SQL("ALTER ROLE {} PASSWORD {}")
            connection.execute(
                statement.format(sql.Identifier(f"pulsedocs_{role}"), sql.Literal(_PASSWORD))
            )


@pytest.fixture
def migrated_database(
    postgres_server: PostgresServer, migrated_template: str
) -> Iterator[MigratedDatabase]:
    name = f"test_{next(_numbers)}"
    yield MigratedDatabase(postgres_server.create_database(name, template=migrated_template))
    postgres_server.drop_database(name)


@pytest.fixture
def database_url(migrated_database: MigratedDatabase) -> str:
    """Return the superuser's address, for looking behind row security."""
    return migrated_database.admin_url


@pytest.fixture
def role_url(migrated_database: MigratedDatabase) -> Callable[[str], str]:
    """Give the address of an application role: `role_url("query")`."""
    return migrated_database.url


@pytest.fixture
def database_as(
    migrated_database: MigratedDatabase,
) -> Generator[Callable[[str], Database]]:
    """Give the product's own connection for an application role: `database_as("ingest")`."""
    with ExitStack() as opened:

        def open_as(role: str) -> Database:
            database = Database(migrated_database.url(role))
            opened.callback(database.close)
            return database

        yield open_as


@pytest.fixture
def connect_as(
    migrated_database: MigratedDatabase,
) -> Generator[Callable[[str], Connection[Any]]]:
    """Give a bare connection for a role, outside the product's gate; `admin` is the superuser."""
    with ExitStack() as opened:

        def connect(role: str) -> Connection[Any]:
            url = migrated_database.admin_url if role == "admin" else migrated_database.url(role)
            connection = psycopg.connect(url, options="-c search_path=pulsedocs,public")
            opened.callback(connection.close)
            return connection

        yield connect


@pytest.fixture
def admin(connect_as: Callable[[str], Connection[Any]]) -> Connection[Any]:
    connection = connect_as("admin")
    connection.autocommit = True
    return connection


@pytest.fixture
def library(database_url: str) -> Iterator[Library]:
    with closing(Library(database_url)) as opened:
        yield opened


@pytest.fixture
def ingestion_store(database_as: Callable[[str], Database]) -> PostgresIngestionStore:
    return PostgresIngestionStore(database_as("ingest"))


@pytest.fixture
def catalogue(database_as: Callable[[str], Database]) -> PostgresDocumentCatalogue:
    return PostgresDocumentCatalogue(database_as("api"))
