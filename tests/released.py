"""What the last release asks of the schema: `make release` freezes it, the tests hold to it.

While a deployment replaces functions, those of the last release run on the new schema; and a
migration that has run somewhere can never change. So a release's migrations are kept by their
checksums, its statements with the roles that run them, and the columns that it had to fill.
"""

import json
import tempfile
import tomllib
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self

import psycopg
from psycopg import Connection

from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.upkeep.migrations import migrate, migrations
from tests.integration.postgres.test_queries import (
    BY_THE_MIGRATION,
    NAMES,
    WITHOUT_A_PLAN,
    explained,
)
from tests.plugins.migrated_database import ROLES, set_passwords, url_of

FILE: Final = Path(__file__).with_name("released.json")
_ROOT: Final = Path(__file__).parents[1]
_REQUIRED: Final = b"""
    SELECT format('%s.%s', relation.relname, attribute.attname)
    FROM pg_attribute AS attribute
    JOIN pg_class AS relation ON relation.oid = attribute.attrelid
    WHERE relation.relnamespace = 'pulsedocs'::regnamespace AND relation.relkind IN ('r', 'p')
      AND attribute.attnum > 0 AND NOT attribute.attisdropped
      AND attribute.attnotnull AND NOT attribute.atthasdef AND attribute.attidentity = ''
    ORDER BY 1
"""

Connections = Mapping[str, Connection[Any]]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as its release ran it, and the roles that were allowed to."""

    explained: str
    roles: list[str]


@dataclass(frozen=True, slots=True)
class Release:
    version: str
    migrations: dict[str, str]
    """Checksums by name."""
    statements: dict[str, Statement]
    required: list[str]
    """`table.column` that an INSERT has to name."""

    @classmethod
    def last(cls) -> Self:
        kept = json.loads(FILE.read_text("utf-8"))
        statements = {name: Statement(**item) for name, item in kept.pop("statements").items()}
        return cls(statements=statements, **kept)

    @classmethod
    def of(cls, connections: Connections, *, version: str) -> Self:
        """Read a release off the checkout and a database that has all of its migrations."""
        return cls(
            version=version,
            migrations={migration.name: migration.checksum for migration in migrations()},
            statements={
                name: _statement(name, connections)
                for name in set(NAMES) - BY_THE_MIGRATION - WITHOUT_A_PLAN
            },
            required=_required(next(iter(connections.values()))),
        )

    def freeze(self) -> None:
        FILE.write_text(json.dumps(asdict(self), indent=1, sort_keys=True) + "\n", "utf-8")

    def edited(self, shipped: Mapping[str, str]) -> list[str]:
        """Return the migrations that have changed or gone since they were released."""
        return [name for name, checksum in self.migrations.items() if shipped.get(name) != checksum]

    def broken_on(self, connections: Connections) -> list[str]:
        """Say what of this release would fail on the schema that the connections see."""
        tables = {column.partition(".")[0] for column in self.required}
        unfilled = [
            f"{column}: an INSERT of {self.version} does not fill it"
            for column in _required(next(iter(connections.values())))
            if column not in self.required and column.partition(".")[0] in tables
        ]
        return unfilled + [
            f"{name} as {role}: {reason}"
            for name, statement in sorted(self.statements.items())
            for role in statement.roles
            if (reason := _refusal(connections[role], statement.explained))
        ]


def _statement(name: str, connections: Connections) -> Statement:
    composed, parameters = explained(query(name))
    text = psycopg.ClientCursor(next(iter(connections.values()))).mogrify(composed, parameters)
    roles = [role for role, connection in connections.items() if not _refusal(connection, text)]
    return Statement(explained=text, roles=roles)


def _refusal(connection: Connection[Any], text: str) -> str:
    """Return why a statement cannot be planned, or nothing."""
    try:
        with connection.transaction():
            connection.execute(text.encode())
    except psycopg.Error as error:
        return error.diag.message_primary or str(error)
    return ""


def _required(connection: Connection[Any]) -> list[str]:
    return [row[0] for row in connection.execute(_REQUIRED)]


def main() -> None:
    """Freeze this checkout as the last release."""
    with ExitStack() as opened:
        directory = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="released-")))
        server = opened.enter_context(PostgresServer(directory, version=16, disposable=True))
        url = server.create_database("release")
        migrate(url)
        set_passwords(url)
        connections = {
            role: opened.enter_context(psycopg.connect(url_of(url, role))) for role in ROLES
        }
        project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        release = Release.of(connections, version=project["version"])
    release.freeze()
    print(  # noqa: T201 -- a command
        f"tests/{FILE.name}: {release.version}, {len(release.migrations)} migrations"
    )


if __name__ == "__main__":
    main()
