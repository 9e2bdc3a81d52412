"""A claim grants each upload to one execution, once, whatever the events look like."""

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.ingestion.claims import comparable
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.errors import FencedOut, InvalidRequest
from pulsedocs.model.documents import ClaimedWork, ErrorReport, NothingToDo
from pulsedocs.pipeline import Outcome
from tests.integration.postgres.author import Author, stored

REPORT = ErrorReport("PROCESSING_FAILED", "it broke", {}, "try again")


def expire_leases(admin: Connection[Any]) -> None:
    admin.execute("UPDATE document_version SET lease_until = clock_timestamp() - interval '1 s'")


def granted(decision: ClaimedWork | NothingToDo) -> ClaimedWork:
    assert isinstance(decision, ClaimedWork), decision
    return decision


def reason(decision: ClaimedWork | NothingToDo) -> str:
    assert isinstance(decision, NothingToDo), decision
    return decision.reason


def retried(author: Author, document_id: Any, *, holder: str) -> ClaimedWork | NothingToDo:
    return author.store.claim(
        author.tenant, document_id, stored=None, sequencer=None, holder=holder
    )


def test_a_registration_is_granted_to_the_first_event(author: Author) -> None:
    registered = author.register("log.txt")

    work = granted(author.arrive(registered, object_version="first"))

    assert (work.run.version, work.run.fence, work.source) == (1, 1, "log.txt")
    assert work.object_version == "first"
    status = author.catalogue.status(author.tenant, registered.document_id)
    assert [state for state, _at in status.history] == ["UPLOADED", "PROCESSING"]
    assert status.received_at is not None


def test_the_same_event_is_nothing_to_do_for_another_execution(author: Author) -> None:
    registered = author.register()
    author.arrive(registered, object_version="first")

    again = author.arrive(registered, object_version="first", holder="execution-2")

    assert "another execution" in reason(again)


def test_the_same_execution_gets_its_fence_again(author: Author) -> None:
    """The answer of its first claim was lost."""
    registered = author.register()
    first = granted(author.arrive(registered, object_version="first"))

    assert granted(author.arrive(registered, object_version="first")) == first


def test_eight_executions_at_once_are_granted_one_run(
    author: Author, admin: Connection[Any], database_as: Callable[[str], Database]
) -> None:
    """K03, K05: the same event delivered to eight workers."""
    registered = author.register()
    gate = Barrier(8)

    def claim(number: int) -> ClaimedWork | NothingToDo:
        store = PostgresIngestionStore(database_as("ingest"))
        worker = Author(store, author.catalogue, author.tenant)
        gate.wait()
        return worker.arrive(
            registered, object_version="first", sequencer="A1", holder=f"execution-{number}"
        )

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(claim, range(8)))

    assert sum(isinstance(answer, ClaimedWork) for answer in answers) == 1
    assert admin.execute("SELECT count(*), max(fence) FROM document_version").fetchone() == (1, 1)


def test_six_uploads_at_once_that_nobody_registered_are_six_versions(
    author: Author, admin: Connection[Any], database_as: Callable[[str], Database]
) -> None:
    """The document's lock hands out the numbers."""
    run = author.ingest()
    gate = Barrier(6)

    def claim(number: int) -> ClaimedWork | NothingToDo:
        store = PostgresIngestionStore(database_as("ingest"))
        arrived = stored(author.tenant, run.document_id, version=None)
        gate.wait()
        return store.claim(
            author.tenant,
            run.document_id,
            stored=arrived,
            sequencer=f"FF{number}",
            holder=f"execution-{number}",
        )

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(claim, range(6)))

    assert {granted(answer).run.version for answer in answers} == set(range(2, 8))
    assert admin.execute("SELECT latest_version FROM document").fetchone() == (7,)


def test_an_expired_lease_is_taken_over_and_the_first_holder_fenced_out(
    author: Author, admin: Connection[Any]
) -> None:
    registered = author.register()
    first = granted(author.arrive(registered, object_version="first")).run
    expire_leases(admin)

    second = granted(author.arrive(registered, object_version="first", holder="execution-2")).run

    assert second.fence == first.fence + 1
    with pytest.raises(FencedOut):
        author.put_pages(first)
    assert author.finish(second) == "PUBLISHED"


def test_the_lease_is_fifteen_minutes_of_the_database_clock(
    author: Author, admin: Connection[Any]
) -> None:
    """K16: the function's clock plays no part."""
    author.started()

    row = admin.execute("SELECT lease_until - clock_timestamp() FROM document_version").fetchone()

    assert row is not None
    assert timedelta(minutes=14, seconds=50) < row[0] <= timedelta(minutes=15)


def test_a_step_renews_the_lease(author: Author, admin: Connection[Any]) -> None:
    run = author.started()
    admin.execute("UPDATE document_version SET lease_until = clock_timestamp() + interval '1 s'")

    author.put_pages(run)

    row = admin.execute(
        "SELECT lease_until > clock_timestamp() + interval '14 min' FROM document_version"
    ).fetchone()
    assert row == (True,)


def test_an_event_after_the_end_is_nothing_to_do(author: Author) -> None:
    registered = author.register()
    work = granted(author.arrive(registered, object_version="first"))
    author.finish(work.run)

    again = author.arrive(registered, object_version="first", holder="execution-2")

    assert reason(again) == "this version has ended PUBLISHED"


def test_bytes_that_nobody_registered_become_the_next_version_with_the_same_choices(
    author: Author,
) -> None:
    run = author.ingest(hold=False, chunking={"profile": "words"})

    work = granted(
        author.store.claim(
            author.tenant,
            run.document_id,
            stored=stored(author.tenant, run.document_id, version=None),
            sequencer="FF",
            holder="execution-2",
        )
    )

    assert work.run.version == 2
    assert author.store.choices_of(work.run).chunking["profile"] == "words"


def test_two_open_registrations_take_their_own_bytes(author: Author) -> None:
    first = author.register()
    second = author.register()
    assert (first.document_id, first.version + 1) == (second.document_id, second.version)

    later = granted(author.arrive(second, sequencer="20"))
    earlier = granted(author.arrive(first, sequencer="10", holder="execution-2"))

    assert (later.run.version, earlier.run.version) == (2, 1)


@pytest.mark.parametrize("order", list(itertools.permutations(["0F", "0F3", "1"])))
def test_the_highest_sequencer_ends_published_in_any_order(
    author: Author, admin: Connection[Any], order: tuple[str, ...]
) -> None:
    """I1, K04: sequencers of unequal length compare from the left."""
    registrations = {sequencer: author.register() for sequencer in order}

    for number, sequencer in enumerate(order):
        decision = author.arrive(
            registrations[sequencer], sequencer=sequencer, holder=f"execution-{number}"
        )
        if isinstance(decision, ClaimedWork):
            author.finish(decision.run, [f"The text of {sequencer}."])

    outcomes = admin.execute(
        "SELECT rtrim(sequencer, '0'), outcome FROM document_version ORDER BY sequencer"
    ).fetchall()
    assert outcomes == [("0F", "SUPERSEDED"), ("0F3", "SUPERSEDED"), ("1", "PUBLISHED")]


def test_an_upload_overtaken_while_it_ran_ends_superseded(author: Author) -> None:
    """The older one was claimed first and publishes last."""
    older = granted(author.arrive(author.register(), sequencer="10")).run
    newer = granted(author.arrive(author.register(), sequencer="11", holder="two")).run
    assert author.finish(newer, ["New text."]) == "PUBLISHED"

    assert author.finish(older, ["Old text."]) == "SUPERSEDED"

    status = author.catalogue.status(author.tenant, newer.document_id)
    assert status.published_version == newer.version


def test_a_failed_version_waits_for_a_control_request(author: Author) -> None:
    registered = author.register()
    work = granted(author.arrive(registered, object_version="first"))
    author.put_pages(work.run)
    assert author.store.fail(work.run, Outcome.FAILED, REPORT)
    event = author.arrive(registered, object_version="first", holder="execution-2")
    assert "ended FAILED" in reason(event)

    again = granted(retried(author, registered.document_id, holder="execution-3"))

    assert again.run.fence == work.run.fence + 1
    assert again.object_version == "first"
    assert author.finish(again.run) == "PUBLISHED"
    assert author.catalogue.status(author.tenant, registered.document_id).error is None


def test_a_retried_version_becomes_a_copy(author: Author) -> None:
    """While it lay parked, another document was published with the same bytes."""
    run = author.started("first.txt")
    author.put_pages(run)
    author.store.fail(run, Outcome.PARKED, REPORT)
    other = author.ingest("second.txt")

    again = granted(retried(author, run.document_id, holder="execution-2")).run
    author.clean(again)
    author.split(again)
    author.embed(again)

    assert author.publish(again) == "PUBLISHED"
    status = author.catalogue.status(author.tenant, run.document_id)
    assert (status.outcome, status.duplicate_of) == (Outcome.PUBLISHED, other.document_id)


def test_a_control_request_without_an_open_version_is_nothing_to_do(author: Author) -> None:
    run = author.ingest()

    assert "waits for a run" in reason(retried(author, run.document_id, holder="two"))


def test_a_held_version_is_not_run_again(author: Author) -> None:
    registered = author.register(hold=True)
    work = granted(author.arrive(registered, object_version="first"))
    assert author.finish(work.run) is None

    again = author.arrive(registered, object_version="first", holder="execution-2")

    assert "held" in reason(again)
    assert "waits for a run" in reason(retried(author, registered.document_id, holder="two"))


def test_unknown_deleted_and_foreign_documents_look_alike(
    author: Author, admin: Connection[Any]
) -> None:
    """I10: a claim for another tenant's document answers as for one that never was."""
    foreign = Author(author.store, author.catalogue).ingest()
    deleted = author.started("deleted.txt")
    admin.execute(
        "UPDATE document SET deleted_at = now() WHERE document_id = %s", [deleted.document_id]
    )

    answers = {
        reason(
            author.store.claim(
                author.tenant,
                document_id,
                stored=stored(author.tenant, document_id, version=1),
                sequencer="FF",
                holder="execution-9",
            )
        )
        for document_id in (uuid4(), foreign.document_id, deleted.document_id)
    }

    assert answers == {"no such document"}


def test_the_run_that_an_execution_holds_is_found_until_it_ends(author: Author) -> None:
    registered = author.register()
    run = granted(author.arrive(registered, holder="execution-7")).run
    held = author.store.leased_run

    assert held(author.tenant, run.document_id, holder="execution-7") == run
    assert held(author.tenant, run.document_id, holder="execution-8") is None
    author.finish(run)
    assert held(author.tenant, run.document_id, holder="execution-7") is None


def test_a_sequencer_is_compared_as_text_of_one_length() -> None:
    assert comparable("0055aed6dcd90281e5") == "0055AED6DCD90281E5".ljust(64, "0")
    assert comparable(None) is None
    with pytest.raises(InvalidRequest):
        comparable("not hex")
