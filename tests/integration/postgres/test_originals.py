"""Within a collection the same bytes are ingested once, under one document."""

from threading import Barrier, Thread
from typing import Any

import pytest
from psycopg import Connection

from pulsedocs.errors import ChecksumMismatch, DuplicateInProgress
from pulsedocs.model.documents import ClaimedWork, ErrorReport
from pulsedocs.pipeline import Outcome
from tests.integration.invariants import violations
from tests.integration.postgres.author import Author

REPORT = ErrorReport("PROCESSING_FAILED", "it broke", {}, "try again")
OTHER = ("Quite another text.",)


def test_the_same_bytes_under_another_name_are_a_duplicate(author: Author) -> None:
    """S2-07: recognised by content, before any page is stored."""
    original = author.ingest("first.txt")

    run = author.started("second.txt")

    assert author.finish(run) == "DUPLICATE"
    status = author.catalogue.status(author.tenant, run.document_id)
    assert (status.outcome, status.duplicate_of) == (Outcome.DUPLICATE, original.document_id)
    assert author.store.raw_pages(run) == []


def test_reject_turns_a_duplicate_away_with_a_reason(author: Author) -> None:
    author.ingest("first.txt")
    run = author.started("second.txt", on_duplicate="reject")

    assert author.finish(run) == "REJECTED"

    status = author.catalogue.status(author.tenant, run.document_id)
    assert status.error is not None
    assert status.error.code == "DUPLICATE_REJECTED"


def test_replace_takes_over_when_it_publishes_not_before(
    author: Author, admin: Connection[Any]
) -> None:
    """The older document answers questions until the newer one can."""
    older = author.ingest("first.txt")
    run = author.started("second.txt", on_duplicate="replace")
    author.put_pages(run)
    assert author.catalogue.status(author.tenant, older.document_id).outcome is Outcome.PUBLISHED

    author.clean(run)
    author.split(run)
    author.embed(run)
    assert author.publish(run) == "PUBLISHED"

    retired = author.catalogue.status(author.tenant, older.document_id)
    assert (retired.outcome, retired.published_version) == (Outcome.SUPERSEDED, None)
    holders = admin.execute("SELECT document_id FROM document_version WHERE is_original").fetchall()
    assert holders == [(run.document_id,)]
    assert violations(admin, author.tenant) == []


def test_the_same_bytes_under_way_elsewhere_are_waited_for(author: Author) -> None:
    """Answering DUPLICATE now would lose the text if the other run fails."""
    first = author.started("first.txt")
    author.put_pages(first)
    second = author.started("second.txt")
    with pytest.raises(DuplicateInProgress):
        author.put_pages(second)

    author.store.fail(first, Outcome.FAILED, REPORT)

    assert author.finish(second) == "PUBLISHED"


def test_of_two_at_once_exactly_one_is_the_original(
    author: Author, admin: Connection[Any], database_as: Any
) -> None:
    """The unique index decides, not a look before the leap."""
    from pulsedocs.adapters.postgres.ingestion import PostgresIngestionStore

    runs = [author.started(f"{number}.txt") for number in range(6)]
    gate, answers = Barrier(6), list[str | None]()

    def put(number: int) -> None:
        worker = Author(
            PostgresIngestionStore(database_as("ingest")), author.catalogue, author.tenant
        )
        gate.wait()
        try:
            answers.append(worker.put_pages(runs[number]))
        except DuplicateInProgress:
            answers.append("waits")

    threads = [Thread(target=put, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(answers, key=str) == [None, *["waits"] * 5]
    held = admin.execute("SELECT count(*) FROM document_version WHERE is_original").fetchone()
    assert held == (1,)


@pytest.mark.parametrize(
    "outcome", [Outcome.FAILED, Outcome.REJECTED, Outcome.PARKED, Outcome.CANCELLED]
)
def test_a_version_that_fails_gives_its_bytes_back(author: Author, outcome: Outcome) -> None:
    failed = author.started("first.txt")
    author.put_pages(failed)
    author.store.fail(failed, outcome, REPORT)

    assert author.finish(author.started("second.txt")) == "PUBLISHED"


def test_a_superseded_version_gives_its_bytes_back(author: Author) -> None:
    author.ingest("first.txt")
    author.ingest("first.txt", OTHER)

    assert author.finish(author.started("second.txt")) == "PUBLISHED"


def test_the_same_bytes_again_are_a_duplicate_of_the_document_itself(author: Author) -> None:
    run = author.ingest("first.txt")

    again = author.started("first.txt")

    assert author.finish(again) == "DUPLICATE"
    status = author.catalogue.status(author.tenant, run.document_id)
    assert (status.version, status.published_version) == (again.version, run.version)
    assert status.duplicate_of == run.document_id


def test_the_same_bytes_cut_otherwise_are_new(author: Author, admin: Connection[Any]) -> None:
    author.ingest("first.txt")

    run = author.started("first.txt", chunking={"profile": "words"})

    assert author.finish(run) == "PUBLISHED"
    assert admin.execute("SELECT version FROM document_version WHERE is_original").fetchall() == [
        (run.version,)
    ]
    assert violations(admin, author.tenant) == []


def test_bytes_that_come_back_outrank_an_older_upload_still_under_way(author: Author) -> None:
    """I1: first, changed, first again: the changed text must not surface last."""
    published = author.ingest("first.txt")
    changed = author.started("first.txt")
    assert author.finish(author.started("first.txt")) == "DUPLICATE"

    assert author.finish(changed, OTHER) == "SUPERSEDED"

    status = author.catalogue.status(author.tenant, published.document_id)
    assert status.published_version == published.version


def test_the_same_bytes_in_another_collection_are_new(author: Author) -> None:
    author.ingest("first.txt")

    assert author.finish(author.started("first.txt", collection="archive")) == "PUBLISHED"


def test_duplicates_by_source_do_not_look_at_the_bytes(author: Author) -> None:
    author.ingest("first.txt")

    run = author.started("second.txt", duplicate_by="source")

    assert author.finish(run) == "PUBLISHED"


def test_bytes_other_than_announced_are_refused(author: Author) -> None:
    run = author.started(sha256=b"\x01" * 32)

    with pytest.raises(ChecksumMismatch):
        author.put_pages(run)


def test_a_held_version_holds_its_bytes(author: Author) -> None:
    held = author.ingest("first.txt", hold=True)
    assert author.catalogue.status(author.tenant, held.document_id).published_version is None

    run = author.started("second.txt")

    assert author.finish(run) == "DUPLICATE"


def test_of_two_replacements_the_last_to_publish_stays(
    author: Author, admin: Connection[Any]
) -> None:
    author.ingest("first.txt")
    runs = [author.started(name, on_duplicate="replace") for name in ("b.txt", "c.txt")]
    for run in runs:
        author.put_pages(run)
        author.clean(run)
        author.split(run)
        author.embed(run)

    assert [author.publish(run) for run in runs] == ["PUBLISHED", "PUBLISHED"]

    published = admin.execute(
        "SELECT source FROM document WHERE published_version IS NOT NULL"
    ).fetchall()
    assert published == [("c.txt",)]
    assert violations(admin, author.tenant) == []


def test_a_claim_of_a_duplicate_s_bytes_still_works(author: Author) -> None:
    """The form of a duplicate may be used all the same: its bytes are then a version."""
    original = author.ingest("first.txt")
    sha256 = author.store.object_sha256(original)
    registered = author.register("second.txt", sha256=sha256)
    assert registered.duplicate_of == original.document_id

    work = author.arrive(registered)

    assert isinstance(work, ClaimedWork)
    assert work.run.version == registered.version + 1
    assert author.finish(work.run) == "DUPLICATE"
