"""A tenant whose documents are made straight through the stores."""

import pytest

from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from tests.integration.postgres.author import Author


@pytest.fixture
def author(ingestion_store: PostgresIngestionStore, catalogue: PostgresDocumentCatalogue) -> Author:
    return Author(ingestion_store, catalogue)
