"""Which other documents have words of one: found through the postings, not by reading all."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.model.shingles import MAX_QUOTING, Matcher, Sample

_MOST_POSTINGS: Final = 2000
"""Read of one word in one collection: a word in more blocks of 128 chunks tells little."""
_READ_AT_ONCE: Final = 50


def quoting(
    database: Database,
    tenant_id: UUID,
    shingles: Sequence[str],
    sample: Sample,
    *,
    besides: UUID | None = None,
) -> frozenset[UUID] | None:
    """Return up to 100 documents whose chunks or pages have a shingle, except `besides`.

    None where a shingle has no word of letters alone, so that only reading can tell.
    """
    # A parser of any text keeps such words as they are, and apart.
    words = [[word for word in shingle.split(" ") if word.isalpha()] for shingle in shingles]
    if not all(words):
        return None
    asked = {
        "tenant_id": tenant_id,
        "document_id": besides,
        "shingles": [number for number, some in enumerate(words) for _ in some],
        "words": [word for some in words for word in some],
        "most": _MOST_POSTINGS,
    }
    matcher = Matcher([sample])

    def read(tx: Connection[Any]) -> frozenset[UUID]:
        rows = tx.execute(query("chunks_with_words"), asked).fetchall()
        found = {
            "tenant_id": tenant_id,
            "documents": [row[0] for row in rows],
            "versions": [row[1] for row in rows],
            "indexes": [row[2] for row in rows],
        }
        confirmed = set[UUID]()
        with tx.cursor(name="quotations") as cursor:
            cursor.itersize = _READ_AT_ONCE
            for document_id, texts in cursor.execute(query("texts_of_chunks"), found):
                if document_id in confirmed:
                    continue
                if any(matcher.found_in(text) for text in texts if text):
                    confirmed.add(document_id)
                if len(confirmed) == MAX_QUOTING:
                    break
        return frozenset(confirmed)

    return database.run(tenant_id, read, read_only=True)
