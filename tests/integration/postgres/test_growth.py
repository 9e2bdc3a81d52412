"""Storing and deleting a document cost what it has, however many others the database has."""

from collections.abc import Callable
from contextlib import closing
from itertools import accumulate
from random import Random
from typing import Any, Final
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from benchmarks.library import Library, Paper, Passage
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.deletion.purges import PostgresPurgeStore
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.documents.updates import PostgresDocumentChanges
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.adapters.postgres.postings import merge_segments
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.deletion.purge_document import purge_documents
from pulsedocs.model.deadline import Deadline
from tests.integration.postgres.author import MODEL, Author, vector_of

OF_OTHERS: Final = 1000
OF_THE_TENANT: Final = 100
MOST_GROWTH: Final = 1.3
"""Indexes grow by a level."""
MOST_GROWTH_OF_A_DELETION: Final = 1.6
"""Of a word, as many as 25 postings are counted."""
PAGES: Final = range(1, 21)
COMMON: Final = [
    f"{a}{e}{b}{o}" for a in "bdfgklm" for e in "aeiou" for b in "nprtvz" for o in "aeiou"
]
OFTEN: Final = list(accumulate(1 / (rank + 20) for rank in range(len(COMMON))))


def said(rng: Random) -> str:
    """Return a text as texts are: one word in eight has hardly been said before, a name or so."""
    words = rng.choices(COMMON, cum_weights=OFTEN, k=60)
    words[::8] = ("".join(rng.choices("bdfgklmnprtvz", k=9)) for _ in words[::8])
    return " ".join(words)


def fetched(admin: Connection[Any], *sessions: Database) -> int:
    """Return how many blocks were touched so far."""
    for session in sessions:  # else each says what it fetched once a second
        session.run(uuid4(), lambda tx: tx.execute("SELECT pg_stat_force_next_flush()"))
    row = admin.execute(
        "SELECT pg_stat_get_db_blocks_fetched(oid) FROM pg_database"
        " WHERE datname = current_database()"
    ).fetchone()
    assert row is not None
    return row[0]


def texts_of(number: int) -> list[str]:
    return [
        " ".join(f"w{number}x{chunk}x{word}" for word in range(20)) + f" w{chunk % 3}"
        for chunk in range(20)
    ]


def test_a_thousand_other_documents_cost_the_next_one_nothing(
    database_as: Callable[[str], Database], database_url: str, admin: Connection[Any]
) -> None:
    """In blocks, without statistics, by sessions that made their plans while tables were empty.

    They grow from 5,300 to 5,800. To 11,000 where the check of a posting's key may read the
    whole table, to 7,800 or 13,000 where it may take an index of the tenant's documents.
    """
    api, ingest = database_as("api"), database_as("ingest")
    author = Author(PostgresIngestionStore(ingest), PostgresDocumentCatalogue(api))

    def stored(number: int) -> int:
        before = fetched(admin, api, ingest)
        author.ingest(f"{number}.txt", texts_of(number))
        return fetched(admin, api, ingest) - before

    for number in range(5):
        stored(number)
    alone = stored(5)
    with closing(Library(database_url)) as library:
        own = library.shelf(MODEL, tenant_id=author.tenant, collection="own")
        other = library.shelf(MODEL)
        for shelf in (*[own] * OF_THE_TENANT, other):
            library.add(shelf, Paper([Passage("w0", vector_of("w0"))]))
        library.add_others(other.tenant_id, OF_OTHERS)
    stored(6)  # and whatever the library's session had yet to say
    crowded = stored(7)
    assert crowded <= MOST_GROWTH * alone


def test_ten_times_the_chunks_cost_publishing_ten_times_as_much(
    database_as: Callable[[str], Database], admin: Connection[Any]
) -> None:
    """In blocks, without statistics: from 1,000 to 7,900; to 38,000 where chunks join vectors."""
    api, ingest = database_as("api"), database_as("ingest")
    author = Author(PostgresIngestionStore(ingest), PostgresDocumentCatalogue(api))

    def published(chunks: int) -> int:
        texts = [f"w{number}" for number in range(chunks)]
        run = author.started(f"{chunks}.txt")
        author.put_pages(run, texts)
        author.clean(run, texts)
        author.split(run, texts)
        author.embed(run, texts)
        before = fetched(admin, api, ingest)
        assert author.publish(run) == "PUBLISHED"
        return fetched(admin, api, ingest) - before

    published(15)  # and whatever the sessions had yet to say
    few = published(150)
    many = published(1500)
    assert many <= 10 * MOST_GROWTH * few


@pytest.mark.parametrize("is_analysed", [False, True], ids=["unanalysed", "analysed"])
def test_ten_times_the_documents_cost_a_deletion_and_its_proof_nothing(
    database_as: Callable[[str], Database],
    database_url: str,
    admin: Connection[Any],
    *,
    is_analysed: bool,
) -> None:
    """In blocks, of documents of the same tenant.

    They grow from 9,500 to 12,500 and, with statistics, from 3,800 to 4,500. To four times and
    three times as much where the proof reads everything, to nine times where `purge_document`
    joins blocks and postings.
    """
    rng = Random(7)
    api, sweep = database_as("api"), database_as("sweep")
    changes, purges = PostgresDocumentChanges(api), PostgresPurgeStore(sweep)
    with closing(Library(database_url)) as library:
        shelf = library.shelf(MODEL)

        def added(count: int) -> list[UUID]:
            papers = [
                Paper([Passage(said(rng), page=page) for page in PAGES]) for _ in range(count)
            ]
            for paper in papers:
                library.add(shelf, paper)
                texts = {each.page: each.text for each in paper.passages}
                library.add_pages(shelf, paper.document_id, texts)
            if is_analysed:
                library.analyze()
            return [paper.document_id for paper in papers]

        def deleted(document_id: UUID) -> int:
            before = fetched(admin, api, sweep)
            receipt_id = changes.delete(shelf.tenant_id, document_id, actor="me")
            purge_documents(
                shelf.tenant_id,
                receipt_id,
                store=purges,
                objects=InMemoryObjectStore(),
                deadline=Deadline.after(300),
            )
            receipt = changes.receipt(shelf.tenant_id, receipt_id)
            assert receipt.completed_at is not None
            assert receipt.verification is not None
            assert receipt.verification["shingles"] == 64
            return fetched(admin, api, sweep) - before

        first, second, *_ = added(40)
        deleted(first)
        few = deleted(second)
        third, fourth, *_ = added(400)
        deleted(third)  # and whatever the library's session had yet to say
        many = deleted(fourth)
    assert many <= MOST_GROWTH_OF_A_DELETION * few


@pytest.mark.parametrize("is_analysed", [False, True], ids=["unanalysed", "analysed"])
def test_other_collections_cost_looking_for_what_to_merge_nothing(
    database_as: Callable[[str], Database],
    database_url: str,
    admin: Connection[Any],
    *,
    is_analysed: bool,
) -> None:
    """In blocks: from 13 to 10, and from 9 to 9. To 142 where those of the tenant are all read."""
    sweep = database_as("sweep")
    with closing(Library(database_url)) as library:
        shelf = library.shelf(MODEL)

        def looked() -> int:
            if is_analysed:
                library.analyze()
            before = 0
            for _ in range(2):  # the first one reads the catalogue again
                before = fetched(admin, sweep)
                assert merge_segments(sweep, shelf.tenant_id, shelf.collection_id, fewest=4096) == 0
            return fetched(admin, sweep) - before

        for _ in range(OF_THE_TENANT):
            library.add(shelf, Paper([Passage("w0", vector_of("w0"))]))
        alone = looked()
        library.connection.execute(
            "INSERT INTO posting_block"
            " (tenant_id, shelf, document_id, version, first_index, is_published, lengths)"
            " SELECT tenant_id, shelf + number, gen_random_uuid(), 1, 0, true, lengths"
            " FROM posting_block, generate_series(1, 100) AS number WHERE tenant_id = %s",
            [shelf.tenant_id],
        )
        library.connection.commit()
        crowded = looked()
    assert crowded <= MOST_GROWTH * alone


@pytest.mark.parametrize("is_analysed", [False, True], ids=["unanalysed", "analysed"])
def test_a_merge_reads_each_use_of_a_word_a_few_times(
    database_url: str, *, is_analysed: bool
) -> None:
    """In rows of any node of its plan, of blocks and of a segment.

    A hundred times as many where places are not a table of their own: each use was compared with
    every place, 23 CPU seconds for 3,700 chunks.
    """
    rng = Random(11)
    with closing(Library(database_url)) as library:
        shelf = library.shelf(MODEL)

        def added(documents: int) -> None:
            for _ in range(documents):
                library.add(shelf, Paper([Passage(said(rng)) for _ in range(10)]))
            if is_analysed:
                library.analyze()

        added(30)
        assert library.merge(shelf) == 1
        added(30)
        [[blocks]] = library.connection.execute(
            "SELECT array_agg(block) FROM posting_block WHERE tenant_id = %s", [shelf.tenant_id]
        ).fetchall()
        [[uses]] = library.connection.execute(
            "SELECT count(*) FROM posted_word WHERE tenant_id = %s", [shelf.tenant_id]
        ).fetchall()
        asked = {"tenant_id": shelf.tenant_id, "blocks": blocks}
        [[[plan]]] = library.connection.execute(
            f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {query('merge_blocks')}".encode(), asked
        ).fetchall()
        library.connection.rollback()
    assert len(blocks) == 60
    assert uses <= most_rows(plan["Plan"]) < 3 * uses


def most_rows(node: dict[str, Any]) -> float:
    """Return what the busiest node of a plan made or looked at."""
    rows = node["Actual Rows"] + node.get("Rows Removed by Join Filter", 0)
    return max([rows * node["Actual Loops"], *map(most_rows, node.get("Plans", []))])
