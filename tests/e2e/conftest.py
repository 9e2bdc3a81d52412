"""What the tests of a whole stage share."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import Connection

from local.stage import Stage


@pytest.fixture(scope="module")
def admin(stage: Stage) -> Iterator[Connection[Any]]:
    options = "-c search_path=pulsedocs,public"
    with psycopg.connect(stage.database_url, options=options, autocommit=True) as connection:
        yield connection
