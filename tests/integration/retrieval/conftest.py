"""A library to write documents into, and the store that searches it as `pulsedocs_query`."""

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from benchmarks.library import Library
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore


@pytest.fixture
def library(database_url: str) -> Iterator[Library]:
    with closing(Library(database_url)) as opened:
        yield opened


@pytest.fixture
def store(database_as: Callable[[str], Database]) -> PostgresRetrievalStore:
    return PostgresRetrievalStore(database_as("query"))
