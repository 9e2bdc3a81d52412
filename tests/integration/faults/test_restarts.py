"""PostgreSQL crashes every second or two under load: nothing is lost, and the rows are the same.

`PULSEDOCS_RESTART_DOCUMENTS=2000` makes the run longer.
"""

import math
import os
import random
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Event as Signal
from threading import Thread
from typing import Any, Final
from uuid import UUID

import psycopg
import pytest
from psycopg import Connection

from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.upkeep.migrations import migrate
from pulsedocs.errors import RetryableError
from tests.integration.digest import version_digest
from tests.integration.faults import strikes
from tests.integration.faults.world import World
from tests.integration.ingestion.pipeline import PUBLISHED, Event
from tests.plugins.migrated_database import MigratedDatabase, set_passwords

_WANTED = os.environ.get("PULSEDOCS_RESTART_DOCUMENTS", "200")  # noqa: TID251 -- of the tests
_DOCUMENTS: Final = int(_WANTED)
_WORKERS: Final = 4
_SECONDS: Final = 45 * max(1, _DOCUMENTS // 200)
_AT_LEAST: Final = 3  # restarts, or the test has shown nothing


@dataclass(frozen=True, slots=True)
class Work:
    document: UUID
    event: Event


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """Give this file a server of its own, which crashes."""
    directory = Path(tempfile.mkdtemp(prefix="pulsedocs-crashing-"))
    with PostgresServer(directory, disposable=True) as running:
        yield running


@pytest.fixture(scope="module")
def database(server: PostgresServer) -> MigratedDatabase:
    url = server.create_database("crashing")
    migrate(url)
    set_passwords(url)
    # A commit is in the kernel's hands once it is answered: enough, where only processes die.
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER DATABASE crashing SET synchronous_commit = on")
    return MigratedDatabase(url)


def body_of(number: int) -> bytes:
    return f"Gauge {number} is read at {number} hours. Report {number} to the engineer.".encode()


def announce(world: World, count: int) -> list[Work]:
    documents = [UUID(int=number + 1) for number in range(count)]
    return [Work(each, world.upload(body_of(n), each)) for n, each in enumerate(documents)]


def crash_repeatedly(server: PostgresServer, stop: Signal, crashes: list[float]) -> None:
    chance = random.Random(20261121)
    while not stop.wait(chance.uniform(1, 3)):
        server.restart(immediate=True)
        crashes.append(time.monotonic())


def persist(world: World, event: Event, *, until: float) -> None:
    """Start executions until one ends; what is left half done is for the sweep to find."""
    while time.monotonic() < until:
        try:
            claimed = world.pipeline.claim(event)
            if claimed.work:
                world.pipeline.run(claimed)
        except RetryableError:
            continue
        return


def work_off(worlds: list[World], works: list[Work], *, until: float) -> None:
    def share(number: int) -> None:
        for work in works[number :: len(worlds)]:
            persist(worlds[number], work.event, until=until)

    with ThreadPoolExecutor(len(worlds)) as pool:
        list(pool.map(share, range(len(worlds))))


def test_a_database_that_crashes_all_the_time_loses_nothing(
    server: PostgresServer, database: MigratedDatabase
) -> None:
    """S0-26, K14, P-01: every document ends published with the golden digest, invariants hold."""
    stop, crashes = Signal(), list[float]()
    with ExitStack() as opened:
        first = World.over(database, opened)
        golden = first.anew()
        undisturbed = announce(golden, _DOCUMENTS)
        # However long it takes: a run cut short is nothing to compare with.
        work_off([golden], undisturbed, until=math.inf)
        workers = [first, *(first.rival(opened) for _ in range(_WORKERS - 1))]
        works = announce(first, _DOCUMENTS)
        monkey = Thread(target=crash_repeatedly, args=(server, stop, crashes))
        monkey.start()
        try:
            work_off(workers, works, until=time.monotonic() + _SECONDS)
            while len(crashes) < _AT_LEAST:
                work_off(workers, works[:40], until=time.monotonic() + 1)
        finally:
            stop.set()
            monkey.join()
    with ExitStack() as opened:
        after = World.over(database, opened)
        after.tenant, after.pipeline.objects, after.clock = first.tenant, first.objects, first.clock
        after.settle()
        assert_same(after, golden.tenant, works)


def assert_same(world: World, golden: UUID, works: list[Work]) -> None:
    assert {tuple(world.outcomes(work.document)) for work in works} == {(PUBLISHED,)}
    for work in works:
        expected = version_digest(world.admin, golden, work.document)
        assert world.digest(work.document) == expected, work.document
    assert world.violations() == []


def test_a_writer_that_became_a_reader_is_waited_for(
    database: MigratedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K14: read-only after a failover is a reason to try again, never an end."""
    strikes.without_waits(monkeypatch)
    begin: Any = strikes.gate._begin  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] -- the one place
    left = 12

    def begin_as_a_reader(connection: Connection[Any], tenant_id: UUID, **how: bool) -> None:
        nonlocal left
        begin(connection, tenant_id, **how)
        left -= 1
        if left >= 0:
            connection.execute("SET TRANSACTION READ ONLY")

    with ExitStack() as opened:
        world = World.over(database, opened)
        event = world.upload(body_of(1))
        monkeypatch.setattr(strikes.gate, "_begin", begin_as_a_reader)
        with pytest.raises(RetryableError):
            world.pipeline.claim_once(event)
        assert world.pipeline.deliver(event) == PUBLISHED
        assert left < 0
        assert world.violations() == []
