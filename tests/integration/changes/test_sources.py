"""What leads from a source to a document goes with it, and the source can be ingested again."""

from collections.abc import Callable
from uuid import UUID

import pytest

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.collections import PostgresCollectionStore
from pulsedocs.documents.collections import delete_collection
from pulsedocs.errors import DocumentNotFound
from pulsedocs.ingestion.ingest_reference import ingest_text
from pulsedocs.model.documents import IngestOptions
from pulsedocs.model.object_keys import upload_key
from pulsedocs.model.requests import Choices
from tests.integration.changes.keeper import Keeper, text_about
from tests.integration.ingestion.pipeline import PUBLISHED, Event
from tests.integration.intake import InMemoryIntake


def send(
    keeper: Keeper, text: bytes, *, collection: str = "default", document_id: UUID | None = None
) -> UUID:
    """Ingest a text by reference under one name; return its document once it is published."""
    objects = keeper.pipeline.objects
    accepted = ingest_text(
        keeper.tenant,
        text.decode(),
        Choices(document_id, None, {}, None, IngestOptions(collection=collection)),
        source="log.txt",
        content_type="text/plain",
        intake=InMemoryIntake(objects, others={}),
        max_bytes=1_000_000,
    )
    described = objects.describe(upload_key(keeper.tenant, accepted.document_id))
    sequencer = f"{next(keeper.pipeline.sequencers):X}"
    event = Event(described.key, described.object_version, sequencer)
    assert keeper.pipeline.deliver(event) == PUBLISHED
    return accepted.document_id


@pytest.fixture
def collections(database_as: Callable[[str], Database]) -> PostgresCollectionStore:
    return PostgresCollectionStore(database_as("api"))


def left(keeper: Keeper, place: str) -> list[str]:
    versions = keeper.pipeline.objects.versions(f"{place}/{keeper.tenant}/")
    return [version.key for version in versions]


@pytest.mark.parametrize("collection", ["default", "logs"])
def test_a_purge_removes_the_request_and_the_record_of_the_source(
    keeper: Keeper, collection: str
) -> None:
    """I8."""
    document_id = send(keeper, text_about("pump"), collection=collection)
    assert left(keeper, "requests")
    assert left(keeper, "sources")

    keeper.delete(document_id)
    keeper.run_purges()

    assert left(keeper, "requests") == []
    assert left(keeper, "sources") == []


def test_a_source_that_was_purged_is_a_new_document_at_once(keeper: Keeper) -> None:
    """The id of what was deleted is never used again, nor does the caller have to wait."""
    first = send(keeper, text_about("pump"))
    keeper.delete(first)
    keeper.run_purges()

    second = send(keeper, text_about("valve"))
    again = send(keeper, text_about("valve") + b" Addendum.")

    assert second != first
    assert again == second


@pytest.mark.parametrize("way", ["one", "many", "collection"])
def test_a_source_is_a_new_document_as_soon_as_its_old_one_is_deleted(
    keeper: Keeper, collections: PostgresCollectionStore, way: str
) -> None:
    first = send(keeper, text_about("pump"))
    match way:
        case "one":
            keeper.delete(first)
        case "many":
            keeper.update("delete", document_ids=(first,))
        case _:
            delete_collection(
                keeper.tenant,
                "default",
                is_cascading=True,
                actor="keeper",
                collections=collections,
                objects=keeper.pipeline.objects,
            )

    second = send(keeper, text_about("valve"))
    keeper.run_purges()
    again = send(keeper, text_about("valve") + b" Addendum.")

    assert second != first
    assert again == second


def test_the_id_of_a_deleted_document_is_refused_before_its_bytes_are_taken(
    keeper: Keeper,
) -> None:
    deleted = send(keeper, text_about("pump"))
    keeper.delete(deleted)

    with pytest.raises(DocumentNotFound):
        send(keeper, text_about("valve"), document_id=deleted)


def test_a_late_purge_leaves_the_record_of_the_sources_new_document(keeper: Keeper) -> None:
    first = send(keeper, text_about("pump"))
    receipt_id = keeper.delete(first)
    keeper.run_purges()
    second = send(keeper, text_about("valve"))

    keeper.purge(receipt_id)

    assert send(keeper, text_about("valve") + b" Addendum.") == second
