"""What the tests of a whole stage share."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import Connection

from local.stage import Stage
from pulsedocs.client import PulseDocs


@pytest.fixture(scope="module")
def admin(stage: Stage) -> Iterator[Connection[Any]]:
    options = "-c search_path=pulsedocs,public"
    with psycopg.connect(stage.database_url, options=options, autocommit=True) as connection:
        yield connection


@pytest.fixture
def docs(stage: Stage) -> Iterator[PulseDocs]:
    with PulseDocs(stage.url, stage.token(uuid4()), trust_env=False) as client:
        yield client
