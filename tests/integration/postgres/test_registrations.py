"""A registration makes one row for one document, however many ask at once."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
import stamina
from psycopg import Connection, OperationalError

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.errors import Conflict, DuplicateDocument, InvalidRequest, StoreUnavailable
from pulsedocs.model.documents import ErrorReport, Registered
from pulsedocs.pipeline import Outcome
from tests.integration.postgres.author import MODEL, Author, registration

CLIENTS = 16  # connections at once, well below the server's 100
REPORT = ErrorReport("PROCESSING_FAILED", "it broke", {}, "try again")


def catalogues(database_as: Callable[[str], Database]) -> list[PostgresDocumentCatalogue]:
    return [PostgresDocumentCatalogue(database_as("api")) for _ in range(CLIENTS)]


def test_a_thousand_registrations_at_once_are_a_thousand_documents(
    admin: Connection[Any], database_as: Callable[[str], Database]
) -> None:
    """S0-02: none lost, none doubled, on a database that knows neither model nor collection."""
    clients = catalogues(database_as)
    tenants = [uuid4() for _ in range(4)]

    def register(number: int) -> Registered:
        return clients[number % CLIENTS].register(
            tenants[number % 4], registration(f"{number}.txt"), default_model=MODEL
        )

    with ThreadPoolExecutor(CLIENTS) as pool:
        registered = list(pool.map(register, range(1000)))

    assert len({each.document_id for each in registered}) == 1000
    assert {each.version for each in registered} == {1}
    row = admin.execute(
        "SELECT (SELECT count(*) FROM document), (SELECT count(*) FROM document_version),"
        " (SELECT count(*) FROM collection), (SELECT count(*) FROM stage_model)"
    ).fetchone()
    assert row == (1000, 1000, 4, 1)


def test_a_source_registered_by_many_at_once_is_one_document(
    author: Author, admin: Connection[Any], database_as: Callable[[str], Database]
) -> None:
    """Any mix of sources and clients: one document a source, versions without a gap."""
    clients = catalogues(database_as)
    sources = [f"{random.Random(seed).randrange(8)}.txt" for seed in range(160)]

    def register(number: int) -> Registered:
        return clients[number % CLIENTS].register(
            author.tenant, registration(sources[number]), default_model=MODEL
        )

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(register, range(160)))

    rows = admin.execute(
        "SELECT source, latest_version, (SELECT array_agg(version ORDER BY version)"
        " FROM document_version AS v WHERE v.document_id = document.document_id) FROM document"
    ).fetchall()
    assert {source: latest for source, latest, _versions in rows} == {
        source: sources.count(source) for source in set(sources)
    }
    assert all(versions == list(range(1, latest + 1)) for _source, latest, versions in rows)


def test_a_registration_whose_answer_was_lost_is_not_made_twice(
    author: Author, admin: Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """K13: even where the second attempt would be a duplicate of the first."""
    commit = Connection[Any].commit
    lost: list[bool] = []

    def commit_and_die(connection: Connection[Any]) -> None:
        commit(connection)
        if not lost:
            lost.append(True)
            connection.close()
            raise OperationalError("the server closed the connection unexpectedly")

    monkeypatch.setattr(Connection, "commit", commit_and_die)

    registered = author.register(on_duplicate="reject")

    assert registered.version == 1
    assert admin.execute("SELECT count(*) FROM document_version").fetchone() == (1,)


def test_new_bytes_under_the_same_source_are_its_next_version(author: Author) -> None:
    """S2-07."""
    first = author.ingest("a.txt")

    for action in ("skip", "replace"):
        again = author.register("a.txt", on_duplicate=action)
        assert again.document_id == first.document_id
        assert again.duplicate_of is None


def test_reject_refuses_a_source_that_has_content_or_will(author: Author) -> None:
    author.ingest("published.txt")
    author.started("running.txt")

    for source in ("published.txt", "running.txt"):
        with pytest.raises(DuplicateDocument):
            author.register(source, on_duplicate="reject")


def test_a_source_whose_uploads_failed_or_never_came_is_free(author: Author) -> None:
    author.register("unreceived.txt")
    failed = author.started("failed.txt")
    author.store.fail(failed, Outcome.FAILED, REPORT)

    for source in ("unreceived.txt", "failed.txt"):
        assert author.register(source, on_duplicate="reject").version == 2
        assert author.register(source, duplicate_by="source").duplicate_of is None


def test_by_source_the_name_is_the_duplicate(author: Author) -> None:
    first = author.ingest("a.txt")

    skipped = author.register("a.txt", duplicate_by="source")

    assert skipped == Registered(first.document_id, 1, first.document_id)
    with pytest.raises(DuplicateDocument):
        author.register("a.txt", duplicate_by="source", on_duplicate="reject")
    assert author.register("a.txt", duplicate_by="source", on_duplicate="replace").version == 2


def test_only_a_document_s_own_announced_bytes_need_not_travel(author: Author) -> None:
    """T-01: a copy outlives its original, so that its bytes have to be there."""
    first = author.ingest("a.txt")
    sha256 = author.store.choices_of(first).sha256

    again = author.register("a.txt", sha256=sha256)

    assert again.duplicate_of == first.document_id
    status = author.catalogue.status(author.tenant, again.document_id)
    assert status.outcome is Outcome.DUPLICATE
    for options in ({}, {"on_duplicate": "replace"}, {"duplicate_by": "source"}):
        assert author.register("b.txt", sha256=sha256, **options).duplicate_of is None
    with pytest.raises(DuplicateDocument):
        author.register("c.txt", sha256=sha256, on_duplicate="reject")
    recut = author.register("a.txt", sha256=sha256, chunking={"profile": "words"})
    assert recut.duplicate_of is None


def test_a_named_document_has_a_next_version_whatever_its_source(author: Author) -> None:
    """It keeps its name until that is published: `changes/test_descriptions.py`."""
    first = author.ingest("a.txt")

    again = author.register("renamed.txt", document_id=first.document_id)

    assert (again.document_id, again.version) == (first.document_id, 2)
    assert author.catalogue.status(author.tenant, first.document_id).source == "a.txt"


def test_a_named_document_cannot_take_the_source_of_another(author: Author) -> None:
    first = author.register("a.txt")
    second = author.register("b.txt")

    for document_id in (second.document_id, uuid4()):
        with pytest.raises(DuplicateDocument) as refused:
            author.register("a.txt", document_id=document_id)
        assert refused.value.context == {"document_id": str(first.document_id)}


def test_a_named_document_keeps_its_collection(author: Author) -> None:
    first = author.register("a.txt", collection="papers")

    assert author.register("a.txt", document_id=first.document_id).version == 2
    with pytest.raises(InvalidRequest):
        author.register("a.txt", document_id=first.document_id, collection="letters")


def test_a_document_being_deleted_is_not_written_to(author: Author, admin: Connection[Any]) -> None:
    first = author.register("a.txt")
    admin.execute("UPDATE document SET deleted_at = now()")

    with pytest.raises(Conflict):
        author.register("a.txt", document_id=first.document_id)
    assert author.register("a.txt").document_id != first.document_id


def test_a_collection_and_its_model_come_with_the_first_document(
    author: Author, admin: Connection[Any]
) -> None:
    """S2-06."""
    author.register("a.txt", collection="papers")

    rows = admin.execute(
        "SELECT name, active_model, language FROM collection JOIN embedding_model"
        " ON embedding_model.model = active_model AND state = 'READY'"
    ).fetchall()
    assert rows == [("papers", MODEL, "english")]


def test_a_model_whose_partition_cannot_be_attached_in_time_is_retried(
    author: Author, admin: Connection[Any], database_as: Callable[[str], Database]
) -> None:
    """Attaching needs the chunks' table for itself for a moment; a long reader must not stop it."""
    author.ingest()
    blocker = database_as("ingest")

    with blocker.tenant_tx(author.tenant) as tx:
        tx.execute("LOCK TABLE document_chunk IN ROW EXCLUSIVE MODE")
        with stamina.set_testing(True, attempts=1), pytest.raises(StoreUnavailable):
            author.catalogue.register(
                uuid4(), registration("a.txt"), default_model="memory:other@16"
            )

    author.catalogue.register(uuid4(), registration("a.txt"), default_model="memory:other@16")
    assert admin.execute("SELECT count(*) FROM stage_model").fetchone() == (2,)
