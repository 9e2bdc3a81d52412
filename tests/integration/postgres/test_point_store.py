"""Our own store keeps the contract of a plug-in's vector database, and its own protocol too."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.collections import PostgresCollectionStore
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.ingestion import PostgresIngestionStore
from pulsedocs.adapters.postgres.retrieval import PostgresRetrievalStore
from pulsedocs.adapters.postgres.updates import PostgresDocumentChanges
from pulsedocs.contracts import POINTS, VectorDBContract
from pulsedocs.errors import InvalidRequest
from pulsedocs.plugins import BaseVectorDB, Point
from pulsedocs.usecases.point_store import PointStore
from tests.integration.invariants import violations


@pytest.fixture
def store_of(database_as: Callable[[str], Database]) -> Callable[[UUID], PointStore]:
    api, objects = database_as("api"), InMemoryObjectStore()

    def build(tenant_id: UUID) -> PointStore:
        return PointStore(
            tenant_id,
            collections=PostgresCollectionStore(api),
            catalogue=PostgresDocumentCatalogue(api),
            ingestion=PostgresIngestionStore(database_as("ingest")),
            changes=PostgresDocumentChanges(api),
            retrieval=PostgresRetrievalStore(database_as("query")),
            objects=objects,
        )

    return build


class TestPointStore(VectorDBContract):
    """S3-03: BaseVectorDB over PostgreSQL."""

    @pytest.fixture(autouse=True)
    def _store(self, store_of: Callable[[UUID], PointStore]) -> None:
        self._made = store_of(uuid4())

    def make(self) -> BaseVectorDB:
        return self._made


def test_points_obey_the_invariants_of_documents(
    store_of: Callable[[UUID], PointStore], connect_as: Callable[[str], Connection[Any]]
) -> None:
    """S3-03: whoever writes points writes documents, by the same steps."""
    store = store_of(uuid4())
    store.create_collection("shelf", 3)
    store.upsert("shelf", POINTS)
    store.upsert("shelf", [Point("east", (0.0, 0.0, 1.0), "moved up")])
    store.delete("shelf", {"kind": "b"})

    assert violations(connect_as("admin"), store.tenant_id) == []


def test_another_tenants_points_are_not_found(store_of: Callable[[UUID], PointStore]) -> None:
    mine, other = store_of(uuid4()), store_of(uuid4())
    for store in (mine, other):
        store.create_collection("shelf", 3)
    mine.upsert("shelf", POINTS)

    assert other.search("shelf", (1.0, 0.0, 0.0)) == []
    assert other.delete("shelf", {"kind": "b"}) == 0
    assert len(mine.search("shelf", (1.0, 0.0, 0.0))) == len(POINTS)


def test_a_collection_of_other_dimensions_is_not_taken_over(
    store_of: Callable[[UUID], PointStore],
) -> None:
    store = store_of(uuid4())
    store.create_collection("shelf", 3)

    with pytest.raises(InvalidRequest, match="points:given@3"):
        store.create_collection("shelf", 4)
    with pytest.raises(InvalidRequest, match="filters are empty"):
        store.delete("shelf", {})
