"""The functions of the last release run on the new schema, and its migrations never change."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import Connection

from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.upkeep.migrations import migrations
from tests import released
from tests.plugins.migrated_database import ROLES, url_of
from tests.released import Release
from tests.released_steps import ReleasedSteps

Connections = dict[str, Connection[Any]]

SHIPPED = {migration.name: migration.checksum for migration in migrations()}
_numbers = count(1)


@pytest.fixture(scope="module")
def release(postgres_server: PostgresServer, migrated_template: str) -> Release:
    """Freeze this checkout as if it were released now."""
    url = postgres_server.create_database("frozen", template=migrated_template)
    with ExitStack() as opened:
        connections = {
            role: opened.enter_context(psycopg.connect(url_of(url, role))) for role in ROLES
        }
        return Release.of(connections, version="1.0")


@pytest.fixture
def upgraded(
    postgres_server: PostgresServer, migrated_template: str
) -> Iterator[Callable[[str], Connections]]:
    """Give each role's connection to a database that one more migration ran in."""
    with ExitStack() as opened:

        def run(migration: str) -> Connections:
            name = f"upgraded_{next(_numbers)}"
            url = postgres_server.create_database(name, template=migrated_template)
            opened.callback(postgres_server.drop_database, name)
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("SET search_path = pulsedocs, public")
                connection.execute(migration.encode())
            return {
                role: opened.enter_context(psycopg.connect(url_of(url, role))) for role in ROLES
            }

        yield run


def test_what_the_last_release_asks_of_the_schema_is_still_there(
    upgraded: Callable[[str], Connections],
) -> None:
    """P-03: expand first; contract in the release after the next."""
    last = Release.last()

    assert last.edited(SHIPPED) == []
    assert last.broken_on(upgraded("SELECT 1")) == []


def test_schema_and_steps_were_frozen_by_the_same_release() -> None:
    """P-03: `make release` writes both files, and both are committed."""
    assert Release.last().version == ReleasedSteps.last().version


def test_a_migration_that_adds_breaks_nothing(
    release: Release, upgraded: Callable[[str], Connections]
) -> None:
    """P-03."""
    after = upgraded(
        "ALTER TABLE document ADD COLUMN note text NOT NULL DEFAULT '';"
        "ALTER TABLE document ADD COLUMN remark text;"
        "CREATE TABLE later (value integer NOT NULL)"
    )

    assert release.broken_on(after) == []
    assert all(statement.roles for statement in release.statements.values())


@pytest.mark.parametrize(
    ("migration", "found"),
    [
        ("ALTER TABLE document DROP COLUMN title CASCADE", "title does not exist"),
        ("ALTER TABLE document RENAME COLUMN metadata TO facts", "does not exist"),
        ("REVOKE SELECT ON document FROM pulsedocs_api", "as api: permission denied"),
        ("ALTER TABLE document ADD COLUMN kind text NOT NULL", "document.kind: an INSERT of 1.0"),
    ],
)
def test_a_migration_that_takes_away_is_found(
    migration: str, found: str, release: Release, upgraded: Callable[[str], Connections]
) -> None:
    """P-03: each would fail in a function that is not replaced yet."""
    broken = release.broken_on(upgraded(migration))

    assert any(found in line for line in broken), broken[:5]


def test_what_is_frozen_is_read_back(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(released, "FILE", tmp_path / "released.json")

    release.freeze()

    assert Release.last() == release


def test_a_released_migration_that_was_edited_or_removed_is_named() -> None:
    first, second, *_ = SHIPPED
    release = Release(
        version="1.0",
        migrations={first: SHIPPED[first], second: "another checksum", "0000_gone.sql": "x"},
        statements={},
        required=[],
    )

    assert release.edited(SHIPPED) == [second, "0000_gone.sql"]
