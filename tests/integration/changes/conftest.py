"""A tenant whose documents can be changed, deleted and purged, with S3 in memory."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.deletion.purges import PostgresPurgeStore
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.documents.updates import PostgresDocumentChanges
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from tests.integration.changes.keeper import Keeper
from tests.integration.ingestion.pipeline import Pipeline


@pytest.fixture
def keeper(database_as: Callable[[str], Database]) -> Keeper:
    api = database_as("api")
    return Keeper(
        pipeline=Pipeline(
            store=PostgresIngestionStore(database_as("ingest")),
            catalogue=PostgresDocumentCatalogue(api),
        ),
        changes=PostgresDocumentChanges(api),
        purges=PostgresPurgeStore(database_as("sweep"), rows_at_once=5),
        retrieval=PostgresRetrievalStore(database_as("query")),
    )


@pytest.fixture
def second(keeper: Keeper, database_as: Callable[[str], Database]) -> Keeper:
    """Another worker of the same tenant, with connections of its own."""
    return replace(
        keeper,
        changes=PostgresDocumentChanges(database_as("api")),
        purges=PostgresPurgeStore(database_as("sweep"), rows_at_once=3),
    )
