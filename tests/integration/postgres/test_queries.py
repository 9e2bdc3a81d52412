"""Every statement is one that PostgreSQL can plan, for a role that runs it."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, LiteralString, cast

import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.errors import InsufficientPrivilege

from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.queries import kept_statements, query, statements
from tests.plugins.migrated_database import ROLES, MigratedDatabase

NAMES = sorted(statements())
BY_THE_MIGRATION = {
    "create_migration_table",
    "limit_waits_for_locks",
    "let_roles_sign_in",
    "share_connections",
    "migrations_done",
    "record_migration",
}
WITHOUT_A_PLAN = {"create_vector_index", "drop_vector_index"}
OF_ONE = re.compile(r"\b(?:collection_id|day|document_id|holder|model) = ")
BY_TENANT = {"budget_take"}  # the limits of a tenant are one row
PARAMETER = re.compile(r"%\((\w+)\)[sb]")
FIRST_LINE = re.compile(r"-- \S.{10,97}")
MARKER = re.compile(r"\{([a-z]+)\}")
COMPOSED = {
    "wanted": sql.SQL("true"),
    "owner": sql.SQL("NULL::uuid"),
    "columns": sql.SQL("source"),
    "sizes": sql.SQL("pg_column_size(source)"),
    "searched": sql.SQL("document"),
    "distance": sql.SQL("embedding <=> %(vector)s::halfvec"),
    "near": sql.SQL(
        "SELECT *, 0.5 AS distance FROM document_chunk JOIN document USING (tenant_id, document_id)"
        " JOIN chunk_embedding USING (tenant_id, document_id, version, chunk_id)"
    ),
    "leg": sql.SQL(
        "SELECT 1 AS rank, 1 AS score, document_id, page_start, page_end FROM document_chunk"
    ),
    "found": sql.SQL("SELECT document_id, version, chunk_id, 1 AS score FROM document_chunk"),
}


def explained(statement: LiteralString) -> tuple[sql.Composed, dict[str, None]]:
    """Return EXPLAIN of a statement as Python completes it, and null for each parameter."""
    markers = {name: COMPOSED[name] for name in MARKER.findall(statement)}
    text = sql.SQL(statement).format(**markers) if markers else sql.SQL(statement)
    complete = sql.SQL("EXPLAIN ") + text
    return complete, dict.fromkeys(PARAMETER.findall(complete.as_string()))


@pytest.fixture(scope="module")
def planning_database(
    postgres_server: PostgresServer, migrated_template: str
) -> Iterator[MigratedDatabase]:
    """Give one database to all these tests: EXPLAIN changes nothing."""
    url = postgres_server.create_database("planning", template=migrated_template)
    with psycopg.connect(url) as connection:
        connection.execute("SELECT pulsedocs.ensure_embedding_model('memory:hashing@8')")
    yield MigratedDatabase(url)
    postgres_server.drop_database("planning")


@pytest.fixture(scope="module")
def connections(planning_database: MigratedDatabase) -> Iterator[list[Connection[Any]]]:
    with ExitStack() as opened:
        yield [opened.enter_context(psycopg.connect(planning_database.url(r))) for r in ROLES]


def test_every_query_plans_for_a_role(connections: list[Connection[Any]]) -> None:
    refused_to_all: list[str] = []
    for name in sorted(set(NAMES) - BY_THE_MIGRATION - WITHOUT_A_PLAN):
        statement, parameters = explained(query(name))
        refusals = 0
        for connection in connections:
            try:
                with connection.transaction():
                    connection.execute(statement, parameters)
            except InsufficientPrivilege:
                refusals += 1
            except psycopg.Error as error:
                error.add_note(f"the query is {name!r}")
                raise
        if refusals == len(ROLES):
            refused_to_all.append(name)

    assert refused_to_all == []


KEPT = sorted(name for name in NAMES if query(name) in kept_statements())


@pytest.mark.parametrize("name", KEPT)
def test_a_statement_whose_plan_is_kept_finds_its_rows_by_their_key(
    name: str, connections: list[Connection[Any]]
) -> None:
    """A plan made for a tenant with few must not read all that the next one has."""
    numbers: dict[str, str] = {}
    for parameter in PARAMETER.findall(query(name)):
        numbers.setdefault(parameter, f"${len(numbers) + 1}")
    text = PARAMETER.sub(lambda found: numbers[found[1]], query(name)).replace("%%", "%")
    given = f"({', '.join(['NULL'] * len(numbers))})" if numbers else ""
    plans: list[str] = []
    for connection in connections:
        with suppress(InsufficientPrivilege), connection.transaction(force_rollback=True):
            connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
            connection.execute("SET LOCAL enable_seqscan = off")  # these tables are empty
            connection.execute(cast("LiteralString", f"PREPARE kept AS {text}"))
            explain = cast("LiteralString", f"EXPLAIN EXECUTE kept{given}")
            plans.append("\n".join(row[0] for row in connection.execute(explain)))
        connection.execute("DEALLOCATE ALL")

    assert plans
    conditions = [line for line in plans[0].splitlines() if "Index Cond" in line]
    assert "Seq Scan on" not in plans[0], plans[0]
    assert all(OF_ONE.search(line) or name in BY_TENANT for line in conditions), plans[0]


@pytest.mark.parametrize("name", sorted(BY_THE_MIGRATION))
def test_a_query_of_the_migration_plans_for_its_master(
    name: str, planning_database: MigratedDatabase
) -> None:
    statement = query(name)
    connected = psycopg.connect(planning_database.admin_url)
    with connected as admin, admin.transaction(force_rollback=True):
        # EXPLAIN takes none of these, and each may be repeated.
        if "CREATE TABLE" in statement or "DO $$" in statement:
            done = admin.execute(statement)
        else:
            done = admin.execute(*explained(statement))

    assert done.statusmessage in {"CREATE TABLE", "DO", "EXPLAIN"}


def test_every_query_says_first_what_its_rows_are() -> None:
    firsts = {name: query(name).splitlines()[0] for name in NAMES}

    assert {n: line for n, line in firsts.items() if not FIRST_LINE.fullmatch(line)} == {}


def test_every_query_is_used() -> None:
    package = Path(str(files("pulsedocs.adapters.postgres")))
    code = "".join(file.read_text("utf-8") for file in package.rglob("*.py"))

    assert [name for name in NAMES if f'"{name}"' not in code] == []
