"""The database of a local stage: every migration, and a fresh password for each role.

Its owner is the server's superuser, who also stands in for the role that migrates on AWS.
"""

import secrets
from typing import Final

import psycopg
from psycopg import sql

from infra.functions import FUNCTIONS, MIGRATOR
from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.upkeep.migrations import migrate

DATABASE: Final = "pulsedocs"


def prepare(server: PostgresServer) -> dict[str, str]:
    """Create and migrate the database; return each application role's own address."""
    with psycopg.connect(server.admin_url) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
        is_new = found.fetchone() is None
    if is_new:
        server.create_database(DATABASE)
    migrate(server.database_url(DATABASE))
    return admit(server)


def admit(server: PostgresServer) -> dict[str, str]:
    """Give each role of a migrated database a password; return each one's address."""
    url = server.database_url(DATABASE)
    roles = {spec.database_role for spec in FUNCTIONS.values() if spec.database_role} - {MIGRATOR}
    passwords = {role: secrets.token_urlsafe(24) for role in sorted(roles)}
    statement = sql.SQL("ALTER ROLE {} PASSWORD {}")
    with psycopg.connect(url) as connection:
        for role, password in passwords.items():
            connection.execute(statement.format(sql.Identifier(role), sql.Literal(password)))
    return {MIGRATOR: url} | {
        role: server.url(database=DATABASE, user=role, password=password)
        for role, password in passwords.items()
    }
