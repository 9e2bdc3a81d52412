"""Remove what is left of deleted documents, a bounded number of rows at a time, and look for more.

Every statement can be the last before a crash: each deletes what is still there, so that a second
purge goes on where the first one stopped. Rows go only while their document is deleted.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Connection, sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.deletion.quotations import quoting
from pulsedocs.adapters.postgres.postings import take_words_out
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.faults import fault_point
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.deletions import Counts, Hit, Purge, PurgeResult, Reached, Searched
from pulsedocs.model.shingles import Matcher, Sample, texts_in

ROWS_AT_ONCE: Final = 2000
"""Vectors of 1,536 dimensions: about 6 MB of changes, and locks held for well under a second."""
_READ_AT_ONCE: Final = 50  # long pages are hashed while the transaction idles, 10 s at most
_CHILDREN: Final = (
    "purge_answers",
    "purge_postings",
    "purge_embeddings",
    "purge_chunks",
    "purge_pages",
)
_SAID: Final = (("texts_of_turns", "forget_turns"), ("texts_of_feedback", "forget_feedback"))
"""By people, with a key of two: what reads it and what removes it."""
# They have the document's id on purpose: the receipt itself, and what it cost.
_OUTLIVE_THE_DOCUMENT: Final = frozenset({"deletion_receipt", "usage"})
_READ: Final = UUID(int=2**128 - 1)  # after every document
_NAMES: Final[Mapping[str, str]] = {
    "document_version": "versions",
    "document_page": "pages",
    "document_chunk": "chunks",
    "chunk_embedding": "embeddings",
    "batch_item": "batch_items",
}


class PostgresPurgeStore:
    """Implements `deletion.ports.PurgeStore`."""

    def __init__(self, database: Database, *, rows_at_once: int = ROWS_AT_ONCE) -> None:
        self._database = database
        self._rows_at_once = rows_at_once

    def begin(self, tenant_id: UUID, receipt_id: UUID, *, most: int) -> list[Purge]:
        key = {"tenant_id": tenant_id, "receipt_id": receipt_id, "most": most}

        def work(tx: Connection[Any]) -> list[dict[str, Any]]:
            return tx.cursor(row_factory=dict_row).execute(query("take_receipts"), key).fetchall()

        rows = self._database.run(tenant_id, work)
        fault_point("purge.begun")
        return [
            Purge(
                tenant_id=tenant_id,
                receipt_id=row["receipt_id"],
                document_id=row["document_id"],
                is_completed=row["is_completed"],
                before=row["before"],
                verification=row["verification"],
                sample=None if row["sample"] is None else Sample.from_json(row["sample"]),
                asked=None if row["asked"] is None else Sample.from_json(row["asked"]),
                searched=None if row["searched"] is None else _searched(row["searched"]),
            )
            for row in rows
        ]

    def texts(self, purge: Purge) -> Iterator[str]:
        """Yield the pages' texts; a document has at most 20 million characters."""
        return (
            row[0] for row in self._database.rows(purge.tenant_id, "texts_to_purge", _key(purge))
        )

    def quoted_by(
        self, purge: Purge, shingles: Sequence[str], sample: Sample
    ) -> frozenset[UUID] | None:
        return quoting(self._database, purge.tenant_id, shingles, sample, besides=purge.document_id)

    def keep_sample(self, purge: Purge, sample: Sample) -> None:
        kept = _key(purge) | {"sample": Jsonb(sample.to_json())}
        self._database.execute(purge.tenant_id, "keep_sample", kept)
        fault_point("purge.sampled")

    def named_source(self, purge: Purge) -> tuple[str, str] | None:
        rows = self._database.rows(purge.tenant_id, "named_source", _key(purge))
        return (rows[0][0], rows[0][1]) if rows else None

    def remove_rows(self, purge: Purge) -> None:
        while take_words_out(self._database, _key(purge), version=None, rows=self._rows_at_once):
            fault_point("purge.words_taken_out")
        for name in _CHILDREN:
            while self._remove(purge, name):
                fault_point(f"purge.{name}")
        # The document's row after them: rows go only while it says that it is deleted.
        self._remove(purge, "purge_batch_items")
        self._remove(purge, "purge_document")
        self._remove(purge, "purge_collections")
        fault_point("purge.rows_removed")

    def forget_said(self, tenant_id: UUID, purges: Sequence[Purge]) -> None:
        matcher = Matcher([each for purge in purges for each in purge.samples])
        documents = [purge.document_id for purge in purges]
        for said, forget in _SAID:
            self._forget_said(tenant_id, documents, matcher, said, forget)
        self._database.execute(tenant_id, "forget_names", {"tenant_id": tenant_id})
        fault_point("purge.forget_names")

    def _forget_said(
        self, tenant_id: UUID, documents: list[UUID], matcher: Matcher, said: str, forget: str
    ) -> None:
        key = {"tenant_id": tenant_id}

        def of_documents(tx: Connection[Any]) -> list[tuple[Any, Any]]:
            with tx.cursor(name="said") as cursor:
                cursor.itersize = _READ_AT_ONCE
                return [
                    (first, second)
                    for first, second, is_of_document, *texts in cursor.execute(
                        query(said), key | {"document_ids": documents}
                    )
                    if is_of_document or any(matcher.found_in(text) for text in texts)
                ]

        found = self._database.run(tenant_id, of_documents, read_only=True)
        for start in range(0, len(found), self._rows_at_once):
            part = found[start : start + self._rows_at_once]
            rows = key | {"firsts": [one for one, _ in part], "seconds": [two for _, two in part]}
            self._database.execute(tenant_id, forget, rows)
            fault_point(f"purge.{forget}")

    def count_rows(self, purge: Purge) -> Counts:
        def work(tx: Connection[Any]) -> dict[str, int]:
            tables = [table for table in _tables(tx) if table["is_readable"]]
            counts = {
                str(_NAMES.get(table["name"], table["name"])): _count(
                    tx,
                    sql.SQL(query("rows_of_document")).format(
                        searched=sql.Identifier(table["name"])
                    ),
                    purge,
                )
                for table in tables
                if table["names_documents"] and table["name"] not in _OUTLIVE_THE_DOCUMENT
            }
            return counts | {"postings": _count(tx, query("postings_of_document"), purge)}

        return self._database.run(purge.tenant_id, work, read_only=True, snapshot=True)

    def search(
        self,
        tenant_id: UUID,
        matcher: Matcher,
        *,
        documents: frozenset[UUID] | None,
        since: Searched | None,
        deadline: Deadline,
    ) -> Searched:
        tables = self._database.run(tenant_id, _tables, read_only=True)
        so_far = since or Searched(0, ())
        for table in tables:
            after = _place_in(table["name"], so_far.reached)
            if not (table["is_readable"] and table["texts"]) or after is _READ:
                continue
            some = documents if table["is_owned"] else None
            if some is not None and not (some and table["names_documents"]):
                continue
            work = partial(_search_table, tenant_id, table, matcher, some, after, deadline)
            found = self._database.run(tenant_id, work, read_only=True)
            texts, hits = so_far.texts + found.texts, (*so_far.hits, *found.hits)
            so_far = Searched(texts, hits, reached=found.reached)
            if found.reached is not None:
                return so_far
            if deadline.remaining() <= 0:
                return replace(so_far, reached=Reached(table["name"], None))
        unreadable = tuple(table["name"] for table in tables if not table["is_readable"])
        return replace(so_far, unreadable=unreadable, reached=None)

    def keep_search(self, purge: Purge, searched: Searched, *, before: Counts) -> None:
        kept = _key(purge) | {
            "searched": Jsonb(_searched_json(searched)),
            "before": Jsonb(dict(before)),
            "asked": None if purge.asked is None else Jsonb(purge.asked.to_json()),
        }
        self._database.execute(purge.tenant_id, "keep_search", kept)

    def existing(self, tenant_id: UUID, document_ids: Iterable[UUID]) -> set[UUID]:
        wanted = {"tenant_id": tenant_id, "document_ids": list(document_ids)}
        return {row[0] for row in self._database.rows(tenant_id, "existing_documents", wanted)}

    def finish(self, purge: Purge, result: PurgeResult) -> None:
        finished = _key(purge) | {
            "before": Jsonb(dict(result.before)),
            "after": Jsonb(dict(result.after)),
            "verification": Jsonb(dict(result.verification)),
            "is_complete": result.is_complete,
            "asked": None if purge.asked is None else Jsonb(purge.asked.to_json()),
        }

        def work(tx: Connection[Any]) -> None:
            tx.execute(query("finish_receipt"), finished)
            fault_point("purge.before_commit")

        self._database.run(purge.tenant_id, work)
        fault_point("purge.after_commit")

    def pending(self, tenant_id: UUID) -> dict[UUID, UUID]:
        rows = self._database.rows(tenant_id, "pending_receipts", {"tenant_id": tenant_id})
        return dict(rows)

    def _remove(self, purge: Purge, name: str) -> int:
        bounded = _key(purge) | {"rows": self._rows_at_once}
        return self._database.execute(purge.tenant_id, name, bounded)


def _key(purge: Purge) -> dict[str, Any]:
    return {
        "tenant_id": purge.tenant_id,
        "receipt_id": purge.receipt_id,
        "document_id": purge.document_id,
    }


def _tables(tx: Connection[Any]) -> list[dict[str, Any]]:
    """Ask the catalogue: a table that a later migration adds is searched without being named."""
    with tx.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query("tenant_tables")).fetchall()


def _count(tx: Connection[Any], statement: sql.Composed | LiteralString, purge: Purge) -> int:
    row = tx.execute(statement, _key(purge)).fetchone()
    return 0 if row is None else row[0]


def _search_table(
    tenant_id: UUID,
    table: Mapping[str, Any],
    matcher: Matcher,
    documents: frozenset[UUID] | None,
    after: UUID | None,
    deadline: Deadline,
    tx: Connection[Any],
) -> Searched:
    """Read a table document by document, from one on; texts that are no document's come last."""
    columns = [sql.Identifier(name) for name in table["texts"]]
    size = sql.SQL("pg_column_size({})")
    name = "texts_of_table" if documents is None else "texts_of_documents"
    statement = sql.SQL(query(name)).format(
        owner=sql.Identifier("document_id") if table["names_documents"] else sql.SQL("NULL::uuid"),
        columns=sql.SQL(", ").join(columns),
        sizes=sql.SQL(", ").join(size.format(column) for column in columns),
        searched=sql.Identifier(table["name"]),
    )
    texts, hits = 0, list[Hit]()
    last: UUID | None = None
    with tx.cursor(name="texts") as cursor:  # on the server: a tenant's text outgrows a function
        cursor.itersize = _READ_AT_ONCE
        for document_id, *values in cursor.execute(
            statement,
            {"tenant_id": tenant_id, "after": after, "documents": list(documents or ())},
        ):
            if last not in (None, document_id) and deadline.remaining() <= 0:
                return Searched(texts, tuple(hits), reached=Reached(table["name"], last))
            last = document_id
            texts += len(values)
            for column, value in zip(table["texts"], values, strict=True):
                found = (matcher.found_in(text) for text in texts_in(value))
                hashes = frozenset[bytes]().union(*found)
                if hashes:
                    hits.append(Hit(f"{table['name']}.{column}", document_id, hashes))
    return Searched(texts, tuple(hits))


def _place_in(table: str, reached: Reached | None) -> UUID | None:
    """Return the document after which to read a table; _READ: it has been read."""
    if reached is None or table > reached.table:
        return None
    return reached.after or _READ if table == reached.table else _READ


def _searched_json(searched: Searched) -> dict[str, Any]:
    reached = searched.reached
    return {
        "texts": searched.texts,
        "hits": [
            [
                hit.place,
                hit.document_id and str(hit.document_id),
                sorted(h.hex() for h in hit.hashes),
            ]
            for hit in searched.hits
        ],
        "reached": reached and [reached.table, reached.after and str(reached.after)],
    }


def _searched(stored: Mapping[str, Any]) -> Searched:
    hits = (
        Hit(place, owner and UUID(owner), frozenset(map(bytes.fromhex, hashes)))
        for place, owner, hashes in stored["hits"]
    )
    table, after = stored["reached"]
    return Searched(stored["texts"], tuple(hits), reached=Reached(table, after and UUID(after)))
