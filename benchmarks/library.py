"""Published documents written past the pipeline: for measuring and testing search at size."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, LiteralString
from uuid import UUID, uuid4, uuid5

import psycopg
from psycopg import Connection, sql
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.postings import merge_some, take_some_out
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.upkeep.vector_indexes import DueIndex, vector_index
from pulsedocs.model.chunks import Chunk, Context, IdentifiedChunk
from pulsedocs.model.documents import Run
from pulsedocs.model.pages import Heading

_OF_A_TENANT = (
    *("embedding_model", "collection", "document", "document_version", "document_page"),
    *("document_chunk", "chunk_embedding", "posting_segment", "posting_block", "posting"),
    *("shared_posting", "doc_stats", "shelf_size"),
    "idempotency_key",
)
_OF_CHUNKS = UUID("5e0d8c1a-55b7-5b0c-8e35-07a7a3f4f0aa")


@dataclass(frozen=True, slots=True)
class Passage:
    text: str
    vector: Sequence[float] | None = None
    page: int = 1
    section: tuple[str, ...] = ()
    spans: Sequence[tuple[int, int, int]] = ()
    """Page, start and end of each part; empty: the whole text lies on `page`."""
    tokens: int = 0
    context: Context = field(default_factory=Context)


@dataclass(frozen=True, slots=True)
class Shelf:
    """One tenant's collection and the model that its passages are embedded by."""

    tenant_id: UUID
    collection_id: UUID
    model: str
    model_id: int


@dataclass(frozen=True, slots=True)
class Paper:
    """A document to write; `version` 2 and up leaves the earlier ones where they are."""

    passages: Sequence[Passage]
    document_id: UUID = field(default_factory=uuid4)
    source: str | None = None
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    content_date: date | None = None
    content_type: str = "application/pdf"
    version: int = 1
    state: str = "EMBEDDED"
    is_published: bool = True


class Library:
    """Writes as the superuser with triggers off: a version then needs no history."""

    def __init__(self, admin_url: str) -> None:
        self.connection: Connection[Any] = psycopg.connect(
            admin_url, options="-c search_path=pulsedocs,public -c session_replication_role=replica"
        )

    def close(self) -> None:
        self.connection.close()

    def shelf(
        self,
        model: str,
        *,
        tenant_id: UUID | None = None,
        collection: str = "default",
        language: str = "english",
    ) -> Shelf:
        """Make a collection, and its tenant and model where they are new."""
        tenant_id = tenant_id or uuid4()
        collection_id = uuid4()
        model_id = self.register(model, tenant_id)
        self.connection.execute(
            "INSERT INTO collection (tenant_id, collection_id, name, language, active_model)"
            " VALUES (%s, %s, %s, %s::regconfig, %s)",
            (tenant_id, collection_id, collection, language, model),
        )
        self.connection.commit()
        return Shelf(tenant_id, collection_id, model, model_id)

    def register(self, model: str, tenant_id: UUID) -> int:
        row = self.connection.execute("SELECT ensure_embedding_model(%s)", (model,)).fetchone()
        self.connection.execute(
            "INSERT INTO embedding_model (tenant_id, model) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (tenant_id, model),
        )
        self.connection.commit()
        return row[0] if row else 0

    def add(self, shelf: Shelf, paper: Paper) -> list[UUID]:
        """Write a document and commit; return the ids of its chunks in order."""
        key = {
            "tenant_id": shelf.tenant_id,
            "collection_id": shelf.collection_id,
            "document_id": paper.document_id,
            "version": paper.version,
        }
        self._write_document(key, paper)
        chunk_ids = self._copy_chunks(key, paper)
        self.copy_vectors(
            shelf,
            [
                (paper.document_id, paper.version, chunk_id, passage.vector)
                for chunk_id, passage in zip(chunk_ids, paper.passages, strict=True)
                if passage.vector is not None
            ],
        )
        words = {**key, "chunks": len(paper.passages)}
        self.connection.execute(query("index_words"), words)
        if paper.is_published:
            self.connection.execute(
                "UPDATE document SET published_version = %(version)s,"
                " published_at = '2026-01-01T00:00:00Z'"
                " WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s",
                key,
            )
        self.connection.commit()
        return chunk_ids

    def add_pages(
        self,
        shelf: Shelf,
        document_id: UUID,
        texts: Mapping[int, str],
        labels: Mapping[int, str] | None = None,
        headings: Mapping[int, Sequence[Heading]] | None = None,
    ) -> None:
        """Write the pages of a document's first version: answers quote them, and name them so."""
        labels, headings = labels or {}, headings or {}
        self.connection.execute(
            "UPDATE document_version SET page_count = %s WHERE tenant_id = %s AND document_id = %s",
            (max(texts, default=0), shelf.tenant_id, document_id),
        )
        self.connection.cursor().executemany(
            "INSERT INTO document_page (tenant_id, document_id, version, page_number, outcome,"
            " parser, raw_text, cleaned_text, label, cleaned_headings)"
            " VALUES (%s, %s, 1, %s, 'TEXT', 'text', %s, %s, %s, %s)",
            [
                (
                    *(shelf.tenant_id, document_id, number, text, text, labels.get(number)),
                    Jsonb([asdict(heading) for heading in headings.get(number, ())]),
                )
                for number, text in texts.items()
                if text
            ],
        )
        self.connection.commit()

    def copy_vectors(
        self, shelf: Shelf, rows: Sequence[tuple[UUID, int, UUID, Sequence[float]]]
    ) -> None:
        statement = (
            "COPY chunk_embedding (tenant_id, document_id, version, chunk_id, model_id, embedding)"
            " FROM STDIN"
        )
        with self.connection.cursor().copy(statement) as copy:
            for document_id, version, chunk_id, vector in rows:
                literal = f"[{','.join(map(str, vector))}]"
                copy.write_row(
                    (shelf.tenant_id, document_id, version, chunk_id, shelf.model_id, literal)
                )

    def hide(self, shelf: Shelf, document_id: UUID) -> None:
        """Make a document unsearchable, as the product does at once when it is deleted."""
        self.connection.execute(
            "UPDATE document SET published_version = NULL, published_at = NULL, deleted_at = now()"
            " WHERE tenant_id = %s AND document_id = %s",
            (shelf.tenant_id, document_id),
        )
        self.connection.commit()

    def delete(self, shelf: Shelf, document_id: UUID) -> None:
        """Hide a document and purge it."""
        self.hide(shelf, document_id)
        key = {"tenant_id": shelf.tenant_id, "document_id": document_id}
        self.connection.execute("SET session_replication_role = origin")
        while take_some_out(self.connection, {**key, "version": None, "rows": 2000}):
            pass
        self.connection.execute(
            "DELETE FROM document WHERE tenant_id = %(tenant_id)s"
            " AND document_id = %(document_id)s",
            key,
        )
        self.connection.execute("SET session_replication_role = replica")
        self.connection.commit()

    def merge(self, shelf: Shelf, *, fewest: int = 2, most: int = 1000) -> int:
        """Merge postings as the sweep does; return how many merges there were, `most` at most."""
        key = {"tenant_id": shelf.tenant_id, "collection_id": shelf.collection_id}
        merges = 0
        self.connection.execute("SET session_replication_role = origin")  # a segment's rows go
        while merges < most and merge_some(self.connection, {**key, "fewest": fewest}):
            self.connection.commit()
            merges += 1
        self.connection.execute("SET session_replication_role = replica")
        self.connection.commit()
        return merges

    def add_others(self, tenant_id: UUID, count: int) -> None:
        """Copy a tenant's rows under ids of further tenants: every key begins with the tenant."""
        for table in _OF_A_TENANT:
            self.connection.execute(
                sql.SQL(
                    "INSERT INTO {table} SELECT (jsonb_populate_record(old, to_jsonb(old)"
                    " || jsonb_build_object('tenant_id', md5('other' || number)::uuid))).*"
                    " FROM {table} AS old, generate_series(1, %s) AS number WHERE tenant_id = %s"
                ).format(table=sql.Identifier(table)),
                [count, tenant_id],
            )
        self.connection.commit()

    def build_index(self, model: str) -> None:
        """Give the model's vectors their HNSW index, as a sweep does when there are many."""
        row = self.connection.execute(
            "SELECT model_id, model, dimensions FROM stage_model WHERE model = %s", (model,)
        ).fetchone()
        if row is not None:
            self.connection.execute("SET maintenance_work_mem = '512MB'")
            _drop, create = vector_index(DueIndex(*row))
            self._alone(create)
        self.analyze()

    def analyze(self) -> None:
        self._alone("VACUUM (ANALYZE)")

    def _alone(self, statement: LiteralString | sql.Composed) -> None:
        """Run what refuses to be in a transaction."""
        self.connection.commit()
        self.connection.autocommit = True
        self.connection.execute(statement)
        self.connection.autocommit = False

    def _write_document(self, key: Mapping[str, Any], paper: Paper) -> None:
        self.connection.execute(
            "INSERT INTO document (tenant_id, document_id, collection_id, source, title, metadata,"
            " content_date, latest_version) VALUES (%(tenant_id)s, %(document_id)s,"
            " %(collection_id)s, %(source)s, %(title)s, %(metadata)s, %(content_date)s,"
            " %(version)s) ON CONFLICT (tenant_id, document_id) DO NOTHING",
            {
                **key,
                "source": paper.source or f"{paper.document_id}.pdf",
                "title": paper.title,
                "metadata": Jsonb(paper.metadata),
                "content_date": paper.content_date,
            },
        )
        self.connection.execute(
            "INSERT INTO document_version (tenant_id, document_id, version, collection_id, state,"
            " pipeline_revision, content_type, size, page_count, chunk_count) VALUES"
            " (%(tenant_id)s, %(document_id)s, %(version)s, %(collection_id)s, %(state)s, '1',"
            " %(content_type)s, 1, %(pages)s, %(chunks)s)",
            {
                **key,
                "state": paper.state,
                "content_type": paper.content_type,
                "pages": max((passage.page for passage in paper.passages), default=0),
                "chunks": len(paper.passages),
            },
        )

    def _copy_chunks(self, key: Mapping[str, Any], paper: Paper) -> list[UUID]:
        chunk_ids: list[UUID] = []
        statement = (
            "COPY document_chunk (tenant_id, document_id, version, chunk_id, chunk_index, text,"
            " page_start, page_end, spans, section, tokens, characters, profile, method,"
            " chunk_hash, content_hash, context_before, context_after) FROM STDIN"
        )
        with self.connection.cursor().copy(statement) as copy:
            for index, passage in enumerate(paper.passages):
                identity = f"{paper.document_id}/{paper.version}/{index}"
                spans = passage.spans or [(passage.page, 0, len(passage.text))]
                chunk_ids.append(uuid5(_OF_CHUNKS, identity))
                copy.write_row(
                    (
                        key["tenant_id"],
                        paper.document_id,
                        paper.version,
                        chunk_ids[-1],
                        index,
                        passage.text,
                        spans[0][0],
                        spans[-1][0],
                        Jsonb([list(span) for span in spans]),
                        list(passage.section),
                        passage.tokens or len(passage.text.split()),
                        len(passage.text),
                        "classic",
                        "recursive",
                        hashlib.sha256(identity.encode()).digest(),
                        hashlib.sha256(passage.context.around(passage.text).encode()).digest(),
                        passage.context.before or None,
                        passage.context.after or None,
                    )
                )
        return chunk_ids


def identified_chunk(
    run: Run,
    index: int,
    text: str,
    **fields: Any,  # noqa: ANN401 -- of `Chunk`
) -> IdentifiedChunk:
    """Return a chunk of a run as the step `chunk` would; `fields` are of `Chunk`."""
    chunk_hash = hashlib.sha256(f"{index}:{text}".encode()).digest()
    given: dict[str, Any] = {
        "section": (),
        "tokens": len(text.split()),
        "profile": "classic",
        "method": "recursive",
        "parameters": {},
        "flags": (),
    }
    return IdentifiedChunk(
        chunk_id=uuid5(run.document_id, chunk_hash.hex()),
        chunk_hash=chunk_hash,
        content_hash=hashlib.sha256(text.encode()).digest(),
        chunk=Chunk(index=index, text=text, **(given | fields)),
    )
