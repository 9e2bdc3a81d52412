"""What the documents API shows of a document is what its rows say."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.errors import (
    DocumentNotFound,
    IdempotencyKeyReused,
    ObjectNotFound,
    PageNotFound,
    RequestInProgress,
)
from pulsedocs.ingestion.ports import StepWriter
from pulsedocs.ingestion.store_pages import StoreResult
from pulsedocs.model.documents import PageCounts, PageFailure
from pulsedocs.model.lookups import PlaceQuery
from pulsedocs.model.pages import Page, PageOutcome
from pulsedocs.pipeline import Outcome, State
from tests.integration.postgres.author import MODEL, TEXTS, Author, page

HASH = b"\x07" * 32
NO_PAGES = PageCounts(
    total=0,
    text=0,
    ocr=0,
    low_confidence=0,
    empty=0,
    hidden_only=0,
    failed=0,
    furniture_lines=0,
    failures=(),
)


def listed(author: Author, **options: Any) -> list[str]:
    choices: dict[str, Any] = {
        "collection": None,
        "state": None,
        "filters": None,
        "after": None,
        "limit": 100,
    }
    found = author.catalogue.list_documents(author.tenant, **choices | options)
    return [status.source for status in found]


def test_a_registered_document_is_uploaded_and_empty(author: Author) -> None:
    """S0-01: no stage has run."""
    registered = author.register()

    status = author.catalogue.status(author.tenant, registered.document_id)

    assert (status.state, status.outcome, status.version) == (State.UPLOADED, None, 1)
    assert status.received_at is None
    assert status.pages == NO_PAGES
    assert (status.chunks, status.embeddings, status.timings_ms) == (0, {}, {})


def test_a_published_document_shows_what_became_of_it(author: Author) -> None:
    run = author.ingest("log.txt")

    status = author.catalogue.status(author.tenant, run.document_id)

    assert (status.state, status.outcome) == (State.EMBEDDED, Outcome.PUBLISHED)
    assert (status.published_version, status.version) == (1, 1)
    assert status.pages == replace(NO_PAGES, total=2, text=2)
    assert (status.chunks, status.embeddings) == (2, {MODEL: 2})
    assert status.chunking == {"profile": "classic", "method": "recursive"}
    # The author has no provider whose time would be "embed", and reads no file.
    assert set(status.timings_ms) == {"store", "clean", "chunk", "upload", "publish"}
    assert status.stats["total_tokens"] == sum(len(text.split()) for text in TEXTS)
    assert status.sha256 == author.store.choices_of(run).sha256
    assert status.metadata == {"site": 7}


def test_every_page_is_counted_by_what_was_found_on_it(author: Author) -> None:
    run = author.started()
    pages = [
        page(1, "text"),
        Page(2, "", PageOutcome.EMPTY, "test"),
        Page(3, "", PageOutcome.FAILED, "test", failure="PDF_CORRUPTED"),
        Page(4, "", PageOutcome.HIDDEN_ONLY, "test", hidden_characters=9),
    ]

    def write(writer: StepWriter, _plan: None) -> StoreResult:
        writer.accept_content(sha256=HASH, size=1, pages=4)
        writer.insert_pages(pages)
        return StoreResult()

    author.store.perform(run, StoreResult, plan=lambda: None, write=write)

    status = author.catalogue.status(author.tenant, run.document_id)
    failures = (PageFailure(3, "PDF_CORRUPTED"),)
    assert status.pages == replace(
        NO_PAGES, total=4, text=1, empty=1, hidden_only=1, failed=1, failures=failures
    )


def test_a_document_shows_its_newest_version_and_the_published_one(author: Author) -> None:
    first = author.ingest("log.txt")

    author.register("log.txt")

    status = author.catalogue.status(author.tenant, first.document_id)
    assert (status.version, status.state, status.published_version) == (2, State.UPLOADED, 1)


def test_a_page_shows_cleaned_text_of_the_published_version(author: Author) -> None:
    run = author.ingest("log.txt", ["Published text."])
    newer = author.started("log.txt")
    author.put_pages(newer, ["Unpublished text."])

    shown = author.catalogue.page(author.tenant, run.document_id, 1)

    assert shown == {
        "page": 1,
        "label": "p1",
        "text": "Published text.",
        "raw_text": "Published text.",
        "outcome": "TEXT",
        "ocr_source": None,
        "confidence": None,
        "furniture": [],
        "sections": [{"level": 1, "title": "Log", "start": 0}],
    }


def test_a_page_that_is_not_cleaned_yet_shows_its_raw_text(author: Author) -> None:
    run = author.started()
    author.put_pages(run)

    assert author.catalogue.page(author.tenant, run.document_id, 2)["text"] == TEXTS[1]


def test_a_page_beyond_the_last_one_is_not_found(author: Author) -> None:
    run = author.ingest()

    with pytest.raises(PageNotFound):
        author.catalogue.page(author.tenant, run.document_id, 3)
    with pytest.raises(DocumentNotFound):
        author.catalogue.page(author.tenant, uuid4(), 1)


@pytest.mark.parametrize(
    ("version", "number", "said"),
    [
        (1, 9, "has no page 9 of version 1"),
        (2, 1, "no text is stored of version 2"),
        (3, 1, "has no page 1 of version 3"),
    ],
)
def test_a_page_that_is_missing_is_told_from_a_version_without_text(
    author: Author, database_as: Callable[[str], Database], version: int, number: int, said: str
) -> None:
    """Fails when: who opens a page of a version that history has lost counts its pages.

    The words of a citation are looked for by another function than the page itself.
    """
    run = author.ingest("log.txt")
    author.register("log.txt")  # version 2, of which nothing is stored
    words = PlaceQuery(
        tenant_id=author.tenant,
        document_id=run.document_id,
        page=number,
        start=0,
        end=1,
        version=version,
    )

    with pytest.raises(PageNotFound, match=said):
        author.catalogue.page(author.tenant, run.document_id, number, version=version)
    with pytest.raises(PageNotFound, match=said):
        PostgresRetrievalStore(database_as("query")).place(words)


def test_chunks_come_in_reading_order_with_all_that_the_contract_names(author: Author) -> None:
    run = author.ingest()

    first, second = author.catalogue.chunks(author.tenant, run.document_id, after=-1, limit=9)
    [after] = author.catalogue.chunks(author.tenant, run.document_id, after=0, limit=9)

    assert after == second
    assert (first["content"], first["embedding_dimensions"]) == (TEXTS[0], 8)
    assert first["vector_id"] == f"{first['chunk_id']}:{MODEL}"
    assert first["metadata"] | {"extraction_date": None} == {
        "document_id": str(run.document_id),
        "source": "log.txt",
        "chunk_index": 0,
        "total_chunks": 2,
        "pages": [1],
        "section": ["Log", "Entry 0"],
        "token_count": 6,
        "char_count": len(TEXTS[0]),
        "chunking_method": "recursive",
        "chunking_parameters": {"size": 512},
        "context": {"before": None, "after": None},
        "extraction_date": None,
        "flags": ["short"],
        "custom_fields": {"site": 7},
    }


def test_a_chunk_without_a_vector_says_so(author: Author) -> None:
    run = author.started()
    author.put_pages(run)
    author.clean(run)
    author.split(run)

    [first, _second] = author.catalogue.chunks(author.tenant, run.document_id, after=-1, limit=9)

    assert (first["vector_id"], first["embedding_dimensions"]) == (None, None)


def test_the_file_is_that_of_the_published_version(author: Author) -> None:
    registered = author.register()
    with pytest.raises(ObjectNotFound):
        author.catalogue.object_of(author.tenant, registered.document_id)
    run = author.ingest("log.txt")
    published = author.catalogue.object_of(author.tenant, run.document_id)

    author.arrive(author.register("log.txt"), object_version="newer")

    assert author.catalogue.object_of(author.tenant, run.document_id) == published


def test_a_listing_goes_on_where_it_stopped(author: Author, admin: Connection[Any]) -> None:
    """Newest first; of those that came in one transaction, each once."""
    for number in range(5):
        author.register(f"{number}.txt")
    admin.execute("UPDATE document SET created_at = '2031-04-01' WHERE source >= '3.txt'")
    seen: list[str] = []
    after = None

    while True:
        found = author.catalogue.list_documents(
            author.tenant, collection=None, state=None, filters=None, after=after, limit=1
        )
        if not found:
            break
        seen += [status.source for status in found]
        after = (found[-1].created_at, found[-1].document_id)

    assert set(seen[:2]) == {"3.txt", "4.txt"}
    assert seen[2:] == ["2.txt", "1.txt", "0.txt"]


def test_a_listing_is_narrowed_by_collection_state_outcome_and_filter(
    author: Author, admin: Connection[Any]
) -> None:
    author.ingest("published.txt")
    author.register("announced.txt", collection="papers")
    author.register("deleted.txt")
    admin.execute("UPDATE document SET deleted_at = now() WHERE source = 'deleted.txt'")

    assert listed(author) == ["announced.txt", "published.txt"]
    assert listed(author, collection="papers") == ["announced.txt"]
    assert listed(author, state="PUBLISHED") == ["published.txt"]
    assert listed(author, state="UPLOADED") == ["announced.txt"]
    assert listed(author, filters={"source": {"$in": ["announced.txt"]}}) == ["announced.txt"]
    assert listed(author, filters={"site": {"$lt": 7}}) == []


def test_a_deleted_document_is_gone(author: Author, admin: Connection[Any]) -> None:
    run = author.ingest()
    admin.execute("UPDATE document SET published_version = NULL, published_at = NULL")
    admin.execute("UPDATE document SET deleted_at = now()")

    with pytest.raises(DocumentNotFound):
        author.catalogue.status(author.tenant, run.document_id)
    with pytest.raises(DocumentNotFound):
        author.catalogue.chunks(author.tenant, run.document_id, after=-1, limit=1)


def test_a_repeated_request_gets_the_first_answer(author: Author) -> None:
    remember, tenant = author.catalogue.remember, author.tenant
    assert remember(tenant, "key", request_hash=HASH) is None
    with pytest.raises(RequestInProgress):
        remember(tenant, "key", request_hash=HASH)

    author.catalogue.record_response(tenant, "key", status=201, body={"document_id": "d"})

    assert remember(tenant, "key", request_hash=HASH) == {"document_id": "d"}
    with pytest.raises(IdempotencyKeyReused):
        remember(tenant, "key", request_hash=b"\x08" * 32)
    assert remember(uuid4(), "key", request_hash=HASH) is None


def test_a_request_that_failed_can_be_sent_again(author: Author) -> None:
    remember, tenant = author.catalogue.remember, author.tenant
    remember(tenant, "key", request_hash=HASH)

    author.catalogue.forget(tenant, "key")

    assert remember(tenant, "key", request_hash=HASH) is None


@pytest.mark.parametrize(
    ("column", "age"),
    [("created_at", timedelta(seconds=61)), ("expires_at", timedelta(hours=25))],
)
def test_an_abandoned_or_expired_request_starts_over(
    author: Author, admin: Connection[Any], column: str, age: timedelta
) -> None:
    from psycopg import sql

    remember, tenant = author.catalogue.remember, author.tenant
    remember(tenant, "key", request_hash=HASH)
    admin.execute(
        sql.SQL("UPDATE idempotency_key SET {0} = {0} - %s").format(sql.Identifier(column)), [age]
    )

    assert remember(tenant, "key", request_hash=HASH) is None
    with pytest.raises(RequestInProgress):
        remember(tenant, "key", request_hash=HASH)
