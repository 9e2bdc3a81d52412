"""Storing a document costs what it has, however many others the database has."""

from collections.abc import Callable
from contextlib import closing
from typing import Any, Final

from psycopg import Connection

from benchmarks.library import Library, Paper, Passage
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from tests.integration.postgres.author import MODEL, Author, vector_of

OF_OTHERS: Final = 1000
OF_THE_TENANT: Final = 100
MOST_GROWTH: Final = 1.3
"""Indexes grow by a level."""


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

    def fetched() -> int:
        for session in (api, ingest):  # else each says what it fetched once a second
            session.run(author.tenant, lambda tx: tx.execute("SELECT pg_stat_force_next_flush()"))
        row = admin.execute(
            "SELECT pg_stat_get_db_blocks_fetched(oid) FROM pg_database"
            " WHERE datname = current_database()"
        ).fetchone()
        assert row is not None
        return row[0]

    def stored(number: int) -> int:
        before = fetched()
        author.ingest(f"{number}.txt", texts_of(number))
        return fetched() - before

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
