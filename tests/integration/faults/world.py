"""One tenant's stage in process: real use cases and database, S3 and provider in memory.

Every call of a use case is one process that may die at a fault point; what the platform would do
afterwards (deliver again, start another run, sweep) is a call of its own.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
from psycopg import Connection, sql

from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.deletion.purges import ROWS_AT_ONCE, PostgresPurgeStore
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.documents.operations import PostgresDocumentOperations
from pulsedocs.adapters.postgres.documents.updates import PostgresDocumentChanges
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.adapters.postgres.upkeep.history import PostgresHistoryStore
from pulsedocs.adapters.postgres.upkeep.sweeps import PostgresSweepStore
from pulsedocs.deletion.delete_document import delete_document
from pulsedocs.deletion.purge_document import purge_documents
from pulsedocs.documents.cancel_document import cancel_document
from pulsedocs.documents.retry_document import retry_document
from pulsedocs.documents.update_documents import update_documents
from pulsedocs.errors import PulseDocsError, RetryableError
from pulsedocs.ingestion.claim_upload import Claimed
from pulsedocs.model.changes import Update, UpdateResult
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.object_keys import receipt_of
from pulsedocs.model.retrieval import CandidateQuery, Scope
from pulsedocs.model.sweeps import SweepReport
from pulsedocs.upkeep.sweep_stage import sweep_stage
from tests.integration.digest import version_digest
from tests.integration.ingestion.pipeline import MODEL, Clock, Crash, Event, Pipeline
from tests.integration.invariants import orphans, violations
from tests.plugins.migrated_database import MigratedDatabase

ACTOR = "tester"
DOCUMENT = UUID("22222222-2222-4222-8222-222222222222")


@dataclass(frozen=True, slots=True)
class Connections:
    """The roles' connections, shared by worlds that run one after another."""

    database: MigratedDatabase
    ingest: Database
    api: Database
    sweep: Database
    query: Database
    admin: Connection[Any]


@dataclass
class World:
    connections: Connections
    pipeline: Pipeline
    clock: Clock
    tenant: UUID = field(default_factory=uuid4)
    rows_at_once: int = ROWS_AT_ONCE
    """That a purge removes."""

    @classmethod
    def over(cls, database: MigratedDatabase, opened: ExitStack) -> "World":
        """Connect to a database; close when `opened` does."""

        def as_role(role: str) -> Database:
            connection = Database(database.url(role))
            opened.callback(connection.close)
            return connection

        admin = psycopg.connect(
            database.admin_url, options="-c search_path=pulsedocs,public", autocommit=True
        )
        opened.callback(admin.close)
        ingest, api, sweep = as_role("ingest"), as_role("api"), as_role("sweep")
        return cls.on(Connections(database, ingest, api, sweep, as_role("query"), admin))

    @classmethod
    def on(cls, connections: Connections) -> "World":
        clock = Clock()
        pipeline = Pipeline(
            store=PostgresIngestionStore(connections.ingest),
            catalogue=PostgresDocumentCatalogue(connections.api),
            objects=InMemoryObjectStore(now=clock),
        )
        return cls(connections, pipeline, clock)

    def anew(self) -> "World":
        """Return a world of another tenant with an empty bucket, on the same connections."""
        return self.on(self.connections)

    def rival(self, opened: ExitStack) -> "World":
        """Return another worker of the same tenant: own connections, the same bucket."""
        other = self.over(self.connections.database, opened)
        other.pipeline.objects = self.objects
        other.pipeline.executions = self.pipeline.executions
        return replace(other, tenant=self.tenant, clock=self.clock)

    @property
    def objects(self) -> InMemoryObjectStore:
        return self.pipeline.objects

    @property
    def admin(self) -> Connection[Any]:
        return self.connections.admin

    # ------------------------------------------------------------------------- what users ask for

    def upload(self, body: bytes, document: UUID = DOCUMENT, **options: Any) -> Event:
        filename = options.pop("filename", str(document))
        return self.pipeline.upload(self.tenant, document, body, filename=filename, **options)

    def cancel(self, document: UUID = DOCUMENT) -> None:
        operations = PostgresDocumentOperations(self.connections.api)
        cancel_document(
            self.tenant, document, actor=ACTOR, operations=operations, objects=self.objects
        )

    def retry(self, document: UUID = DOCUMENT) -> None:
        operations = PostgresDocumentOperations(self.connections.api)
        retry_document(
            self.tenant, document, actor=ACTOR, operations=operations, objects=self.objects
        )

    def delete(self, document: UUID = DOCUMENT) -> UUID:
        changes = PostgresDocumentChanges(self.connections.api)
        return delete_document(
            self.tenant, document, actor=ACTOR, changes=changes, objects=self.objects
        )

    def update(self, update: Update) -> UpdateResult:
        changes = PostgresDocumentChanges(self.connections.api)
        return update_documents(
            self.tenant, update, actor=ACTOR, changes=changes, objects=self.objects
        )

    def found(self, words: str, *documents: UUID) -> dict[UUID, set[str]]:
        """Ask a question by its words; return the texts found, by document."""
        asked = CandidateQuery(
            scope=Scope(self.tenant, ("default",), documents, None),
            model=MODEL,
            dimensions=0,
            vectors={},
            words=words,
            vector_candidates=0,
            keyword_candidates=50,
        )
        texts: dict[UUID, set[str]] = {}
        for each in PostgresRetrievalStore(self.connections.query).search(asked).candidates:
            texts.setdefault(each.document_id, set()).add(each.text)
        return texts

    # ------------------------------------------------------------------- what the platform does

    def execute(self, event: Event) -> None:
        """Run one execution without any retry; a crash is the end of it, with nobody to notice."""
        try:
            claimed = self.pipeline.claim_once(event)
        except (Crash, RetryableError):
            return
        if claimed.work:
            self.run(claimed)

    def run(self, claimed: Claimed) -> None:
        try:
            for step in self.pipeline.steps(claimed):
                if step() is not None:
                    return
        except (Crash, RetryableError):
            return
        except PulseDocsError as error:
            self.pipeline.fail(claimed, error)

    def take_control(self, run: Callable[[Event], object] | None = None) -> None:
        """Do what control objects ask for, once each: runs and purges."""
        for key in self.objects.keys("control/"):
            self.objects.remove(key)
            if key.startswith("control/purge/"):
                self.purge(receipt_of(key)[1])
            else:
                (run or self.execute)(Event(key, object_version="", sequencer="1"))

    def purge(self, receipt: UUID) -> None:
        """Purge; what is left after a death, or behind a late write, is asked for again."""
        try:
            purge_documents(
                self.tenant,
                receipt,
                store=PostgresPurgeStore(self.connections.sweep, rows_at_once=self.rows_at_once),
                objects=self.objects,
                deadline=Deadline.after(600),
            )
        except (Crash, PulseDocsError):
            return

    def sweep(self, *, full: bool = False) -> SweepReport:
        return sweep_stage(
            is_full=full,
            objects=self.objects,
            store=lambda: PostgresSweepStore(self.connections.sweep),
            history=lambda: self.history,
            now=self.clock.now,
            deadline=Deadline.after(600),
        )

    @property
    def history(self) -> PostgresHistoryStore:
        """Return what merges a handful of chunks, so that small documents share postings."""
        return PostgresHistoryStore(self.connections.sweep, days=30, kept=0, fewest_merged=2)

    def merge(self) -> int:
        """Merge what is due, as a sweep does; return how many merges it took."""
        merges = 0
        for (collection,) in self.admin.execute(
            "SELECT collection_id FROM collection WHERE tenant_id = %s ORDER BY 1", [self.tenant]
        ).fetchall():
            while self.history.merge_postings(self.tenant, collection):
                merges += 1
        return merges

    def pass_time(self, **delta: float) -> None:
        """Move the bucket's clock on, and what the database remembers of this tenant back."""
        passed = timedelta(**delta)
        self.clock.now += passed
        moved = {"d": passed, "tenant": self.tenant}
        self.admin.execute(
            "UPDATE document_version SET lease_until = lease_until - %(d)s,"
            " requested_at = requested_at - %(d)s, registered_at = registered_at - %(d)s,"
            " history = (SELECT jsonb_agg(jsonb_set(e, '{at}',"
            " to_jsonb((e ->> 'at')::timestamptz - %(d)s)))"
            " FROM jsonb_array_elements(history) AS e) WHERE tenant_id = %(tenant)s",
            moved,
        )
        self.admin.execute(
            "UPDATE deletion_receipt SET requested_at = requested_at - %(d)s,"
            " lease_until = lease_until - %(d)s WHERE tenant_id = %(tenant)s",
            moved,
        )

    def settle(self, *, rounds: int = 14) -> None:
        """Let time pass and sweeps run until nothing is open and nothing is asked for."""
        for number in range(rounds):
            self.pass_time(hours=6)
            self.sweep(full=number % 2 == 1)
            self.take_control()
            if number > 1 and not self.is_open():
                break
        self.take_control()

    def is_open(self) -> bool:
        """Say whether a version, a deletion or a request is still on its way."""
        row = self.admin.execute(
            "SELECT (SELECT count(*) FROM document_version WHERE tenant_id = %(t)s"
            " AND outcome IS NULL AND NOT (hold AND state = 'EMBEDDED'))"
            " + (SELECT count(*) FROM deletion_receipt WHERE tenant_id = %(t)s"
            " AND completed_at IS NULL)"
            " + (SELECT count(*) FROM document_version WHERE tenant_id = %(t)s"
            " AND requested_at IS NOT NULL)",
            {"t": self.tenant},
        ).fetchone()
        assert row is not None
        return row[0] > 0 or bool(self.objects.keys("control/"))

    # --------------------------------------------------------------------------- what came of it

    def digest(self, document: UUID = DOCUMENT) -> str:
        return version_digest(self.admin, self.tenant, document)

    def outcomes(self, document: UUID = DOCUMENT) -> list[str | None]:
        """Return how each version of a document ended, in order."""
        rows = self.admin.execute(
            "SELECT outcome FROM document_version WHERE (tenant_id, document_id) = (%s, %s)"
            " ORDER BY version",
            [self.tenant, document],
        )
        return [row[0] for row in rows]

    def violations(self) -> list[str]:
        return violations(self.admin, self.tenant) + orphans(
            self.admin, self.tenant, self.objects.keys()
        )

    def count(self, table: str) -> int:
        row = self.admin.execute(
            sql.SQL("SELECT count(*) FROM {} WHERE tenant_id = %s").format(sql.Identifier(table)),
            [self.tenant],
        ).fetchone()
        assert row is not None
        return row[0]
