"""A library to write documents into, and the store that searches it as `pulsedocs_query`."""

from collections.abc import Callable

import pytest

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore


@pytest.fixture
def store(database_as: Callable[[str], Database]) -> PostgresRetrievalStore:
    return PostgresRetrievalStore(database_as("query"))
