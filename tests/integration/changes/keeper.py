"""One tenant's documents, changed and deleted as the functions would: stores real, S3 in memory."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection, sql

from pulsedocs.adapters.postgres.deletion.purges import PostgresPurgeStore
from pulsedocs.adapters.postgres.documents.updates import PostgresDocumentChanges
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.deletion.delete_document import delete_document
from pulsedocs.deletion.purge_document import purge_documents
from pulsedocs.documents.update_documents import update_documents
from pulsedocs.model.changes import Strategy, Update, UpdateResult
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.deletions import Receipt
from pulsedocs.model.object_keys import asks_for_marks, receipt_of
from pulsedocs.model.retrieval import CandidateQuery, Leg, Scope
from tests.integration.ingestion.pipeline import MODEL, Event, Pipeline, retried

CONTENT = (
    "document_version",
    "document_page",
    "document_chunk",
    "chunk_embedding",
    "posting",
    "posting_block",
    "doc_stats",
    "step_ledger",
    "embedding_failure",
)
_BY_BLOCK = sql.SQL("posting_block JOIN posting USING (tenant_id, block)")


def text_about(topic: str, paragraphs: int = 8) -> bytes:
    """Return a text whose every paragraph has the topic's word, and words of no other topic."""
    return "\n\n".join(
        f"Section {number}. The {topic} of station {topic}{number} is watched by {topic} crews and"
        f" logged under {topic}mark number {number} before the {topic} shift of that day ends."
        for number in range(1, paragraphs + 1)
    ).encode()


@dataclass(slots=True)
class Keeper:
    pipeline: Pipeline
    changes: PostgresDocumentChanges
    purges: PostgresPurgeStore
    retrieval: PostgresRetrievalStore
    tenant: UUID = field(default_factory=uuid4)
    seen: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def upload(self, source: str, body: bytes, **options: Any) -> Event:
        """Register and upload a document of its own."""
        document_id = options.pop("document_id", None)
        return self.pipeline.upload(self.tenant, document_id, body, filename=source, **options)

    def ingest(self, source: str, body: bytes, **options: Any) -> UUID:
        event = self.upload(source, body, **options)
        self.pipeline.deliver(event)
        return document_of(event)

    def delete(self, document_id: UUID) -> UUID:
        return retried(
            lambda: delete_document(
                self.tenant,
                document_id,
                actor="keeper",
                changes=self.changes,
                objects=self.pipeline.objects,
            )
        )

    def update(self, strategy: str, **fields: Any) -> UpdateResult:
        return update_documents(
            self.tenant,
            Update(Strategy(strategy), **fields),
            actor="keeper",
            changes=self.changes,
            objects=self.pipeline.objects,
        )

    def purge(self, receipt_id: UUID, *, seconds: float = 300, marks_all: bool = False) -> None:
        retried(
            lambda: purge_documents(
                self.tenant,
                receipt_id,
                store=self.purges,
                objects=self.pipeline.objects,
                deadline=Deadline.after(seconds),
                marks_all=marks_all,
            )
        )

    def run_purges(self) -> int:
        """Start what EventBridge would for each request to purge; return how many there were."""
        started = 0
        for key in self._requests():
            started += 1
            self.purge(receipt_of(key)[1], marks_all=asks_for_marks(key))
        return started

    def receipt(self, receipt_id: UUID) -> Receipt:
        return self.changes.receipt(self.tenant, receipt_id)

    def sources_found(self, words: str, collection: str = "default") -> set[str]:
        """Return the sources of what a search finds, by words and by meaning alike."""
        vector = self.pipeline.embedder.embed_query(words, deadline=Deadline.after(60))
        found = self.retrieval.search(
            CandidateQuery(
                scope=Scope(self.tenant, (collection,)),
                model=MODEL,
                dimensions=0,
                vectors={Leg.VECTOR: vector},
                words=words,
                vector_candidates=50,
                keyword_candidates=50,
            )
        )
        return {candidate.source for candidate in found.candidates}

    def _requests(self) -> Iterator[str]:
        while True:
            asked = [
                (version.key, version.object_version)
                for version in self.pipeline.objects.versions(f"control/purge/{self.tenant}/")
            ]
            fresh = [each for each in asked if each not in self.seen]
            if not fresh:
                return
            for each in fresh:
                self.seen.add(each)
                yield each[0]


def document_of(event: Event) -> UUID:
    return UUID(event.key.rpartition("/")[2])


def rows_left(connection: Connection[Any], tenant_id: UUID, document_id: UUID) -> dict[str, int]:
    """Count the rows of a document in every table that holds some; without those of zero."""
    counts: dict[str, int] = {}
    for table in ("document", *CONTENT):
        statement = sql.SQL("SELECT count(*) FROM {} WHERE tenant_id = %s AND document_id = %s")
        searched = _BY_BLOCK if table == "posting" else sql.Identifier(table)
        row = connection.execute(statement.format(searched), [tenant_id, document_id]).fetchone()
        assert row is not None
        counts[table] = row[0]
    return {table: count for table, count in counts.items() if count}
