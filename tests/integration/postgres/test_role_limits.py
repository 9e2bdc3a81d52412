"""What a role may take: connections within what its database has, time within its function's."""

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from psycopg import Connection

from infra.config import STAGES
from infra.functions import FUNCTIONS
from pulsedocs.adapters.postgres.queries import query
from tests.plugins.migrated_database import ROLES

KEPT_FOR_OTHERS: Final = 3 + 2 + 4
"""superuser_reserved_connections, rds.rds_superuser_reserved_connections; migrations, a person."""


@pytest.fixture
def shared(admin: Connection[Any]) -> Iterator[Connection[Any]]:
    """Give a server whose connections are divided; the tests beside this one never see it."""
    with admin.transaction(force_rollback=True):
        admin.execute(query("share_connections"))
        yield admin


def limits(connection: Connection[Any]) -> dict[str, int]:
    found = connection.execute(
        "SELECT rolname, rolconnlimit FROM pg_roles WHERE rolname = ANY(%s)",
        [[f"pulsedocs_{role}" for role in ROLES]],
    ).fetchall()
    return {str(role): int(limit) for role, limit in found}


def test_the_roles_together_leave_a_tenth_to_everyone_else(shared: Connection[Any]) -> None:
    """Whatever its size: the shares are those of the server that is asked."""
    row = shared.execute("SELECT current_setting('max_connections')::integer").fetchone()
    assert row is not None
    [total] = row

    found = limits(shared)
    assert len(found) == len(ROLES)
    assert min(found.values()) >= 1
    assert sum(found.values()) <= 0.9 * total
    assert found["pulsedocs_ingest"] <= total / 2


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_a_tenth_is_enough_for_what_else_connects_to_a_stage(stage: Any) -> None:
    assert 0.1 * stage.max_connections >= KEPT_FOR_OTHERS


@pytest.mark.parametrize("role", ROLES)
def test_a_statement_ends_before_the_function_that_waits_for_it(
    role: str, admin: Connection[Any]
) -> None:
    """P-04: the function hears of it and says so; one that is killed says nothing."""
    name = f"pulsedocs_{role}"
    row = admin.execute("SELECT rolconfig FROM pg_roles WHERE rolname = %s", [name]).fetchone()
    assert row is not None
    settings = dict(item.split("=", 1) for item in row[0])
    seconds = re.fullmatch(r"(\d+)s", settings["statement_timeout"])
    assert seconds is not None

    functions = [spec for spec in FUNCTIONS.values() if spec.database_role == name]
    assert functions
    assert int(seconds[1]) < min(spec.timeout_seconds for spec in functions)
