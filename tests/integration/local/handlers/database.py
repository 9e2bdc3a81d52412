"""A handler that is interrupted between two statements, where a test asks for it."""

import os
from typing import Any

import psycopg

from pulsedocs.faults import fault_point


def handler(_event: dict[str, Any], _context: Any) -> int:
    url = os.environ["DATABASE_URL"]  # noqa: TID251 -- what this function was given
    with psycopg.connect(url) as connection:
        connection.execute("SELECT 1")
        fault_point("database.between")
        row = connection.execute("SELECT 2").fetchone()
    assert row is not None
    return row[0]
