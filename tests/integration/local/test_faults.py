"""Injected faults do what their names say, once, and only where a test asked for them."""

from pathlib import Path

import pytest

from local.environment import LocalFunction
from local.faults import Fault
from local.postgres import PostgresServer
from local.workers import WorkerPool


@pytest.fixture
def pool(postgres_server: PostgresServer, tmp_path: Path) -> WorkerPool:
    function = LocalFunction(
        name="database",
        handler="tests.integration.local.handlers.database.handler",
        arn="arn:aws:lambda:us-east-1:123456789012:function:database",
        timeout_seconds=20,
        memory_mb=128,
        variables={"DATABASE_URL": postgres_server.admin_url},
    )
    return WorkerPool({"database": function}, logs=tmp_path)


def test_drop_cuts_the_connection_in_the_middle(pool: WorkerPool) -> None:
    with pool:
        pool.inject("database", "database.between:drop:1")

        cut, after = (pool.invoke("database", b"{}") for _ in range(2))

    assert cut.json()["errorType"] == "OperationalError"
    assert after.json() == 2


def test_the_nth_visit_is_struck_and_no_other(pool: WorkerPool) -> None:
    with pool:
        pool.inject("database", "database.between:raise:2")

        answers = [pool.invoke("database", b"{}") for _ in range(3)]

    assert [answer.function_error for answer in answers] == [None, "Unhandled", None]


@pytest.mark.parametrize("text", ["x", "x:burn:1", "x:raise:often"])
def test_a_fault_that_nobody_understands_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Fault.parse(text)
