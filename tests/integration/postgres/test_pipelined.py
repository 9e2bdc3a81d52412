"""A pipelined transaction promises what any other does, in fewer round trips."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.errors import ConfigurationError, StoreUnavailable, VectorDBError
from tests.integration.postgres.author import Author
from tests.integration.postgres.test_connection import TENANT, who


@pytest.fixture
def database(database_as: Callable[[str], Database]) -> Database:
    """One that was used just now: the next transaction begins without a look at the server."""
    database = database_as("ingest")
    database.run(TENANT, who, pipelined=True)
    return database


def titles(tx: Connection[Any]) -> list[tuple[str]]:
    return tx.execute("SELECT title FROM document").fetchall()


def test_it_is_bound_to_its_tenant_and_forgets_it(database: Database) -> None:
    first, second = uuid4(), uuid4()

    assert database.run(first, who, pipelined=True)[0] == str(first)
    assert database.run(second, who, pipelined=True)[0] == str(second)
    assert database.run(first, who)[0] == str(first)


def test_it_sees_the_rows_of_its_tenant_alone(database: Database, author: Author) -> None:
    author.register()

    assert database.run(author.tenant, titles, pipelined=True) == [("Log",)]
    assert database.run(uuid4(), titles, pipelined=True) == []


def test_what_it_writes_is_committed_though_nothing_is_fetched(
    database: Database, author: Author
) -> None:
    author.register()

    with database.pipelined_tx(author.tenant) as tx:
        tx.execute("UPDATE document SET title = 'sent'")

    assert database.run(author.tenant, titles) == [("sent",)]


def test_what_raises_is_rolled_back(database: Database, author: Author) -> None:
    author.register()

    def work(tx: Connection[Any]) -> None:
        tx.execute("UPDATE document SET title = 'half done'")
        raise KeyError

    with pytest.raises(KeyError):
        database.run(author.tenant, work, pipelined=True)

    assert database.run(author.tenant, titles, pipelined=True) == [("Log",)]


def test_an_error_that_nobody_fetched_ends_it_all_the_same(
    database: Database, author: Author
) -> None:
    author.register()

    def work(tx: Connection[Any]) -> None:
        tx.execute("UPDATE document SET title = 'half done'")
        tx.execute("SELECT 1 / 0")

    with pytest.raises(VectorDBError):
        database.run(author.tenant, work, pipelined=True)

    assert database.run(author.tenant, titles, pipelined=True) == [("Log",)]


def test_its_snapshot_reads_and_stays(
    database: Database, author: Author, admin: Connection[Any]
) -> None:
    author.register()

    with database.pipelined_tx(author.tenant, read_only=True, snapshot=True) as tx:
        before = titles(tx)
        admin.execute("UPDATE document SET title = 'changed meanwhile'")
        after = titles(tx)
    with (
        pytest.raises(StoreUnavailable),
        database.pipelined_tx(author.tenant, read_only=True) as tx,
    ):
        tx.execute("UPDATE document SET title = 'no'")

    assert before == after == [("Log",)]


def test_a_session_that_the_server_ended_is_opened_again(
    database: Database, admin: Connection[Any]
) -> None:
    first = database.run(TENANT, who, pipelined=True)[1]
    admin.execute("SELECT pg_terminate_backend(%s)", [first])

    assert database.run(TENANT, who, pipelined=True)[1] != first


def test_a_rested_session_is_looked_at_before_anything_is_sent(
    database: Database, admin: Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A frozen function's session may have been ended; no attempt is spent on that."""
    monkeypatch.setattr("pulsedocs.adapters.postgres.connection._LONGEST_REST_SECONDS", 0)
    first = database.run(TENANT, who, pipelined=True)[1]
    admin.execute("SELECT pg_terminate_backend(%s)", [first])

    with database.pipelined_tx(TENANT) as tx:  # without the retries of `run`
        assert who(tx)[1] != first


def test_a_tenant_that_the_server_did_not_take_is_an_error(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3-25: nothing is returned, and before that nothing was seen."""

    def unbound(_name: str) -> str:
        return "SELECT ''::text, %(tenant_id)s::text"

    monkeypatch.setattr("pulsedocs.adapters.postgres.connection.query", unbound)

    with pytest.raises(ConfigurationError, match="tenant"):
        database.run(uuid4(), titles, pipelined=True)
