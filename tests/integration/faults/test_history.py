"""Which upload wins, whatever is late, and when the versions that lost are gone."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import permutations
from pathlib import Path
from typing import Any, Final, LiteralString

import psycopg
import pytest
from psycopg import Connection, sql

from pulsedocs.errors import ProviderQuotaExhausted
from pulsedocs.model import object_keys
from pulsedocs.model.documents import OnDuplicate
from pulsedocs.model.object_keys import upload_key
from tests.integration.faults.world import DOCUMENT, World
from tests.integration.ingestion.pipeline import Event

EDITIONS: Final = tuple(
    f"Edition {number}. The gauge of station {number} is read at noon.".encode()
    for number in range(3)
)
OF_A_VERSION: Final = (
    "document_page",
    "document_chunk",
    "chunk_embedding",
    "posted_word",
    "doc_stats",
)
SWEEP: Final = "sweep"


def shown(world: World) -> str:
    """Return the text of the published version's first page."""
    [row] = world.admin.execute(
        "SELECT cleaned_text FROM document JOIN document_page USING (tenant_id, document_id)"
        " WHERE tenant_id = %s AND document_page.version = published_version",
        [world.tenant],
    ).fetchall()
    return row[0]


def placed(world: World, body: bytes) -> Event:
    stored = world.objects.put(upload_key(world.tenant, DOCUMENT), body, content_type="text/plain")
    return Event(stored.key, stored.object_version, f"{next(world.pipeline.sequencers):X}")


def orders() -> Iterator[tuple[int | str, ...]]:
    """Every order of three events and a sweep; a sweep at the end loses what stands behind it."""
    yield from permutations([0, 1, 2, SWEEP])


@pytest.mark.parametrize("order", list(orders()), ids=str)
@pytest.mark.parametrize("again", [False, True], ids=["three texts", "the first text again"])
@pytest.mark.parametrize("named", [False, True], ids=["by reference", "by forms"])
def test_the_newest_upload_wins_in_every_order_of_lost_and_late_events(
    new_world: Callable[[], World], order: tuple[int | str, ...], *, again: bool, named: bool
) -> None:
    """T-02: what stands behind the sweep is a late event; that of the newest may never come.

    The version of an object that no form names gets its number when it is claimed, in any order.
    """
    world = new_world()
    bodies = (*EDITIONS[:2], EDITIONS[0]) if again else EDITIONS
    events = [world.upload(bodies[0], on_duplicate=OnDuplicate.REPLACE)]
    events += [world.upload(body) if named else placed(world, body) for body in bodies[1:]]

    for act in order:
        if act == SWEEP:
            world.pass_time(minutes=20)
            world.sweep(full=True)
            world.take_control(world.pipeline.deliver)
        else:
            world.pipeline.deliver(events[int(act)])
    world.settle()

    assert shown(world) == bodies[-1].decode()
    assert world.violations() == []


def rows_of(world: World, version: int) -> dict[str, int]:
    counts: dict[str, int] = {}
    for table in OF_A_VERSION:
        statement = sql.SQL("SELECT count(*) FROM {} WHERE tenant_id = %s AND version = %s")
        found = world.admin.execute(
            statement.format(sql.Identifier(table)), [world.tenant, version]
        ).fetchall()
        counts[table] = found[0][0]
    return counts


def grow_older(admin: Connection[Any], world: World, by: timedelta) -> None:
    with admin.transaction():
        admin.execute("SET LOCAL session_replication_role = replica")
        admin.execute(
            "UPDATE document_version SET updated_at = updated_at - %s WHERE tenant_id = %s",
            [by, world.tenant],
        )


def test_versions_that_were_replaced_end_after_a_month(new_world: Callable[[], World]) -> None:
    """T-04: rows and bytes; the published version, its file and its answers stay."""
    world = new_world()
    events = [world.upload(body) for body in EDITIONS[:2]]
    for event in events:
        world.pipeline.deliver(event)
    grow_older(world.admin, world, timedelta(days=29))
    world.sweep(full=True)
    assert min(rows_of(world, 1).values()) > 0
    before = world.digest()

    grow_older(world.admin, world, timedelta(days=2))
    report = world.sweep(full=True)

    assert report.counts["spent_versions"] == 1
    assert set(rows_of(world, 1).values()) == {0}
    kept = [each.object_version for each in world.objects.versions(events[0].key)]
    assert kept == [events[1].object_version]
    assert world.digest() == before
    assert world.sweep(full=True).counts["spent_versions"] == 0
    assert world.pipeline.deliver(events[0]) is None  # its event once more, when all is gone
    assert world.digest() == before


def test_the_bytes_of_what_is_published_stay_when_they_were_sent_twice(
    new_world: Callable[[], World],
) -> None:
    """T-04: the newer object goes with its DUPLICATE, not the older one that is served."""
    world = new_world()
    served = world.upload(EDITIONS[0])
    world.pipeline.deliver(served)
    for body in (EDITIONS[0], b"\x80\x81 is no text"):
        world.pipeline.deliver(world.upload(body))
    assert world.outcomes() == ["PUBLISHED", "DUPLICATE", "REJECTED"]

    grow_older(world.admin, world, timedelta(days=40))
    world.sweep(full=True)

    assert world.objects.read(served.key, object_version=served.object_version) == EDITIONS[0]
    assert shown(world) == EDITIONS[0].decode()
    world.delete(DOCUMENT)
    world.settle()
    assert world.violations() == []


def test_a_version_that_failed_ends_once_a_newer_one_is_published(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T-04: nothing takes it up again; the newest that failed waits for a person."""
    events = [world.upload(body) for body in EDITIONS[:2]]

    def refuse(*_arguments: object, **_options: object) -> None:
        raise ProviderQuotaExhausted("no balance")

    with monkeypatch.context() as patched:
        patched.setattr(world.pipeline.embedder, "embed_passages", refuse)
        world.pipeline.deliver(events[0])
    grow_older(world.admin, world, timedelta(days=40))
    assert world.sweep(full=True).counts["spent_versions"] == 0
    world.pipeline.deliver(events[1])
    assert world.outcomes() == ["PARKED", "PUBLISHED"]
    assert sum(rows_of(world, 1).values()) > 0

    report = world.sweep(full=True)

    assert report.counts["spent_versions"] == 1
    assert set(rows_of(world, 1).values()) == {0}
    assert [each.object_version for each in world.objects.versions(events[0].key)] == [
        events[1].object_version
    ]
    assert shown(world) == EDITIONS[1].decode()
    assert world.sweep(full=True).counts["spent_versions"] == 0


def test_records_end_after_their_stated_lives(world: World) -> None:
    """T-04: of what was used and done; younger rows of the same tables stay."""
    world.pipeline.deliver(world.upload(EDITIONS[0]))
    world.delete(DOCUMENT)
    world.settle()
    statements: dict[str, LiteralString] = {
        "usage": "UPDATE usage SET settled_at = settled_at - %(age)s WHERE tenant_id = %(t)s",
        "audit_event": "UPDATE audit_event SET at = at - %(age)s WHERE tenant_id = %(t)s",
        "deletion_receipt": "UPDATE deletion_receipt"
        " SET completed_at = completed_at - 5.6 * %(age)s WHERE tenant_id = %(t)s",
        "batch": "UPDATE batch SET ended_at = ended_at - %(age)s WHERE tenant_id = %(t)s",
        "feedback": "UPDATE feedback SET changed_at = changed_at - %(age)s WHERE tenant_id = %(t)s",
    }
    world.admin.execute(
        "INSERT INTO batch (tenant_id, batch_id, prefix, choices, ended_at)"
        " VALUES (%s, gen_random_uuid(), 's3://b/p/', '{}', clock_timestamp())",
        [world.tenant],
    )
    world.admin.execute(
        "INSERT INTO feedback (tenant_id, trace_id, subject, verdict, reason, question,"
        " collections, document_ids) VALUES (%s, %s, 'olga', 'wrong', '', 'Why?', '{}', '{}')",
        [world.tenant, "0" * 32],
    )

    def counts() -> dict[str, int]:
        return {table: world.count(table) for table in statements}

    def age(days: int) -> None:
        with world.admin.transaction():
            world.admin.execute("SET LOCAL session_replication_role = replica")
            for statement in statements.values():
                world.admin.execute(statement, {"age": timedelta(days=days), "t": world.tenant})

    age(390)
    before = counts()
    assert min(before.values()) > 0
    world.sweep(full=True)
    assert counts() == before

    age(11)
    world.sweep(full=True)

    assert counts() == dict.fromkeys(statements, 0)


def test_usage_that_was_never_settled_ends_as_late(world: World) -> None:
    """T-04: its life is counted from when its reservation expired."""
    world.admin.execute(
        "INSERT INTO usage (tenant_id, method, expires_at)"
        " VALUES (%s, 'ask', clock_timestamp() - interval '399 days')",
        [world.tenant],
    )
    world.sweep(full=True)
    assert world.count("usage") == 1

    world.admin.execute(
        "UPDATE usage SET expires_at = expires_at - interval '2 days' WHERE tenant_id = %s",
        [world.tenant],
    )
    world.sweep(full=True)

    assert world.count("usage") == 0


def test_the_audit_refuses_to_lose_what_is_recent(world: World) -> None:
    world.pipeline.deliver(world.upload(EDITIONS[0]))

    with pytest.raises(psycopg.Error, match="never changed"):
        world.admin.execute("DELETE FROM audit_event WHERE tenant_id = %s", [world.tenant])


def test_the_page_of_lives_names_every_table_and_prefix(world: World) -> None:
    """T-04: what a later migration adds has a stated end too."""
    page = (Path(__file__).parents[3] / "docs/reference/lifetimes.md").read_text("utf-8")
    tables = world.admin.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'pulsedocs'::regnamespace"
        " AND relkind IN ('r', 'p') AND NOT relispartition"
    ).fetchall()
    prefixes = set(re.findall(r"^([a-z]+)/", object_keys.__doc__ or "", re.MULTILINE))

    assert {name for (name,) in tables if f"`{name}`" not in page} == set()
    assert {prefix for prefix in prefixes if f"`{prefix}/`" not in page} == set()
