"""Duplicates, rivals and reordering of one document's runs end in the same rows.

Crashes at each point are in `tests/integration/faults/test_points.py`.
"""

import itertools
from collections.abc import Callable, Iterator
from threading import Barrier, Thread
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.errors import FencedOut, RetryableError
from tests.integration.digest import version_digest
from tests.integration.ingestion.pipeline import PUBLISHED, CountingEmbedder, Pipeline
from tests.integration.invariants import violations

DOCUMENT = UUID("22222222-2222-4222-8222-222222222222")
TEXT = "\n\n".join(
    f"Section {number}. The gauge of station {number} is read at {number + 3} o'clock and logged."
    " Readings above the mark are reported to the duty engineer before the shift ends."
    for number in range(1, 13)
).encode()
LATER_TEXT = TEXT.replace(b"o'clock", b"hours sharp")


@pytest.fixture
def new_pipeline(database_as: Callable[[str], Database]) -> Callable[[], Pipeline]:
    def build() -> Pipeline:
        return Pipeline(
            store=PostgresIngestionStore(database_as("ingest")),
            catalogue=PostgresDocumentCatalogue(database_as("api")),
        )

    return build


def digest_after(pipeline: Pipeline, admin: Connection[Any], *bodies: bytes) -> str:
    """Ingest these bytes undisturbed, one after another, in a tenant of their own."""
    tenant = uuid4()
    for body in bodies:
        assert pipeline.deliver(pipeline.upload(tenant, DOCUMENT, body)) == PUBLISHED
    return version_digest(admin, tenant, DOCUMENT)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_versions_delivered_in_any_order_end_with_the_newest(
    new_pipeline: Callable[[], Pipeline], admin: Connection[Any], order: tuple[int, ...]
) -> None:
    """P-01: the sequencer decides, not the order of arrival (I1, I2)."""
    pipeline, tenant = new_pipeline(), uuid4()
    expected = digest_after(new_pipeline(), admin, LATER_TEXT)
    bodies = [TEXT, TEXT + b" Addendum.", LATER_TEXT]
    events = [pipeline.upload(tenant, DOCUMENT, body) for body in bodies]

    for index in order:
        pipeline.deliver(events[index])

    assert version_digest(admin, tenant, DOCUMENT) == expected
    assert violations(admin, tenant) == []


def test_two_workers_on_one_event_commit_each_step_once(
    new_pipeline: Callable[[], Pipeline], admin: Connection[Any]
) -> None:
    """S0-12: one of them is fenced out or finds the claim taken; the rows are those of one run."""
    first, second, tenant = new_pipeline(), new_pipeline(), uuid4()
    expected = digest_after(first, admin, TEXT)
    event = first.upload(tenant, DOCUMENT, TEXT)
    second.objects = first.objects
    ended = race(lambda: first.deliver(event), lambda: second.deliver(event))

    assert sorted(ended, key=str) == [None, PUBLISHED]
    assert version_digest(admin, tenant, DOCUMENT) == expected
    assert violations(admin, tenant) == []


def test_two_runs_that_share_a_fence_write_each_row_once(
    new_pipeline: Callable[[], Pipeline], admin: Connection[Any]
) -> None:
    """S0-12, S0-29: a retried task that is still running elsewhere changes nothing twice."""
    first, second, tenant = new_pipeline(), new_pipeline(), uuid4()
    expected = digest_after(first, admin, TEXT)
    event = first.upload(tenant, DOCUMENT, TEXT)
    second.objects = first.objects
    claimed = first.claim(event)

    ended = race(lambda: first.run(claimed), lambda: second.run(claimed))

    assert ended == [PUBLISHED, PUBLISHED]
    assert version_digest(admin, tenant, DOCUMENT) == expected
    assert violations(admin, tenant) == []


def test_a_run_whose_lease_expired_cannot_write_again(
    new_pipeline: Callable[[], Pipeline], admin: Connection[Any]
) -> None:
    """K05: the rival takes the fence at every step; the stale run ends FencedOut."""
    pipeline = new_pipeline()
    expected = digest_after(pipeline, admin, TEXT)
    for taken_after in range(1, 6):
        tenant = uuid4()
        event = pipeline.upload(tenant, DOCUMENT, TEXT)
        stale = pipeline.steps(pipeline.claim(event))
        for _ in range(taken_after):
            next(stale)()
        expire_leases(admin, tenant)
        rival = pipeline.claim(event)

        assert_fenced_out(stale)
        assert pipeline.run(rival) == PUBLISHED
        assert version_digest(admin, tenant, DOCUMENT) == expected
        assert violations(admin, tenant) == []


def test_no_step_calls_the_provider_twice_for_one_batch(
    new_pipeline: Callable[[], Pipeline],
) -> None:
    """S0-10, S0-29: what was paid for lies in S3; a second run of the embed step finds it."""
    pipeline = new_pipeline()
    pipeline.embedder = counting = CountingEmbedder()
    event = pipeline.upload(uuid4(), DOCUMENT, TEXT)
    claimed = pipeline.claim(event)
    pipeline.run(claimed)
    after_one_run = counting.calls

    pipeline.run(claimed)

    assert after_one_run > 1
    assert counting.calls == after_one_run


def expire_leases(admin: Connection[Any], tenant: UUID) -> None:
    admin.execute(
        "UPDATE document_version SET lease_until = clock_timestamp() - interval '1 second'"
        " WHERE tenant_id = %s",
        [tenant],
    )


def assert_fenced_out(steps: Iterator[Callable[[], object]]) -> None:
    """Run what is left of a stale run: its first database step must be refused."""
    for step in steps:
        try:
            step()
        except FencedOut:
            return
        except RetryableError:
            continue
    pytest.fail("a stale run wrote to the end")


def race(*runs: Callable[[], str | None]) -> list[str | None]:
    """Start all at once; return what each returned, in order."""
    ended: list[str | None] = [None] * len(runs)
    together = Barrier(len(runs))

    def start(index: int) -> None:
        together.wait()
        ended[index] = runs[index]()

    threads = [Thread(target=start, args=(index,)) for index in range(len(runs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ended
