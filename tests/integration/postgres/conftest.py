"""A tenant whose documents are made straight through the stores."""

from collections.abc import Callable
from typing import Any

import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from tests.integration.postgres.author import Author


@pytest.fixture
def author(ingestion_store: PostgresIngestionStore, catalogue: PostgresDocumentCatalogue) -> Author:
    return Author(ingestion_store, catalogue)


@pytest.fixture
def admin(connect_as: Callable[[str], Connection[Any]]) -> Connection[Any]:
    connection = connect_as("admin")
    connection.autocommit = True
    return connection
