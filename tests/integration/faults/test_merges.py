"""Documents share postings: a merge hides nothing at any instant and keeps nothing deleted."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

import psycopg
import pytest
from psycopg import Connection

from pulsedocs import faults
from pulsedocs.errors import RetryableError
from pulsedocs.model.documents import OnDuplicate
from tests.integration.faults import strikes
from tests.integration.faults.strikes import Strike, ends_of, visited_by
from tests.integration.faults.world import World
from tests.integration.ingestion.pipeline import PUBLISHED, Crash

NewWorld = Callable[[], World]
DOCUMENTS: Final = tuple(UUID(int=number) for number in range(1, 6))
POINTS: Final = ("merge.locked", "merge.written", "merge.before_commit", "merge.after_commit")
WORDS: Final = "gauge station0 station1 station2 station3 station4"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] -- autouse
    strikes.without_waits(monkeypatch)


def body_of(number: int, edition: str = "first") -> bytes:
    """Return a text with words that all of them have, and words of its own."""
    return (
        f"The gauge of station{number} is read at noon, in its {edition} edition."
        f" Secret{number} goes to the engineer. Gauge{number} and gauge."
    ).encode()


def stocked(world: World) -> World:
    """Publish five documents, whose postings are apart."""
    for number, document in enumerate(DOCUMENTS):
        assert world.pipeline.deliver(world.upload(body_of(number), document)) == PUBLISHED
    return world


def few_at_once(world: World) -> World:
    return replace(world, rows_at_once=3)


def digests(world: World) -> list[str]:
    return [world.digest(document) for document in DOCUMENTS]


def ranked(world: World) -> list[tuple[Any, ...]]:
    """Return what is in the index of a tenant, place by place of its documents, not of segments."""
    return world.admin.execute(
        "SELECT document_id, version, chunk_index, term, tf, dl FROM posted_word"
        " WHERE tenant_id = %s ORDER BY 1, 2, 3, 4",
        [world.tenant],
    ).fetchall()


def segments(world: World) -> int:
    return world.count("posting_segment")


def terms_like(world: World, pattern: str) -> int:
    """Count rows of the index, in either form, whoever they are said to be of."""
    row = world.admin.execute(
        "SELECT count(*) FROM (SELECT tenant_id, term FROM posting"
        " UNION ALL SELECT tenant_id, term FROM shared_posting) AS held"
        " WHERE tenant_id = %s AND term LIKE %s",
        [world.tenant, pattern],
    ).fetchone()
    assert row is not None
    return row[0]


def test_merged_documents_are_found_as_before(world: World) -> None:
    """P-01: with the same scores; a second merge has nothing to do."""
    before = (digests(stocked(world)), ranked(world), world.found(WORDS))

    assert world.merge() == 1

    assert segments(world) == 1
    assert (digests(world), ranked(world), world.found(WORDS)) == before
    assert world.violations() == []
    assert world.merge() == 0


@pytest.mark.parametrize("kind", strikes.KINDS)
@pytest.mark.parametrize("point", POINTS)
def test_a_merge_broken_at_any_point_leaves_an_index_that_is_whole(
    world: World, kind: str, point: str
) -> None:
    """P-01: either form, never both and never none; the next merge goes on."""
    before = (digests(stocked(world)), ranked(world), world.found(WORDS))
    faults.install(strike := Strike(kind, point, 1, world.admin))

    with suppress(Crash, RetryableError):
        world.merge()
    faults.install(None)

    assert strike.struck
    assert (digests(world), ranked(world), world.found(WORDS)) == before
    assert world.violations() == []
    world.merge()
    assert segments(world) == 1
    assert (digests(world), ranked(world), world.found(WORDS)) == before
    assert world.violations() == []


@pytest.mark.parametrize("point", POINTS)
def test_a_question_in_the_midst_of_a_merge_finds_everything(world: World, point: str) -> None:
    """P-01: asked by another session at each point, and by one whose snapshot is older."""
    before = stocked(world).found(WORDS)
    met: list[dict[UUID, set[str]]] = []

    def ask(reached: str) -> None:
        if reached == point:
            met.append(world.found(WORDS))

    faults.install(ask)
    with psycopg.connect(
        world.connections.database.admin_url, options="-c search_path=pulsedocs,public"
    ) as older:
        older.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        whole = uses(older, world)
        world.merge()
        faults.install(None)
        assert uses(older, world) == whole

    assert met
    assert all(found == before for found in met)
    assert len(before) == len(DOCUMENTS)


def uses(connection: Connection[Any], world: World) -> int:
    row = connection.execute(
        "SELECT count(*) FROM posted_word WHERE tenant_id = %s", [world.tenant]
    ).fetchone()
    assert row is not None
    return row[0]


@pytest.fixture
def rival(world: World) -> Iterator[World]:
    with ExitStack() as opened:
        yield world.rival(opened)


@pytest.mark.parametrize("point", ["merge.locked", "merge.written", "merge.before_commit"])
def test_a_deletion_in_the_midst_of_a_merge_waits_and_leaves_no_word(
    world: World, rival: World, point: str
) -> None:
    """P-01: who deletes a document that is being merged waits for the merge, not longer."""
    stocked(world)
    threads: list[threading.Thread] = []

    def delete(reached: str) -> None:
        if reached == point and not threads:
            threads.append(threading.Thread(target=lambda: rival.delete(DOCUMENTS[2])))
            threads[0].start()
            assert_it_waits(threads[0], world)

    faults.install(delete)
    world.merge()
    faults.install(None)
    threads[0].join()
    assert set(world.found(WORDS)) == set(DOCUMENTS) - {DOCUMENTS[2]}
    world.take_control()

    assert terms_like(world, "%2") == 0
    assert world.violations() == []
    assert segments(world) == 1


def assert_it_waits(rival: threading.Thread, world: World) -> None:
    """Look until the rival waits for a lock; one that ends has met none."""
    waiting = (
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        " AND datname = current_database()"
    )
    while world.admin.execute(waiting).fetchone() is None:
        assert rival.is_alive(), "it went on as if nobody were at work"


def test_a_document_that_is_being_deleted_is_left_out_of_a_merge(
    world: World, rival: World
) -> None:
    """P-01: its blocks are locked, so the merge goes on without it and without waiting."""
    stocked(world)
    met: list[int] = []

    def merge(reached: str) -> None:
        if reached == "delete.before_commit" and not met:
            met.append(rival.merge())

    world.delete(DOCUMENTS[0])
    faults.install(merge)
    world.delete(DOCUMENTS[1])
    faults.install(None)
    world.take_control()
    world.merge()

    assert met == [1]
    assert set(world.found(WORDS)) == set(DOCUMENTS[2:])
    assert terms_like(world, "%0") == terms_like(world, "%1") == 0
    assert world.violations() == []
    assert segments(world) == 1


@pytest.mark.parametrize("kind", strikes.KINDS)
def test_a_merged_document_is_deleted_whatever_breaks(new_world: NewWorld, kind: str) -> None:
    """P-01: at each point of the purge, three postings at a time; the others stay as they were."""
    golden = stocked(few_at_once(new_world()))
    golden.merge()
    golden.delete(DOCUMENTS[2])
    points = [
        (point, nth)
        for point, nth in ends_of(visited_by(golden.take_control))
        if point in {"postings.before_commit", "purge.words_taken_out"}
    ]
    assert max(nth for _, nth in points) > 2

    for point, nth in points:
        world = stocked(few_at_once(new_world()))
        world.merge()
        others = [world.digest(each) for each in DOCUMENTS if each != DOCUMENTS[2]]
        world.delete(DOCUMENTS[2])
        faults.install(strike := Strike(kind, point, nth, world.admin))
        world.take_control()
        faults.install(None)
        assert strike.struck, point
        assert DOCUMENTS[2] not in world.found(WORDS)
        world.settle()

        assert terms_like(world, "%2") == 0
        assert [world.digest(each) for each in DOCUMENTS if each != DOCUMENTS[2]] == others
        assert world.violations() == []


def test_who_waits_for_a_segment_that_goes_takes_the_words_out_of_the_next(
    world: World, rival: World
) -> None:
    """P-01: two purges of one document at once; the first dies after one of its two segments."""
    for number in (1, 2):
        assert world.pipeline.deliver(world.upload(body_of(number), DOCUMENTS[number])) == PUBLISHED
    assert world.merge() == 1
    later = world.upload(body_of(1, "second"), DOCUMENTS[1], on_duplicate=OnDuplicate.REPLACE)
    for event in (later, world.upload(body_of(3), DOCUMENTS[3])):
        assert world.pipeline.deliver(event) == PUBLISHED
    assert world.merge() == 1
    assert segments(world) == 2
    world.delete(DOCUMENTS[2])
    world.take_control()
    receipt = world.delete(DOCUMENTS[1])
    threads: list[threading.Thread] = []

    def purge_too(reached: str) -> None:
        if reached == "postings.before_commit" and not threads:
            threads.append(threading.Thread(target=lambda: rival.purge(receipt)))
            threads[0].start()
            assert_it_waits(threads[0], world)
        elif reached == "purge.words_taken_out" and threading.current_thread() not in threads:
            raise Crash

    faults.install(purge_too)
    world.purge(receipt)
    threads[0].join()
    faults.install(None)

    assert terms_like(world, "%1") == 0
    assert world.count("document") == 1
    assert world.violations() == []


def test_a_newer_version_of_a_merged_document_takes_its_place(world: World) -> None:
    """P-01: the words of the older one count for nothing at once, and are gone after its time."""
    stocked(world).merge()
    later = world.upload(body_of(2, "second"), DOCUMENTS[2], on_duplicate=OnDuplicate.REPLACE)
    assert world.pipeline.deliver(later) == PUBLISHED

    assert set(world.found("first")) == set(DOCUMENTS) - {DOCUMENTS[2]}
    assert set(world.found("second")) == {DOCUMENTS[2]}
    assert world.merge() == 0  # what is hidden is not moved
    with world.admin.transaction():
        world.admin.execute("SET LOCAL session_replication_role = replica")
        world.admin.execute(
            "UPDATE document_version SET updated_at = updated_at - interval '40 days'"
            " WHERE tenant_id = %s",
            [world.tenant],
        )
    report = world.sweep(full=True)

    assert report.counts["spent_versions"] == 1
    assert report.counts["merged_chunks"] == 0  # a segment of four and a block: not twice as large
    assert segments(world) == 1
    assert set(world.found(WORDS)) == set(DOCUMENTS)
    # What was bought for the older version stays in the books, whose ledger is gone.
    assert [broken for broken in world.violations() if not broken.startswith("I15")] == []


def test_the_sweep_merges_from_a_day_after_the_migration_on(
    new_world: NewWorld, changed: Callable[[str], None]
) -> None:
    """P-01: functions of the version before may still be asked until then."""
    world = stocked(new_world())
    assert world.sweep(full=True).counts["merged_chunks"] == 0

    changed("now() - interval '1 second'")

    assert world.sweep(full=True).counts["merged_chunks"] >= len(DOCUMENTS)
    assert segments(world) == 1
    assert world.violations() == []
    assert world.sweep(full=True).counts["merged_chunks"] == 0


@pytest.fixture
def changed(world: World) -> Iterator[Callable[[str], None]]:
    """Let merging begin at another time; back to the day after the migration at the end."""

    def change(time: str) -> None:
        world.admin.execute(
            "CREATE OR REPLACE FUNCTION merging_begins() RETURNS timestamptz LANGUAGE sql STABLE"
            f" SET search_path = pulsedocs, pg_catalog, pg_temp RETURN {time}".encode()
        )

    yield change
    change("now() + interval '1 day'")


def test_what_deletions_have_left_is_merged_again(world: World) -> None:
    """P-01: a segment that lost most of its places is as small as any other."""
    stocked(world).merge()
    for document in DOCUMENTS[:4]:
        world.delete(document)
    world.take_control()
    for number, document in enumerate(DOCUMENTS[:4]):
        again = UUID(int=document.int + 100)
        assert world.pipeline.deliver(world.upload(body_of(number), again)) == PUBLISHED

    assert world.merge() == 1

    assert segments(world) == 1
    assert len(world.found(WORDS)) == len(DOCUMENTS)
    assert world.violations() == []


def test_two_merges_at_once_are_one(world: World, rival: World) -> None:
    """P-01: the second finds the blocks locked and leaves them."""
    stocked(world)
    met: list[int] = []

    def merge(reached: str) -> None:
        if reached == "merge.written" and not met:
            met.append(-1)
            met[0] = rival.merge()

    faults.install(merge)
    merged = world.merge()
    faults.install(None)

    assert (merged, met) == (1, [0])
    assert segments(world) == 1
    assert world.violations() == []


def test_a_copy_lives_on_when_its_original_leaves_the_segment(world: World) -> None:
    """P-01: the same bytes in two documents are two documents in the index."""
    for document in DOCUMENTS[:2]:
        assert world.pipeline.deliver(world.upload(body_of(7), document)) == PUBLISHED
    assert world.merge() == 1

    world.delete(DOCUMENTS[0])
    world.take_control()

    assert set(world.found("secret7")) == {DOCUMENTS[1]}
    assert world.violations() == []


def test_words_that_are_left_keep_their_block(world: World) -> None:
    """P-01: no statement removes a document whose words a segment still has."""
    stocked(world).merge()

    with pytest.raises(psycopg.Error, match="in the index still"):
        world.admin.execute("DELETE FROM document WHERE tenant_id = %s", [world.tenant])

    assert world.violations() == []
