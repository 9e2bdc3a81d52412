"""The schema of a database, as the role that owns the database brings it up to date."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from psycopg import Connection

from pulsedocs.adapters.postgres.connection import translated
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.upkeep.migrations import connected, migrate
from pulsedocs.errors import PgvectorTooOld

_OLDEST_VECTOR: Final = (0, 8)  # brought iterative scans: without, a filter loses rows silently

Result = TypeVar("Result")


class PostgresSchema:
    """Implements `upkeep.ports.Schema`; each step signs in anew, so no token runs out."""

    def __init__(self, url: str, *, password: Callable[[], str] | None = None) -> None:
        self._url = url
        self._password = password

    def vector_version(self) -> str:
        row = self._run(lambda connection: connection.execute(query("vector_version")).fetchone())
        if row is None:
            raise PgvectorTooOld("this PostgreSQL has no pgvector; PulseDocs needs 0.8 or later")
        version = str(row[0])
        major, minor, *_ = version.split(".")
        if (int(major), int(minor)) < _OLDEST_VECTOR:
            raise PgvectorTooOld(
                f"pgvector {version} is installed; PulseDocs needs 0.8 or later: run"
                " `ALTER EXTENSION vector UPDATE`, or choose a newer engine version"
            )
        return version

    def apply_pending(self) -> tuple[str, ...]:
        return tuple(migrate(self._url, password=self._password))

    def let_roles_sign_in(self) -> tuple[str, ...]:
        def let_in(connection: Connection[Any]) -> tuple[str, ...]:
            connection.execute(query("share_connections"))
            connection.execute(query("let_roles_sign_in"))
            rows = connection.execute(query("roles_by_token")).fetchall()
            return tuple(str(row[0]) for row in rows)

        return self._run(let_in)

    def _run(self, work: Callable[[Connection[Any]], Result]) -> Result:
        with translated(), connected(self._url, self._password) as connection:
            return work(connection)
