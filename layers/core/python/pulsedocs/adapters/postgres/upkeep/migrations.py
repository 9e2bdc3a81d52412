"""Bring a database to the schema that this version of the code expects.

Migrations are numbered SQL files. Each runs in a transaction of its own, once; a file that starts
with `-- no transaction` runs outside of one, for statements that PostgreSQL allows in none. A file
that has run must never change: its checksum is compared.

Questions are answered while a migration runs. One that waits for a table makes everybody wait who
comes after it, so it waits for a second only, lets the others pass, and tries again for minutes.

A file outside of transactions holds one statement, and one that may be repeated (`IF NOT EXISTS`):
a crash can come between it and the note that it ran.
"""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final, LiteralString, cast

import psycopg
import stamina
from psycopg import Connection
from psycopg.conninfo import make_conninfo

from pulsedocs.adapters.postgres.connection import refusal
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.errors import ConfigurationError, DatabaseWarming, StoreUnavailable

_LOCK: Final = 0x50756C7365446F63  # "PulseDoc": one migration at a time in one database
_ASK_AGAIN_SECONDS: Final = 0.2
_PATIENCE_SECONDS: Final = 90.0
_LONGEST_PAUSE_SECONDS: Final = 3.0
_LOCK_PATIENCE_SECONDS: Final = 300.0  # `migrate` has 840, and a paused database took some
_LOCKED: Final = (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)
_SESSION: Final[dict[str, str | int]] = {
    "application_name": "pulsedocs-migrate",
    "connect_timeout": 10,
}
_OUTSIDE_OF_TRANSACTIONS: Final = "-- no transaction"


@dataclass(frozen=True, slots=True)
class SchemaMigration:
    name: str
    text: str

    @property
    def checksum(self) -> str:
        return sha256(self.text.encode()).hexdigest()

    @property
    def has_transaction(self) -> bool:
        return not self.text.startswith(_OUTSIDE_OF_TRANSACTIONS)


def migrate(
    connection_url: str,
    *,
    password: Callable[[], str] | None = None,
    folder: Traversable | None = None,
    lock_patience_seconds: float = _LOCK_PATIENCE_SECONDS,
) -> list[str]:
    """Run what has not run yet, in order, and return its names.

    Two at once are safe: the second waits and finds nothing left to do. What others hold locked for
    longer than the patience ends it with ConfigurationError, and nothing of that migration is left.
    """
    with connected(connection_url, password) as connection, _take_turn(connection):
        connection.execute(query("create_migration_table"))
        done = dict(connection.execute(query("migrations_done")).fetchall())
        pending = _pending(migrations(folder), done)
        for migration in pending:
            _apply(connection, migration, lock_patience_seconds)
    return [migration.name for migration in pending]


def connected(
    url: str,
    password: Callable[[], str] | None = None,
) -> Connection[Any]:
    """Connect outside of transactions, however long a paused database takes to resume.

    A permission that was granted a moment ago, by the same deployment, is waited for as well.
    """
    for attempt in stamina.retry_context(
        on=(DatabaseWarming, StoreUnavailable),
        attempts=None,
        timeout=_PATIENCE_SECONDS,
        wait_max=_LONGEST_PAUSE_SECONDS,
    ):
        with attempt:
            secret = {} if password is None else {"password": password()}
            address = make_conninfo(url, **_SESSION, **secret)
            try:
                return psycopg.connect(address, autocommit=True)
            except psycopg.OperationalError as error:
                raise refusal(error) from error
    raise AssertionError  # the last attempt returned or raised


def migrations(folder: Traversable | None = None) -> list[SchemaMigration]:
    """Return every migration that ships with the package, oldest first."""
    source = folder or files("pulsedocs.adapters.postgres").joinpath("migrations")
    return [
        SchemaMigration(file.name, file.read_text("utf-8"))
        for file in sorted(source.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".sql")
    ]


@contextmanager
def _take_turn(connection: Connection[Any]) -> Generator[None]:
    # Asking again rather than waiting: CREATE INDEX CONCURRENTLY waits for every session that is
    # in a statement, and one that waits for our lock would never leave its own.
    while connection.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK]).fetchone() != (True,):
        time.sleep(_ASK_AGAIN_SECONDS)
    try:
        yield
    finally:
        if not connection.closed:
            connection.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])


def _pending(shipped: list[SchemaMigration], done: dict[str, str]) -> list[SchemaMigration]:
    for migration in shipped:
        if done.get(migration.name, migration.checksum) != migration.checksum:
            raise ConfigurationError(
                f"migration {migration.name!r} changed after it had run; restore it and write a"
                " new one"
            )
    pending = [migration for migration in shipped if migration.name not in done]
    if pending and done and pending[0].name < max(done):
        raise ConfigurationError(
            f"migration {pending[0].name!r} comes before {max(done)!r}, which has run already"
        )
    return pending


def _apply(
    connection: Connection[Any], migration: SchemaMigration, lock_patience_seconds: float
) -> None:
    statements = cast("LiteralString", migration.text)
    try:
        if not migration.has_transaction:
            # No limit here: CREATE INDEX CONCURRENTLY makes nobody wait, and one that is broken off
            # leaves an invalid index behind.
            connection.execute(statements)
            _record(connection, migration)
            return
        for attempt in stamina.retry_context(
            on=_LOCKED,
            attempts=None,
            timeout=lock_patience_seconds,
            wait_max=_LONGEST_PAUSE_SECONDS,
        ):
            with attempt, connection.transaction():
                connection.execute(query("limit_waits_for_locks"))
                connection.execute(statements)
                _record(connection, migration)
    except psycopg.Error as error:
        reason = error.diag.message_primary or str(error)
        if isinstance(error, _LOCKED):
            reason += "; close what has been holding its tables for minutes, and deploy again"
        raise ConfigurationError(f"migration {migration.name!r} failed: {reason}") from error


def _record(connection: Connection[Any], migration: SchemaMigration) -> None:
    connection.execute("RESET ROLE")  # a file may have become the owner of what it makes
    connection.execute(
        query("record_migration"), {"name": migration.name, "checksum": migration.checksum}
    )
