"""Migrations run once, in order, and never in a form other than the one that ran before."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.upkeep.migrations import migrate, migrations
from pulsedocs.errors import ConfigurationError
from tests.integration.postgres.author import Author
from tests.patience import PATIENCE

_numbers = count(1)


@pytest.fixture
def empty_database(postgres_server: PostgresServer) -> Iterator[str]:
    name = f"empty_{next(_numbers)}"
    yield postgres_server.create_database(name)
    postgres_server.drop_database(name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "0001_note.sql").write_text("CREATE TABLE note (value integer);")
    return tmp_path


def values(url: str, statement: str) -> list[Any]:
    with psycopg.connect(url) as connection:
        rows = connection.execute(statement.encode()).fetchall()
    return [row[0] for row in rows]


def test_every_migration_runs_once_in_order(empty_database: str) -> None:
    ran = migrate(empty_database)

    assert ran == sorted(ran) == [migration.name for migration in migrations()]
    assert migrate(empty_database) == []


def test_eight_deployments_at_once_run_each_migration_once(empty_database: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        ran = list(pool.map(migrate, [empty_database] * 8))

    assert sorted(len(names) for names in ran) == [0] * 7 + [len(migrations())]


def test_a_migration_that_changed_after_it_ran_is_named(empty_database: str, folder: Path) -> None:
    migrate(empty_database, folder=folder)
    (folder / "0001_note.sql").write_text("CREATE TABLE note (value bigint);")

    with pytest.raises(ConfigurationError, match=r"0001_note\.sql"):
        migrate(empty_database, folder=folder)


def test_a_migration_that_comes_too_late_is_refused(empty_database: str, folder: Path) -> None:
    """Two branches, merged in the wrong order: it would run on a schema it never saw."""
    (folder / "0003_third.sql").write_text("SELECT 3;")
    migrate(empty_database, folder=folder)
    (folder / "0002_second.sql").write_text("SELECT 2;")

    with pytest.raises(ConfigurationError, match=r"0002_second\.sql.*before"):
        migrate(empty_database, folder=folder)


def test_a_migration_that_fails_leaves_nothing_and_the_earlier_ones_done(
    empty_database: str, folder: Path
) -> None:
    """K01: half a migration is none."""
    broken = folder / "0002_broken.sql"
    broken.write_text("CREATE TABLE half (value integer); SELECT 1 / 0;")

    with pytest.raises(ConfigurationError, match=r"0002_broken\.sql.*division by zero"):
        migrate(empty_database, folder=folder)

    assert values(empty_database, "SELECT name FROM pulsedocs_migrations") == ["0001_note.sql"]
    assert values(empty_database, "SELECT to_regclass('half')") == [None]
    broken.write_text("CREATE TABLE half (value integer);")
    assert migrate(empty_database, folder=folder) == ["0002_broken.sql"]


def test_a_migration_that_has_to_wait_lets_questions_pass(
    empty_database: str, folder: Path
) -> None:
    """It wants a table that somebody reads for seconds; who asks meanwhile queues behind it."""
    migrate(empty_database, folder=folder)
    (folder / "0002_more.sql").write_text("ALTER TABLE note ADD COLUMN remark text;")

    with ThreadPoolExecutor(1) as pool, psycopg.connect(empty_database) as long_reader:
        long_reader.execute("SELECT * FROM note")  # holds the table until its transaction ends
        migrating = pool.submit(migrate, empty_database, folder=folder)
        with psycopg.connect(empty_database, autocommit=True) as asker:
            asker.execute("SET lock_timeout = '3s'")  # as the roles of the product have it
            while not lock_is_waited_for(empty_database):
                assert not migrating.done()
            answers = [asker.execute("SELECT count(*) FROM note").fetchone() for _ in range(3)]
            assert not migrating.done()
        long_reader.rollback()

        assert migrating.result(PATIENCE) == ["0002_more.sql"]
    assert answers == [(0,)] * 3


def test_a_migration_that_never_gets_its_lock_is_named_and_leaves_nothing(
    empty_database: str, folder: Path
) -> None:
    migrate(empty_database, folder=folder)
    (folder / "0002_more.sql").write_text(
        "CREATE TABLE half (value integer); ALTER TABLE note ADD COLUMN remark text;"
    )

    with psycopg.connect(empty_database) as long_reader:
        long_reader.execute("SELECT * FROM note")
        with pytest.raises(ConfigurationError, match=r"0002_more\.sql.*lock.*deploy again"):
            migrate(empty_database, folder=folder, lock_patience_seconds=0.1)

    assert values(empty_database, "SELECT to_regclass('half')") == [None]
    assert migrate(empty_database, folder=folder) == ["0002_more.sql"]


def lock_is_waited_for(url: str) -> bool:
    return values(url, "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted") == [True]


def test_an_index_is_made_outside_of_a_transaction_while_others_wait(
    empty_database: str, folder: Path
) -> None:
    """CREATE INDEX CONCURRENTLY waits for open statements: a waiting deployment must not be one."""
    (folder / "0002_index.sql").write_text(
        "-- no transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS note_value ON note (value);"
    )

    with ThreadPoolExecutor(4) as pool:
        ran = list(pool.map(partial(migrate, folder=folder), [empty_database] * 4))

    assert sum(len(names) for names in ran) == 2
    assert values(
        empty_database, "SELECT indisvalid FROM pg_index WHERE indexrelid = 'note_value'::regclass"
    ) == [True]


def test_an_old_pgvector_is_refused_by_its_version(empty_database: str) -> None:
    """Before 0.8 a filtered search loses rows silently."""
    with psycopg.connect(empty_database, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")

    with pytest.raises(ConfigurationError, match=r"pgvector 0\.7\.4 is installed.*needs 0\.8"):
        migrate(empty_database)


def test_a_master_who_is_no_superuser_can_migrate(
    postgres_server: PostgresServer, tmp_path_factory: Any
) -> None:
    """On RDS nobody is: the master may create roles and databases, and owns the database."""
    directory = tmp_path_factory.mktemp("server")
    with PostgresServer(directory, version=postgres_server.version, disposable=True) as server:
        with psycopg.connect(server.admin_url, autocommit=True) as connection:
            connection.execute(
                "CREATE ROLE master LOGIN NOSUPERUSER CREATEROLE CREATEDB PASSWORD 'of-a-test'"
            )
            connection.execute("CREATE DATABASE stage OWNER master")
        stage = make_conninfo(server.admin_url, dbname="stage")
        with psycopg.connect(stage, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")  # RDS lets its master do this
        master = make_conninfo(stage, user="master", password="of-a-test")  # noqa: S106 -- loopback

        assert len(migrate(master)) == len(migrations())
        assert migrate(master) == []
        assert values(
            stage,
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'pulsedocs'::regnamespace"
            " AND relowner <> 'pulsedocs_owner'::regrole",
        ) == [0]


def test_no_runtime_role_can_touch_the_record_of_migrations(
    author: Author, database_as: Callable[[str], Database]
) -> None:
    for role in ("api", "ingest", "query", "sweep"):
        with pytest.raises(Exception, match="InsufficientPrivilege"):
            database_as(role).run(
                author.tenant, lambda tx: tx.execute("SELECT * FROM public.pulsedocs_migrations")
            )
