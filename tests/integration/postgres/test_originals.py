"""Within a collection the same bytes are ingested once, under one document."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, Thread
from typing import Any

import pytest
from psycopg import Connection

from pulsedocs.errors import ArtifactInvalid, ChecksumMismatch, DuplicateInProgress
from pulsedocs.model.documents import ClaimedWork, ErrorReport, NothingToDo
from pulsedocs.pipeline import Outcome
from tests.integration.invariants import violations
from tests.integration.postgres.author import Author, digest_of

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


def seen(author: Author, source: str, *, holder: str = "execution-1", **options: Any) -> Any:
    """Register and claim with the bytes read through, as the function does."""
    registered = author.register(source, **options)
    return author.arrive(registered, content=digest_of(), holder=holder)


def test_known_bytes_end_in_the_claim_with_no_run(author: Author, admin: Connection[Any]) -> None:
    """S2-07: nothing is extracted, and the audit says what happened."""
    original = author.ingest("first.txt")
    registered = author.register("second.txt")

    decision = author.arrive(registered, content=digest_of())

    assert decision == NothingToDo(
        "the same bytes were ingested under another document", ended=Outcome.DUPLICATE
    )
    status = author.catalogue.status(author.tenant, registered.document_id)
    assert status.duplicate_of == original.document_id
    assert [state for state, _at in status.history] == ["UPLOADED", "DUPLICATE"]
    assert violations(admin, author.tenant) == []
    noted = admin.execute(
        "SELECT outcome, detail ->> 'step' FROM audit_event WHERE object = %s",
        [str(registered.document_id)],
    ).fetchall()
    assert noted == [("DUPLICATE", "claim")]


def test_an_unchanged_upload_of_a_document_ends_in_the_claim(author: Author) -> None:
    """S4-06 skip: and an older upload that is still under way cannot surface after it."""
    published = author.ingest("first.txt")
    changed = author.started("first.txt")

    decision = seen(author, "first.txt")

    assert (decision.reason, decision.ended) == (
        "the same bytes are published already",
        Outcome.DUPLICATE,
    )
    assert author.finish(changed, OTHER) == "SUPERSEDED"
    assert (
        author.catalogue.status(author.tenant, published.document_id).published_version
        == published.version
    )


@pytest.mark.parametrize("source", ["first.txt", "second.txt"])
def test_by_source_only_the_documents_own_bytes_are_known(author: Author, source: str) -> None:
    """S4-06: `duplicate_by` source compares a document with itself alone."""
    author.ingest("first.txt")

    decision = seen(author, source, duplicate_by="source", on_duplicate="replace")

    assert isinstance(decision, ClaimedWork) is (source == "second.txt")


def test_a_claim_rejects_a_duplicate_with_its_reason(author: Author) -> None:
    """S4-06 reject."""
    author.ingest("first.txt")
    registered = author.register("second.txt", on_duplicate="reject")

    decision = author.arrive(registered, content=digest_of())

    assert isinstance(decision, NothingToDo)
    assert decision.ended is Outcome.REJECTED
    status = author.catalogue.status(author.tenant, registered.document_id)
    assert status.error is not None
    assert status.error.code == "DUPLICATE_REJECTED"


def test_a_claim_for_replacement_is_granted_and_takes_over(
    author: Author, admin: Connection[Any]
) -> None:
    """S4-06 replace: the older document answers until the newer one is published."""
    older = author.ingest("first.txt")

    work = seen(author, "second.txt", on_duplicate="replace")

    assert isinstance(work, ClaimedWork)
    assert author.catalogue.status(author.tenant, older.document_id).outcome is Outcome.PUBLISHED
    assert author.finish(work.run) == "PUBLISHED"
    assert author.catalogue.status(author.tenant, older.document_id).published_version is None
    assert violations(admin, author.tenant) == []


def test_a_redelivered_duplicate_stays_ended(author: Author) -> None:
    author.ingest("first.txt")
    registered = author.register("second.txt")
    author.arrive(registered, content=digest_of(), object_version="one", sequencer="A1")

    again = author.arrive(registered, content=digest_of(), object_version="one", sequencer="A1")

    assert again == NothingToDo("this version has ended DUPLICATE")


def test_bytes_other_than_announced_end_in_the_claim(author: Author) -> None:
    registered = author.register(sha256=b"\x01" * 32)

    decision = author.arrive(registered, content=digest_of())

    assert isinstance(decision, NothingToDo)
    assert decision.ended is Outcome.REJECTED
    status = author.catalogue.status(author.tenant, registered.document_id)
    assert status.error is not None
    assert status.error.code == "CHECKSUM_MISMATCH"


def test_bytes_refused_unread_end_in_the_claim(author: Author) -> None:
    registered = author.register()

    decision = author.arrive(registered, content=REPORT)

    assert decision == NothingToDo(REPORT.message, ended=Outcome.REJECTED)
    assert author.catalogue.status(author.tenant, registered.document_id).error == REPORT


def test_a_claim_that_waits_keeps_the_upload_and_goes_on_when_the_other_fails(
    author: Author, admin: Connection[Any]
) -> None:
    """The fence is committed with the wait: an upload whose wait is given up is not lost."""
    first = seen(author, "first.txt").run
    registered = author.register("second.txt")
    claim = partial(
        author.arrive, registered, content=digest_of(), object_version="b", sequencer="B1"
    )

    waiting = claim(holder="two")
    assert isinstance(waiting, ClaimedWork)
    assert waiting.must_wait
    assert author.store.held_run(author.tenant, registered.document_id, holder="two") == waiting.run
    author.store.fail(first, Outcome.FAILED, REPORT)
    granted = claim(holder="two")

    assert isinstance(granted, ClaimedWork)
    assert (granted.must_wait, granted.run) == (False, waiting.run)
    assert author.finish(granted.run) == "PUBLISHED"
    assert violations(admin, author.tenant) == []


def test_a_claim_that_waits_ends_when_the_other_is_published(author: Author) -> None:
    first = seen(author, "first.txt").run
    registered = author.register("second.txt")
    claim = partial(
        author.arrive, registered, content=digest_of(), object_version="b", sequencer="B1"
    )
    claim(holder="two")
    author.finish(first)

    assert claim(holder="two").ended is Outcome.DUPLICATE  # pyright: ignore[reportAttributeAccessIssue] -- the assertion is the check


def test_pages_of_other_bytes_than_those_claimed_are_refused(author: Author) -> None:
    run = seen(author, "first.txt").run

    with pytest.raises(ArtifactInvalid, match="other bytes"):
        author.put_pages(run, OTHER)


def test_of_eight_claims_of_the_same_bytes_at_once_one_is_granted(
    author: Author, admin: Connection[Any], database_as: Any
) -> None:
    """S0-12, S4-06: concurrent uploads of one file; the unique index decides."""
    from pulsedocs.adapters.postgres.ingestion import PostgresIngestionStore

    registered = [author.register(f"{number}.txt") for number in range(8)]
    gate = Barrier(8)

    def claim(number: int) -> ClaimedWork | NothingToDo:
        store = PostgresIngestionStore(database_as("ingest"))
        worker = Author(store, author.catalogue, author.tenant)
        gate.wait()
        return worker.arrive(registered[number], content=digest_of())

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(claim, range(8)))

    granted = [work for work in answers if isinstance(work, ClaimedWork) and not work.must_wait]
    assert len(granted) == 1
    assert len([work for work in answers if isinstance(work, ClaimedWork)]) == 8
    held = admin.execute("SELECT document_id FROM document_version WHERE is_original").fetchall()
    assert held == [(granted[0].run.document_id,)]
