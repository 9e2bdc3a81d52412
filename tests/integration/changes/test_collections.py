"""Collections say how their documents are indexed, and go only as far as they may."""

from collections.abc import Callable
from dataclasses import replace
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.collections import PostgresCollectionStore
from pulsedocs.adapters.postgres.documents.profiles import PostgresProfileStore
from pulsedocs.documents.collections import change_collection, create_collection, delete_collection
from pulsedocs.errors import (
    CollectionExists,
    CollectionNotEmpty,
    CollectionNotFoundError,
    InvalidRequest,
    ProfileNotFound,
)
from pulsedocs.model.changes import CollectionChoices
from tests.integration.changes.keeper import Keeper, rows_left, text_about
from tests.integration.ingestion.pipeline import MODEL
from tests.integration.invariants import violations

CHOICES = CollectionChoices(MODEL, "classic", "default", "german")
PUMP = text_about("pump")


@pytest.fixture
def profiles(database_as: Callable[[str], Database]) -> PostgresProfileStore:
    return PostgresProfileStore(database_as("api"))


@pytest.fixture
def collections(database_as: Callable[[str], Database]) -> PostgresCollectionStore:
    return PostgresCollectionStore(database_as("api"))


def remove(
    collections: PostgresCollectionStore, keeper: Keeper, name: str, *, cascade: bool = False
) -> Any:
    return delete_collection(
        keeper.tenant,
        name,
        is_cascading=cascade,
        actor="keeper",
        collections=collections,
        objects=keeper.pipeline.objects,
    )


def test_a_collection_is_made_listed_changed_and_deleted(
    keeper: Keeper, collections: PostgresCollectionStore, profiles: PostgresProfileStore
) -> None:
    made = create_collection(
        keeper.tenant, "manuals", CHOICES, actor="tester", collections=collections
    )
    changed = change_collection(
        keeper.tenant,
        "manuals",
        {"language": "french"},
        actor="tester",
        collections=collections,
        profiles=profiles,
    )

    assert (made.name, made.choices, made.documents) == ("manuals", CHOICES, 0)
    assert changed.choices == replace(CHOICES, language="french")
    assert collections.list_collections(keeper.tenant) == [changed]
    assert collections.list_collections(uuid4()) == []
    assert remove(collections, keeper, "manuals") == ()
    with pytest.raises(CollectionNotFoundError):
        collections.collection(keeper.tenant, "manuals")


def test_an_upload_makes_its_collection_and_a_question_does_not(
    keeper: Keeper, collections: PostgresCollectionStore
) -> None:
    """S2-06."""
    with pytest.raises(CollectionNotFoundError):
        keeper.sources_found("pump station", "field-notes")

    keeper.ingest("pump.txt", PUMP, collection="field-notes")

    assert keeper.sources_found("pump station", "field-notes") == {"pump.txt"}
    assert collections.collection(keeper.tenant, "field-notes").documents == 1


def test_who_names_an_unknown_language_is_told_all_that_are_known_and_what_else_to_do(
    keeper: Keeper, collections: PostgresCollectionStore
) -> None:
    """Five that are valid were not listed, and "ukrainian" led nowhere."""
    with pytest.raises(InvalidRequest) as refused:
        create_collection(
            *(keeper.tenant, "notes", replace(CHOICES, language="ukrainian")),
            actor="tester",
            collections=collections,
        )

    for known in ("chinese", "german", "japanese", "korean", "polish", "simple", "thai"):
        assert f" {known}" in refused.value.message
    assert "take 'simple', and a model that knows it" in refused.value.message


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"language": "klingon"}, InvalidRequest),
        ({"model": "no model"}, InvalidRequest),
        ({"retrieval_profile": "magic"}, ProfileNotFound),
    ],
)
def test_what_does_not_exist_cannot_be_chosen(
    keeper: Keeper,
    collections: PostgresCollectionStore,
    wrong: dict[str, str],
    error: type[Exception],
) -> None:
    with pytest.raises(error):
        create_collection(
            keeper.tenant,
            "manuals",
            replace(CHOICES, **wrong),
            actor="tester",
            collections=collections,
        )
    assert collections.list_collections(keeper.tenant) == []


def test_a_name_is_given_once(keeper: Keeper, collections: PostgresCollectionStore) -> None:
    create_collection(keeper.tenant, "manuals", CHOICES, actor="tester", collections=collections)

    with pytest.raises(CollectionExists):
        create_collection(
            keeper.tenant, "manuals", CHOICES, actor="tester", collections=collections
        )
    create_collection(uuid4(), "manuals", CHOICES, actor="tester", collections=collections)


@pytest.mark.parametrize("change", [{"model": "memory:hashing@64"}, {"language": "german"}])
def test_what_documents_were_indexed_with_stays_while_there_are_some(
    keeper: Keeper,
    collections: PostgresCollectionStore,
    profiles: PostgresProfileStore,
    change: dict[str, str],
) -> None:
    document_id = keeper.ingest("pump.txt", PUMP)

    with pytest.raises(CollectionNotEmpty):
        change_collection(
            keeper.tenant,
            "default",
            change,
            actor="tester",
            collections=collections,
            profiles=profiles,
        )
    freely = {"chunk_profile": "words", "retrieval_profile": "classic"}
    assert change_collection(
        keeper.tenant,
        "default",
        freely,
        actor="tester",
        collections=collections,
        profiles=profiles,
    )
    keeper.delete(document_id)

    changed = change_collection(
        keeper.tenant,
        "default",
        change,
        actor="tester",
        collections=collections,
        profiles=profiles,
    )
    assert (
        change.items()
        <= {
            "model": changed.choices.model,
            "language": changed.choices.language,
        }.items()
    )


def test_a_collection_with_documents_goes_only_with_them(
    keeper: Keeper, collections: PostgresCollectionStore, admin: Connection[Any]
) -> None:
    documents = [keeper.ingest(f"{n}.txt", text_about(n)) for n in ("pump", "valve")]
    with pytest.raises(CollectionNotEmpty):
        remove(collections, keeper, "default")
    assert keeper.sources_found("station watched") == {"pump.txt", "valve.txt"}

    receipt_ids = remove(collections, keeper, "default", cascade=True)

    assert len(receipt_ids) == 2
    with pytest.raises(CollectionNotFoundError):
        keeper.sources_found("station watched")
    again = keeper.ingest("pump.txt", PUMP)
    keeper.run_purges()
    assert keeper.sources_found("station watched") == {"pump.txt"}
    assert all(keeper.receipt(each).completed_at is not None for each in receipt_ids)
    assert [rows_left(admin, keeper.tenant, each) for each in documents] == [{}, {}]
    assert rows_left(admin, keeper.tenant, again)
    assert admin.execute("SELECT name FROM collection").fetchall() == [("default",)]
    assert violations(admin, keeper.tenant) == []


def test_an_upload_and_a_removal_at_once_leave_no_document_in_a_lost_collection(
    keeper: Keeper, collections: PostgresCollectionStore, admin: Connection[Any]
) -> None:
    """Whoever comes second sees the first: the upload makes a new collection, or goes too."""
    for number in range(10):
        keeper.ingest("first.txt", text_about("first"))
        uploading = Thread(target=keeper.upload, args=(f"{number}.txt", PUMP))
        removing = Thread(
            target=remove, args=(collections, keeper, "default"), kwargs={"cascade": True}
        )
        for thread in (uploading, removing):
            thread.start()
        for thread in (uploading, removing):
            thread.join()
        lost = admin.execute(
            "SELECT document_id FROM document JOIN collection USING (tenant_id, collection_id)"
            " WHERE document.deleted_at IS NULL AND collection.deleted_at IS NOT NULL"
        ).fetchall()
        assert lost == []
    keeper.run_purges()
    assert violations(admin, keeper.tenant) == []
