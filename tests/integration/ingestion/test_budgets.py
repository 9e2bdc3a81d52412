"""A document that the day has no room for waits where it stands, and pays for nothing twice."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs import faults
from pulsedocs.adapters.postgres.budgets import PostgresBudgetStore
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.documents.operations import PostgresDocumentOperations
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.documents.retry_document import retry_document
from pulsedocs.model.budgets import NO_LIMITS, Budget, Limits
from pulsedocs.model.object_keys import ingest_control_key, subject_of
from tests.integration.ingestion.pipeline import PUBLISHED, Crash, Event, Pipeline

TEXT = "\n\n".join(
    f"Section {number}. The gauge of station {number} is read at {number + 3} o'clock and logged."
    for number in range(1, 7)
).encode()
OTHER = TEXT.replace(b"gauge", b"meter")


@dataclass
class Stage:
    database_as: Callable[[str], Database]
    admin: Connection[Any]
    tenant: UUID

    def pipeline(self, limits: Limits = NO_LIMITS) -> Pipeline:
        return Pipeline(
            store=PostgresIngestionStore(self.database_as("ingest"), limits=limits),
            catalogue=PostgresDocumentCatalogue(self.database_as("api")),
        )

    def budget(self) -> Budget:
        return PostgresBudgetStore(self.database_as("api")).budget(self.tenant)

    def recorded(self) -> int:
        row = self.admin.execute(
            "SELECT coalesce(sum(input_tokens), 0) FROM usage WHERE tenant_id = %s", [self.tenant]
        ).fetchone()
        assert row is not None
        return int(row[0])

    def begin_another_day(self) -> None:
        for table in ("budget_day", "budget_reservation"):
            self.admin.execute(f"UPDATE {table} SET day = day - 1")  # noqa: S608 -- a constant

    def retry(self, pipeline: Pipeline, event: Event) -> str | None:
        document = subject_of(event.key).document_id
        operations = PostgresDocumentOperations(self.database_as("api"))
        retry_document(
            self.tenant, document, actor="ann", operations=operations, objects=pipeline.objects
        )
        return pipeline.deliver(Event(ingest_control_key(self.tenant, document), "", "1"))


@pytest.fixture
def stage(
    database_as: Callable[[str], Database], connect_as: Callable[[str], Connection[Any]]
) -> Iterator[Stage]:
    admin = connect_as("admin")
    admin.autocommit = True
    yield Stage(database_as, admin, uuid4())
    faults.install(None)


def crash_at(nth: int, *, reached: list[str]) -> None:
    """End the process once, at the nth fault point."""
    numbers = itertools.count()

    def injector(point: str) -> None:
        reached.append(point)
        if next(numbers) == nth:
            raise Crash(point)

    faults.install(injector)


def test_tokens_beyond_the_day_park_a_document_which_goes_on_the_next_day(stage: Stage) -> None:
    free = stage.pipeline()
    assert free.deliver(free.upload(stage.tenant, None, TEXT)) == PUBLISHED
    used = stage.budget().tokens.used
    limited = stage.pipeline(Limits(tokens=used + 10))
    limited.objects = free.objects
    event = limited.upload(stage.tenant, None, OTHER, filename="other.txt")

    assert limited.deliver(event) == "PARKED"
    status = limited.catalogue.status(stage.tenant, subject_of(event.key).document_id)
    assert status.error is not None
    assert status.error.code == "BUDGET_EXCEEDED"
    assert "the next day begins at" in status.error.message
    assert (stage.budget().tokens.used, stage.budget().tokens.reserved) == (used, 0)
    assert stage.retry(limited, event) == "PARKED"

    stage.begin_another_day()
    enough = stage.pipeline(Limits(tokens=10 * used, pages=0))  # its page was counted yesterday
    enough.objects = free.objects
    assert stage.retry(enough, event) == PUBLISHED
    assert (stage.budget().tokens.used, stage.budget().tokens.reserved) == (
        stage.recorded() - used,
        0,
    )


def test_pages_beyond_the_day_park_a_document_and_a_repetition_never_waits(stage: Stage) -> None:
    limited = stage.pipeline(Limits(pages=1))
    assert limited.deliver(limited.upload(stage.tenant, None, TEXT)) == PUBLISHED

    again = limited.upload(stage.tenant, None, TEXT)
    other = limited.upload(stage.tenant, None, OTHER, filename="other.txt")

    assert limited.deliver(again) is None  # decided by the claim
    assert limited.deliver(other) == "PARKED"
    assert stage.budget().pages.used == 1


def test_wherever_a_run_breaks_what_is_used_is_what_was_recorded(stage: Stage) -> None:
    """Reserved and settled once each, by a process that dies at any point and its successors."""
    pipeline = stage.pipeline(Limits(pages=1, tokens=100_000))
    reached: list[str] = []
    crash_at(-1, reached=reached)
    stage.tenant = uuid4()
    pipeline.deliver(pipeline.upload(stage.tenant, None, TEXT))
    first, end = reached.index("store.planned"), len(reached)
    assert {"budget.reserved", "budget.after_commit", "budget.settled"} <= set(reached)

    for nth in range(first, end):
        stage.tenant = uuid4()
        event = pipeline.upload(stage.tenant, None, TEXT)
        crash_at(nth, reached=[])
        assert pipeline.deliver(event) in {PUBLISHED, None}, reached[nth]
        faults.install(None)
        now = stage.budget()
        assert (now.tokens.used, now.tokens.reserved) == (stage.recorded(), 0), reached[nth]
        assert (now.pages.used, now.pages.reserved) == (1, 0), reached[nth]
