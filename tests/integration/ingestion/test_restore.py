"""The drill: database or bucket is restored to a moment ago, and sweeps bring both together.

What a restore cannot bring back is shown too: docs/guides/operate.md says what to do about it.
"""

import copy
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from typing import Final
from uuid import UUID, uuid4

import psycopg
import pytest

from local.postgres import PostgresServer
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.deletion.purges import PostgresPurgeStore
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.documents.operations import PostgresDocumentOperations
from pulsedocs.adapters.postgres.documents.updates import PostgresDocumentChanges
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.adapters.postgres.upkeep.history import PostgresHistoryStore
from pulsedocs.adapters.postgres.upkeep.sweeps import PostgresSweepStore
from pulsedocs.deletion.delete_document import delete_document
from pulsedocs.deletion.purge_document import purge_documents
from pulsedocs.ingestion.ingest_reference import ingest_text
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.documents import IngestOptions
from pulsedocs.model.object_keys import (
    open_marker_key,
    purge_control_key,
    subject_of,
    upload_key,
)
from pulsedocs.model.requests import Choices
from tests.integration.digest import version_digest
from tests.integration.ingestion.pipeline import MODEL, Clock, Event, Pipeline
from tests.integration.ingestion.test_sweep import Stage
from tests.integration.intake import InMemoryIntake
from tests.integration.invariants import violations
from tests.plugins.migrated_database import url_of

_EARLIER: Final = b"The boiler of hall one is inspected every spring by the works council."
_LATER: Final = b"The boiler of hall one is inspected every autumn, and each inspection is logged."
_names = count(1)


@dataclass
class Drill:
    """A stage whose database can be copied and put back, and so can its bucket."""

    server: PostgresServer
    name: str
    objects: InMemoryObjectStore
    clock: Clock
    tenant: UUID = field(default_factory=uuid4)
    copies: list[str] = field(default_factory=list[str])
    executions: Iterator[int] = field(default_factory=count)
    sequencers: Iterator[int] = field(default_factory=lambda: count(0x61_7F08_2993))

    def work(self, opened: ExitStack) -> Stage:
        """Connect everything to the database that is in use."""
        url = self.server.database_url(self.name)
        admin = psycopg.connect(url, options="-c search_path=pulsedocs,public", autocommit=True)
        opened.callback(admin.close)
        by_role = {role: Database(url_of(url, role)) for role in ("ingest", "api", "sweep")}
        for database in by_role.values():
            opened.callback(database.close)
        return Stage(
            pipeline=Pipeline(
                store=PostgresIngestionStore(by_role["ingest"], default_model=MODEL),
                catalogue=PostgresDocumentCatalogue(by_role["api"]),
                objects=self.objects,
                executions=self.executions,
                sequencers=self.sequencers,
            ),
            operations=PostgresDocumentOperations(by_role["api"]),
            sweeps=PostgresSweepStore(by_role["sweep"]),
            history=PostgresHistoryStore(by_role["sweep"], days=30, kept=0),
            admin=admin,
            clock=self.clock,
        )

    def keep_database(self) -> str:
        """Copy the database as it is, as a backup does; nobody may be connected."""
        kept = f"{self.name}_{next(_names)}"
        self.server.create_database(kept, template=self.name)
        self.copies.append(kept)
        return kept

    def kept_bucket(self) -> InMemoryObjectStore:
        kept = InMemoryObjectStore(now=self.clock)
        kept._objects = copy.deepcopy(self.objects._objects)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] -- a backup reads everything
        kept._numbers = copy.deepcopy(self.objects._numbers)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] -- as above
        return kept


@pytest.fixture
def drill(postgres_server: PostgresServer, migrated_template: str) -> Iterator[Drill]:
    clock = Clock()
    name = f"drill_{next(_names)}"
    postgres_server.create_database(name, template=migrated_template)
    made = Drill(postgres_server, name, InMemoryObjectStore(now=clock), clock)
    yield made
    for database in {name, *made.copies}:
        postgres_server.drop_database(database)


def send_text(stage: Stage, tenant: UUID, text: bytes) -> Event:
    """Ingest by reference: its record lies beside the bytes."""
    accepted = ingest_text(
        tenant,
        text.decode(),
        Choices(None, "Log", {}, None, IngestOptions()),
        source="log.txt",
        content_type="text/plain",
        intake=InMemoryIntake(stage.objects, others={}),
        max_bytes=1_000_000,
    )
    described = stage.objects.describe(upload_key(tenant, accepted.document_id))
    return Event(described.key, described.object_version, f"{next(stage.pipeline.sequencers):X}")


def document_of(event: Event) -> UUID:
    return subject_of(event.key).document_id


def digest(stage: Stage, drill: Drill, event: Event) -> str:
    return version_digest(stage.admin, drill.tenant, document_of(event))


def settle(stage: Stage) -> None:
    """Let two days pass, with the daily pass and what it asks for."""
    for _ in range(8):
        stage.pass_time(hours=6)
        stage.sweep(full=True)
        stage.deliver_requests()


def test_an_older_database_catches_up_with_a_newer_bucket(drill: Drill) -> None:
    """S0-26: what was published, under way, replaced or sent since is published, as it was."""
    tenant = drill.tenant
    with ExitStack() as opened:
        stage = drill.work(opened)
        published = stage.pipeline.upload(
            tenant, uuid4(), b"Kept as it is. " + _EARLIER, filename="kept.txt"
        )
        replaced = stage.pipeline.upload(
            tenant, uuid4(), b"Replaced. " + _EARLIER, filename="replaced.txt"
        )
        under_way = stage.pipeline.upload(
            tenant, uuid4(), b"Under way. " + _EARLIER, filename="under-way.txt"
        )
        for event in (published, replaced):
            stage.deliver_once(event)
        assert stage.claim(under_way).work
    kept = drill.keep_database()
    with ExitStack() as opened:
        stage = drill.work(opened)
        stage.pass_time(hours=1)
        stage.sweep()
        stage.deliver_requests()
        newer = stage.pipeline.upload(
            tenant, document_of(replaced), b"Replaced. " + _LATER, filename="replaced.txt"
        )
        sent = send_text(stage, tenant, b"Sent. " + _LATER)
        for event in (newer, sent):
            stage.deliver_once(event)
        events = (published, newer, under_way, sent)
        expected = [digest(stage, drill, event) for event in events]
        assert len(set(expected)) == len(events)

    drill.name = kept
    with ExitStack() as opened:
        stage = drill.work(opened)
        assert digest(stage, drill, published) == expected[0]
        settle(stage)

        assert [digest(stage, drill, event) for event in events] == expected
        assert stage.open_documents(tenant) == 0
        assert violations(stage.admin, tenant) == []


def test_an_upload_whose_registration_is_lost_is_counted_until_it_is_sent_again(
    drill: Drill,
) -> None:
    """Its name, title and collection were in the rows alone: nobody guesses them."""
    kept = drill.keep_database()
    with ExitStack() as opened:
        stage = drill.work(opened)
        event = stage.pipeline.upload(drill.tenant, None, _LATER)
        stage.deliver_once(event)

    drill.name = kept
    with ExitStack() as opened:
        stage = drill.work(opened)
        settle(stage)

        assert stage.sweep(full=True).counts["orphans"] == 1
        assert not stage.objects.exists(open_marker_key(drill.tenant, document_of(event)))
        assert stage.open_documents(drill.tenant) == 0


def test_what_was_deleted_since_stays_deleted(drill: Drill) -> None:
    """The restored rows know nothing of it; the bucket does, and the receipt is the same again."""
    with ExitStack() as opened:
        stage = drill.work(opened)
        event, other = (
            stage.pipeline.upload(drill.tenant, uuid4(), text, filename=name)
            for name, text in (("spring.txt", _EARLIER), ("autumn.txt", _LATER))
        )
        for each in (event, other):
            stage.deliver_once(each)
    kept = drill.keep_database()
    with ExitStack() as opened:
        stage = drill.work(opened)
        receipt_id = delete(drill, opened, event)
        purge(drill, opened, receipt_id)
        assert published_documents(stage) == 1

    drill.name = kept
    with ExitStack() as opened:
        stage = drill.work(opened)
        assert published_documents(stage) == 2
        report = stage.sweep(full=True)

        assert report.counts["deleted_again"] == 1
        assert published_documents(stage) == 1
        assert stage.objects.keys("control/purge/") == [purge_control_key(drill.tenant, receipt_id)]
        purge(drill, opened, receipt_id)
        row = stage.admin.execute(
            "SELECT document_id, requested_by, completed_at IS NOT NULL FROM deletion_receipt"
        ).fetchone()
        assert row == (document_of(event), "sweep", True)
        assert stage.sweep(full=True).counts["deleted_again"] == 0
        assert violations(stage.admin, drill.tenant) == []


def delete(drill: Drill, opened: ExitStack, event: Event) -> UUID:
    database = Database(url_of(drill.server.database_url(drill.name), "api"))
    opened.callback(database.close)
    return delete_document(
        drill.tenant,
        document_of(event),
        actor="operator",
        changes=PostgresDocumentChanges(database),
        objects=drill.objects,
    )


def purge(drill: Drill, opened: ExitStack, receipt_id: UUID) -> None:
    """Run what the request to purge starts, and take the request away."""
    database = Database(url_of(drill.server.database_url(drill.name), "sweep"))
    opened.callback(database.close)
    purge_documents(
        drill.tenant,
        receipt_id,
        store=PostgresPurgeStore(database),
        objects=drill.objects,
        deadline=Deadline.after(600),
    )
    drill.objects.remove(purge_control_key(drill.tenant, receipt_id))


def published_documents(stage: Stage) -> int:
    row = stage.admin.execute(
        "SELECT count(*) FROM document WHERE published_version IS NOT NULL AND deleted_at IS NULL"
    ).fetchone()
    assert row is not None
    return row[0]


def test_a_newer_database_keeps_what_it_has_published_from_an_older_bucket(drill: Drill) -> None:
    """S0-26: rows hold the text; what was under way over lost bytes ends, and says why."""
    tenant = drill.tenant
    bucket = drill.kept_bucket()
    with ExitStack() as opened:
        stage = drill.work(opened)
        published = stage.pipeline.upload(tenant, uuid4(), _EARLIER, filename="kept.txt")
        stage.deliver_once(published)
        under_way = stage.pipeline.upload(tenant, uuid4(), _LATER, filename="under-way.txt")
        assert stage.claim(under_way).work
        expected = digest(stage, drill, published)

    drill.objects = bucket
    with ExitStack() as opened:
        stage = drill.work(opened)
        settle(stage)

        assert digest(stage, drill, published) == expected
        assert stage.open_documents(tenant) == 0
        outcome, code = stage.outcome(tenant, document_of(under_way))
        assert (outcome, code) == ("FAILED", "OBJECT_NOT_FOUND")
        assert violations(stage.admin, tenant) == []
