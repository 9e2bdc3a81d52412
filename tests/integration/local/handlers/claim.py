"""A claim that reads the event, touches the database as its own role, and has nothing to do."""

import os
from typing import Any

import psycopg


def handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    url = os.environ["DATABASE_URL"]  # noqa: TID251 -- what this function was given
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT current_user").fetchone()
    key = event["event"]["detail"]["object"]["key"]
    print(f"claimed {key} as {row and row[0]}", flush=True)  # noqa: T201 -- the test reads the log
    return {"work": False, "reason": "test", "run": None, "object": None}
