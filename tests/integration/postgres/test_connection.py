"""The one gate to the database binds each transaction to a tenant and survives lost connections."""

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
import stamina
from psycopg import Connection

from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.errors import (
    ConfigurationError,
    DatabaseWarming,
    StatementTimedOut,
    StoreUnavailable,
    VectorDBError,
)
from tests.integration.postgres.author import Author
from tests.plugins.migrated_database import MigratedDatabase

TENANT = UUID("11111111-1111-4111-8111-111111111111")
WHO = "SELECT current_setting('app.tenant_id'), pg_backend_pid()"


def who(tx: Connection[Any]) -> tuple[str, int]:
    row = tx.execute(WHO).fetchone()
    assert row is not None
    return row[0], row[1]


@pytest.fixture
def database(database_as: Callable[[str], Database]) -> Database:
    return database_as("ingest")


def test_a_transaction_knows_its_tenant_and_forgets_it(database: Database) -> None:
    first, second = uuid4(), uuid4()
    assert database.run(first, who)[0] == str(first)
    assert database.run(second, who)[0] == str(second)

    with database.tenant_tx(first) as connection:
        who(connection)
    forgotten = connection.execute("SELECT current_setting('app.tenant_id')").fetchone()
    connection.rollback()

    assert forgotten == ("",)


def test_one_connection_serves_all_transactions(database: Database) -> None:
    assert database.run(TENANT, who)[1] == database.run(uuid4(), who)[1]


def test_a_connection_keeps_the_plans_of_marked_statements_only(database: Database) -> None:
    key = {"tenant_id": TENANT, "document_id": uuid4()}
    kept = "SELECT count(*), sum(generic_plans + custom_plans) FROM pg_prepared_statements"

    for _ in range(3):
        database.rows(TENANT, "receipt_of_document", key)
        database.rows(TENANT, "is_object_known", key | {"object_version": "x"})
    with database.tenant_tx(TENANT) as tx:
        row = tx.execute(kept).fetchone()

    assert row == (2, 10)  # with the tenant's own, in its seventh transaction


def test_a_transaction_cannot_be_opened_inside_another(database: Database) -> None:
    """The inner tenant's rows would be written in the outer tenant's transaction."""
    with (
        database.tenant_tx(TENANT),
        pytest.raises(ConfigurationError, match="already open"),
        database.tenant_tx(uuid4()),
    ):
        pass


def test_threads_take_turns(database: Database) -> None:
    gate, seen = Barrier(8), list[bool]()

    def ask() -> None:
        tenant = uuid4()
        gate.wait()
        for _ in range(20):
            seen.append(database.run(tenant, who)[0] == str(tenant))

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert seen == [True] * 160


def test_what_raises_is_rolled_back(database: Database, author: Author) -> None:
    author.register()

    def work(tx: Connection[Any]) -> None:
        tx.execute("UPDATE document SET title = 'half done'")
        raise KeyError

    with pytest.raises(KeyError):
        database.run(author.tenant, work)

    titles = database.run(
        author.tenant, lambda tx: tx.execute("SELECT title FROM document").fetchall()
    )
    assert titles == [("Log",)]


def test_a_reader_cannot_write(database: Database, author: Author) -> None:
    author.register()

    with pytest.raises(StoreUnavailable), database.tenant_tx(author.tenant, read_only=True) as tx:
        tx.execute("UPDATE document SET title = 'no'")


def test_a_snapshot_stays_as_it_was(
    database: Database, author: Author, admin: Connection[Any]
) -> None:
    author.register()

    with database.tenant_tx(author.tenant, read_only=True, snapshot=True) as tx:
        before = tx.execute("SELECT count(*) FROM document").fetchone()
        admin.execute("UPDATE document SET title = 'changed meanwhile'")
        titles = tx.execute("SELECT title FROM document").fetchall()

    assert (before, titles) == ((1,), [("Log",)])


def test_autocommit_is_refused(database: Database) -> None:
    with database.tenant_tx(TENANT) as connection:
        who(connection)
    connection.autocommit = True

    with pytest.raises(ConfigurationError, match="autocommit"):
        database.run(TENANT, who)


def test_a_session_that_the_server_ended_is_opened_again(
    database: Database, admin: Connection[Any]
) -> None:
    """57P01 and 57P05 arrive with the next statement, which the caller has not sent yet."""
    _tenant, first = database.run(TENANT, who)
    admin.execute("SELECT pg_terminate_backend(%s)", [first])

    with database.tenant_tx(TENANT) as tx:  # without the retries of `run`
        assert who(tx)[1] != first


def test_a_session_idle_for_too_long_is_opened_again(
    database: Database, admin: Connection[Any]
) -> None:
    """A frozen function keeps its socket; Aurora pauses only without connections."""
    admin.execute("ALTER ROLE pulsedocs_ingest SET idle_session_timeout = '20ms'")
    try:
        _tenant, first = database.run(TENANT, who)
        while admin.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [first]).fetchone():
            pass
        with database.tenant_tx(TENANT) as tx:
            assert who(tx)[1] != first
    finally:
        admin.execute("ALTER ROLE pulsedocs_ingest SET idle_session_timeout = '60s'")


def test_a_connection_lost_midway_repeats_the_whole_transaction(
    database: Database, admin: Connection[Any], author: Author
) -> None:
    """K13: nothing of the first attempt stays."""
    author.register()
    attempts: list[int] = []

    def work(tx: Connection[Any]) -> None:
        attempts.append(who(tx)[1])
        tx.execute("UPDATE document SET latest_version = latest_version + 1")
        if len(attempts) == 1:
            admin.execute("SELECT pg_terminate_backend(%s)", [attempts[0]])
        tx.execute("SELECT 1")

    database.run(author.tenant, work)

    assert len(set(attempts)) == 2
    assert admin.execute("SELECT latest_version FROM document").fetchone() == (2,)


def test_a_restart_of_the_server_is_survived(tmp_path_factory: Any) -> None:
    """K14: a crash with recovery, between two transactions."""
    with PostgresServer(tmp_path_factory.mktemp("server"), durable=True) as server:
        url = server.create_database("any")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        database = Database(url)
        first = database.run(TENANT, who)

        server.restart(immediate=True)

        assert database.run(TENANT, who)[1] != first[1]
        database.close()


def test_two_transactions_that_wait_for_each_other_both_end(
    database_as: Callable[[str], Database], author: Author, admin: Connection[Any]
) -> None:
    """K15: the one that PostgreSQL picks as the victim is run again."""
    first = author.register("first.txt").document_id
    second = author.register("second.txt").document_id
    gate = Barrier(2)
    attempts: list[UUID] = []

    def work(order: list[UUID]) -> Callable[[Connection[Any]], None]:
        def lock_both(tx: Connection[Any]) -> None:
            is_first_try = order[0] not in attempts
            attempts.append(order[0])
            statement = "UPDATE document SET title = 'x' WHERE document_id = %s"
            tx.execute(statement, [order[0]])
            if is_first_try:
                gate.wait()
            tx.execute(statement, [order[1]])

        return lock_both

    threads = [
        Thread(target=database_as("ingest").run, args=[author.tenant, work(order)])
        for order in ([first, second], [second, first])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(attempts) == 3
    assert admin.execute("SELECT count(*) FROM document WHERE title = 'x'").fetchone() == (2,)


def test_a_server_that_is_not_there_is_a_database_warming_up(
    postgres_server: PostgresServer,
) -> None:
    closed = postgres_server.admin_url.replace(f":{postgres_server.port}/", ":1/")

    with stamina.set_testing(True, attempts=2), pytest.raises(DatabaseWarming):
        Database(closed).run(TENANT, who)


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("SELECT 1 / 0", VectorDBError),
        ("SELECT nonsense", VectorDBError),
        ("DO $$ BEGIN PERFORM pg_sleep(9); END $$", StatementTimedOut),
        ("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$", StoreUnavailable),
        ("DO $$ BEGIN RAISE SQLSTATE '55P03'; END $$", StoreUnavailable),
        ("DO $$ BEGIN RAISE SQLSTATE '53300'; END $$", StoreUnavailable),
        ("DO $$ BEGIN RAISE SQLSTATE '57P03'; END $$", DatabaseWarming),
        ("DO $$ BEGIN RAISE SQLSTATE '08006'; END $$", StoreUnavailable),
    ],
)
def test_what_the_database_says_becomes_what_the_ports_promise(
    database: Database, statement: str, error: type[Exception]
) -> None:
    def work(tx: Connection[Any]) -> None:
        tx.execute("SET LOCAL statement_timeout = '20ms'")
        tx.execute(statement.encode())

    with stamina.set_testing(True, attempts=1), pytest.raises(error):
        database.run(TENANT, work)


def test_an_error_quotes_no_row(database: Database, author: Author) -> None:
    """I13: what PostgreSQL says of a row may be document text."""
    author.register("secret.txt")

    with pytest.raises(VectorDBError) as refused, database.tenant_tx(author.tenant) as tx:
        tx.execute("UPDATE document SET metadata = '[\"secret.txt\"]'")

    assert "secret" not in refused.value.message


def test_a_permanent_error_is_not_repeated(database: Database) -> None:
    attempts: list[int] = []

    def work(tx: Connection[Any]) -> None:
        attempts.append(1)
        tx.execute("SELECT 1 / 0")

    with pytest.raises(VectorDBError):
        database.run(TENANT, work)
    assert attempts == [1]


def test_five_attempts_are_enough(database: Database) -> None:
    attempts: list[int] = []

    def work(tx: Connection[Any]) -> None:
        attempts.append(1)
        tx.execute("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$")

    with stamina.set_testing(True, attempts=5), pytest.raises(StoreUnavailable):
        database.run(TENANT, work)
    assert len(attempts) == 5


def test_the_password_is_asked_for_at_each_connection(
    migrated_database: MigratedDatabase, admin: Connection[Any]
) -> None:
    """An IAM token lives for 15 minutes, a connection can live longer."""
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    parts = conninfo_to_dict(migrated_database.url("ingest"))
    secret = str(parts.pop("password"))
    asked: list[int] = []

    def password() -> str:
        asked.append(1)
        return secret

    database = Database(make_conninfo("", **parts), password=password)
    _tenant, first = database.run(TENANT, who)
    admin.execute("SELECT pg_terminate_backend(%s)", [first])
    database.run(TENANT, who)

    assert asked == [1, 1]
    database.close()
