"""Rivals for locks, clocks that lie and dependencies that hang cost time, and nothing else."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from psycopg.errors import DeadlockDetected

from pulsedocs import faults
from tests.integration.faults import strikes
from tests.integration.faults.histories import BODIES, DOCUMENTS
from tests.integration.faults.strikes import has_sessions
from tests.integration.faults.texts import TEXT
from tests.integration.faults.world import World
from tests.integration.ingestion.pipeline import PUBLISHED
from tests.patience import eventually
from tests.plugins.migrated_database import ROLES

NewWorld = Callable[[], World]


@pytest.fixture
def bare(world: World) -> Iterator[Connection[Any]]:
    """Give a session that knows nothing of the product's order of locks."""
    options = "-c search_path=pulsedocs,public -c deadlock_timeout=50ms"
    url = world.connections.database.admin_url
    with psycopg.connect(url, options=options) as connection:
        yield connection


def deadlocks(world: World) -> int:
    """Return how many deadlocks this database has seen; sessions report when they end."""
    world.admin.execute("SELECT pg_stat_force_next_flush()")
    row = world.admin.execute(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    ).fetchone()
    assert row is not None
    return row[0]


def test_workers_of_our_own_never_deadlock(new_world: NewWorld) -> None:
    """K15: six workers on the same three documents, with uploads, deletions and cancels between."""
    world = new_world()
    before = deadlocks(world)
    with ExitStack() as opened:
        workers = [world.rival(opened) for _ in range(6)]
        events = [world.upload(BODIES[n % 3], DOCUMENTS[n % 3]) for n in range(12)]
        together = threading.Barrier(len(workers))

        def work(number: int) -> None:
            together.wait()
            for event in events[number % 3 :: 2]:
                workers[number].execute(event)
            if number == 0:
                workers[number].delete(DOCUMENTS[0])

        threads = [threading.Thread(target=work, args=(n,)) for n in range(len(workers))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    world.settle()

    assert deadlocks(world) == before
    assert world.violations() == []


def test_a_rival_that_locks_in_reverse_order_is_survived(
    world: World, bare: Connection[Any], new_world: NewWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K15: one of the two is chosen as the victim; ours is tried again and ends as always."""
    monkeypatch.setattr(strikes.gate, "_LONGEST_WAITS_SECONDS", (0.2,) * 4)
    golden = new_world()
    golden.execute(golden.upload(TEXT))
    event = world.upload(TEXT)
    run = world.pipeline.steps(world.pipeline.claim_once(event))
    next(run)()
    met: list[str] = []

    def rival() -> None:
        wait_for_lock(world)
        try:
            bare.execute("SELECT FROM document WHERE tenant_id = %s FOR UPDATE", [world.tenant])
        except DeadlockDetected:
            met.append("the rival was the victim")
        bare.rollback()

    threads: list[threading.Thread] = []

    def injector(point: str) -> None:
        if point == "store.planned" and not threads:
            bare.execute(
                "SELECT FROM document_version WHERE tenant_id = %s FOR UPDATE", [world.tenant]
            )
            threads.append(threading.Thread(target=rival))
            threads[0].start()

    faults.install(injector)
    before = deadlocks(world)
    for step in run:
        step()
    faults.install(None)
    threads[0].join()

    assert world.outcomes() == [PUBLISHED]
    assert world.digest() == golden.digest()
    assert world.violations() == []
    assert met or eventually(lambda: deadlocks(world) > before)


def wait_for_lock(world: World) -> None:
    """Wait until the product's session waits for a lock."""
    with psycopg.connect(world.connections.database.admin_url, autocommit=True) as looking:
        waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        assert eventually(lambda: looking.execute(waiting).fetchone() is not None)


@pytest.mark.parametrize("hours", [-1, 1, 24 * 365 * 12])
def test_a_worker_with_a_wrong_clock_cannot_steal_a_lease(
    world: World, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    """K16: leases are of the database's clock; a worker's is nobody's business."""
    event = world.upload(TEXT)
    held = world.pipeline.claim_once(event, holder="first")
    skewed = datetime.now(UTC) + timedelta(hours=hours)
    monkeypatch.setattr(time, "time", skewed.timestamp)
    monkeypatch.setattr(time, "monotonic", skewed.timestamp)
    world.clock.now = skewed

    stolen = world.pipeline.claim_once(event, holder="second")

    assert not stolen.work
    assert world.pipeline.run(held) == PUBLISHED
    assert world.violations() == []


def test_a_lease_that_ran_out_can_be_taken_whatever_the_worker_thinks(world: World) -> None:
    event = world.upload(TEXT)
    world.pipeline.claim_once(event, holder="first")
    world.pass_time(minutes=16)

    assert world.pipeline.claim_once(event, holder="second").work


def test_no_transaction_stays_open_while_the_provider_hangs(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K06: neither S3 nor a provider is asked inside a transaction."""
    event = world.upload(TEXT)
    looked, open_transactions = 0, list[str]()

    def look(name: str) -> None:
        nonlocal looked
        looked += 1
        if has_sessions(world.admin, state="idle in transaction"):
            open_transactions.append(name)

    for owner, names in (
        (world.objects, ("read", "write", "exists", "describe", "remove", "sha256")),
        (world.pipeline.embedder, ("embed_passages",)),
    ):
        for name in names:
            watch(monkeypatch, owner, name, look)
    world.execute(event)

    assert world.outcomes() == [PUBLISHED]
    assert looked > 20
    assert open_transactions == []


def watch(
    patched: pytest.MonkeyPatch, owner: object, name: str, look: Callable[[str], None]
) -> None:
    """Look at the database whenever a method is called."""
    original = getattr(owner, name)

    def watched(_self: object, *arguments: Any, **options: Any) -> Any:
        look(name)
        return original(*arguments, **options)

    patched.setattr(type(owner), name, watched)


def test_a_session_that_hangs_in_a_transaction_is_ended_by_the_database(world: World) -> None:
    """K06: the roles' own limits, so that a frozen function holds no lock for long."""
    limits = world.admin.execute(
        "SELECT rolname, setting FROM pg_roles, unnest(rolconfig) AS setting"
        " WHERE rolname LIKE 'pulsedocs\\_%' AND setting LIKE 'idle_in_transaction%'"
    ).fetchall()

    assert {setting for _, setting in limits} == {"idle_in_transaction_session_timeout=10s"}
    assert len(limits) == len(ROLES)
