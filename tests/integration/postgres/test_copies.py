"""A copy of some bytes is a document of its own, and their vectors are bought once."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from psycopg import Connection, sql

from pulsedocs.adapters.postgres.documents.updates import PostgresDocumentChanges
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.errors import ArtifactInvalid, ChecksumMismatch, DuplicateInProgress
from pulsedocs.model.changes import Strategy, Update
from pulsedocs.model.documents import (
    ClaimedWork,
    DocumentStatus,
    ErrorReport,
    NothingToDo,
    Run,
)
from pulsedocs.pipeline import Outcome
from tests.integration.invariants import violations
from tests.integration.postgres.author import Author, digest_of, stored
from tests.patience import eventually

REPORT = ErrorReport("PROCESSING_FAILED", "it broke", {}, "try again")
OTHER = ("Quite another text.",)


def status_of(author: Author, run: Run) -> DocumentStatus:
    return author.catalogue.status(author.tenant, run.document_id)


@pytest.mark.parametrize("on_duplicate", ["skip", "replace"])
@pytest.mark.parametrize("collection", ["default", "archive"])
def test_the_same_bytes_under_another_name_are_a_document_of_their_own(
    author: Author, admin: Connection[Any], on_duplicate: str, collection: str
) -> None:
    """S2-07, T-01: the copy is published beside its original, which it names and leaves alone."""
    original = author.ingest("first.txt")

    copy = author.started("second.txt", on_duplicate=on_duplicate, collection=collection)

    assert author.finish(copy) == "PUBLISHED"
    assert status_of(author, copy).duplicate_of == original.document_id
    assert status_of(author, original).outcome is Outcome.PUBLISHED
    assert violations(admin, author.tenant) == []


def end(author: Author, run: Run, how: str, changes: PostgresDocumentChanges) -> None:
    """Take a document away, or give it other bytes."""
    match how:
        case "delete":
            changes.delete(author.tenant, run.document_id, actor="test")
        case "update":
            update = Update(strategy=Strategy.DELETE, document_ids=(run.document_id,))
            changes.update(author.tenant, update, actor="test")
        case "other bytes":
            assert author.finish(author.started("first.txt"), OTHER) == "PUBLISHED"
        case _:
            assert author.finish(author.started("third.txt", on_duplicate="replace")) == "PUBLISHED"


@pytest.mark.parametrize("how", ["delete", "update", "other bytes", "another copy replaces"])
def test_a_copy_outlives_its_original(
    author: Author, admin: Connection[Any], database_as: Any, how: str
) -> None:
    """T-01, S3-14: whatever becomes of the one, the other keeps its pages, chunks and vectors."""
    original = author.ingest("first.txt")
    copy = author.ingest("second.txt")
    before = rows_of(admin, copy)

    end(author, original, how, PostgresDocumentChanges(database_as("api")))

    assert status_of(author, copy).outcome is Outcome.PUBLISHED
    assert rows_of(admin, copy) == before
    assert min(before) > 0
    later = author.started("fourth.txt")
    assert author.finish(later) == "PUBLISHED"
    assert violations(admin, author.tenant) == []


def rows_of(admin: Connection[Any], run: Run) -> list[int]:
    tables = ("document_page", "document_chunk", "chunk_embedding", "posting_block")
    postings = sql.SQL("posting JOIN posting_block USING (tenant_id, block)")
    return [
        admin.execute(
            sql.SQL("SELECT count(*) FROM {} WHERE document_id = %s").format(counted),
            [run.document_id],
        ).fetchall()[0][0]
        for counted in (*map(sql.Identifier, tables), postings)
    ]


def test_the_same_bytes_being_read_elsewhere_are_waited_for(author: Author) -> None:
    """Both would buy the vectors."""
    first = author.started("first.txt")
    author.put_pages(first)
    second = author.started("second.txt", collection="archive")
    with pytest.raises(DuplicateInProgress):
        author.put_pages(second)

    author.store.fail(first, Outcome.FAILED, REPORT)

    assert author.finish(second) == "PUBLISHED"


def test_the_same_bytes_of_one_document_are_read_once(author: Author) -> None:
    first, second = author.started("first.txt"), author.started("first.txt")
    author.put_pages(first)
    with pytest.raises(DuplicateInProgress):
        author.put_pages(second)

    author.clean(first)
    author.split(first)
    author.embed(first)
    author.publish(first)

    assert author.put_pages(second) == "DUPLICATE"


@pytest.mark.parametrize("options", [{}, {"hold": True}])
def test_who_has_every_vector_is_waited_for_no_more(
    author: Author, options: dict[str, Any]
) -> None:
    author.ingest("first.txt", **options)

    assert author.finish(author.started("second.txt")) == "PUBLISHED"


def test_the_same_bytes_cut_otherwise_are_new(author: Author, admin: Connection[Any]) -> None:
    author.ingest("first.txt")

    assert author.finish(author.started("first.txt", chunking={"profile": "words"})) == "PUBLISHED"
    assert violations(admin, author.tenant) == []


def test_a_document_that_names_its_bytes_again_need_not_send_them(author: Author) -> None:
    original = author.ingest("first.txt")
    sha256 = author.store.choices_of(original).sha256

    assert author.register("first.txt", sha256=sha256).duplicate_of == original.document_id
    assert author.register("second.txt", sha256=sha256).duplicate_of is None


def test_bytes_are_sent_while_a_change_to_them_is_under_way(author: Author) -> None:
    """Answered for now, they would be published over by the older change."""
    original = author.ingest("first.txt")
    changed = author.started("first.txt")

    again = author.register("first.txt", sha256=author.store.choices_of(original).sha256)

    assert again.duplicate_of is None
    assert author.finish(changed, OTHER) == "PUBLISHED"
    work = author.arrive(again)
    assert isinstance(work, ClaimedWork)
    assert author.finish(work.run) == "PUBLISHED"


def test_a_second_object_of_a_form_is_no_version(author: Author) -> None:
    """T-03: whoever has the form may still send bytes, and nothing is made of them."""
    registered = author.register("first.txt")
    work = author.arrive(registered, object_version="one", content=digest_of())
    assert isinstance(work, ClaimedWork)
    author.finish(work.run)

    for content in (digest_of(), digest_of(OTHER)):
        again = author.arrive(registered, object_version="two", content=content)
        assert again == NothingToDo(
            "the form has stored an object before this one", is_surplus=True
        )
    redelivered = author.arrive(registered, object_version="one", content=digest_of())
    assert redelivered == NothingToDo("this version has ended PUBLISHED")
    assert status_of(author, work.run).version == registered.version


def test_more_or_fewer_bytes_than_announced_end_in_the_claim(author: Author) -> None:
    """T-03: as a form of an older release could have let them in."""
    registered = author.register("first.txt")
    arrived = replace(
        stored(author.tenant, registered.document_id, version=registered.version), size=99
    )

    decision = author.store.claim(
        author.tenant,
        registered.document_id,
        stored=arrived,
        sequencer="A1",
        holder="one",
        content=digest_of(),
    )

    assert decision == NothingToDo(
        "99 bytes arrived where 100 were announced", ended=Outcome.REJECTED
    )
    error = author.catalogue.status(author.tenant, registered.document_id).error
    assert error is not None
    assert error.code == "SIZE_MISMATCH"


def test_reject_turns_a_duplicate_away_with_a_reason(author: Author) -> None:
    author.ingest("first.txt")
    run = author.started("second.txt", on_duplicate="reject")

    assert author.finish(run) == "REJECTED"

    status = author.catalogue.status(author.tenant, run.document_id)
    assert status.error is not None
    assert status.error.code == "DUPLICATE_REJECTED"


@pytest.mark.parametrize(
    "outcome", [Outcome.FAILED, Outcome.REJECTED, Outcome.PARKED, Outcome.CANCELLED]
)
def test_a_version_that_fails_gives_its_bytes_back(author: Author, outcome: Outcome) -> None:
    failed = author.started("first.txt")
    author.put_pages(failed)
    author.store.fail(failed, outcome, REPORT)

    assert author.finish(author.started("second.txt")) == "PUBLISHED"


def test_the_same_bytes_again_are_a_duplicate_of_the_document_itself(author: Author) -> None:
    run = author.ingest("first.txt")

    again = author.started("first.txt")

    assert author.finish(again) == "DUPLICATE"
    status = author.catalogue.status(author.tenant, run.document_id)
    assert (status.version, status.published_version) == (again.version, run.version)
    assert status.duplicate_of == run.document_id


def test_bytes_that_come_back_outrank_an_older_upload_still_under_way(author: Author) -> None:
    """I1: first, changed, first again: the changed text must not surface last."""
    published = author.ingest("first.txt")
    changed = author.started("first.txt")
    assert author.finish(author.started("first.txt")) == "DUPLICATE"

    assert author.finish(changed, OTHER) == "SUPERSEDED"

    status = author.catalogue.status(author.tenant, published.document_id)
    assert status.published_version == published.version


def test_an_older_upload_that_waited_for_the_newer_one_does_not_replace_it(
    author: Author, admin: Connection[Any], database_as: Any
) -> None:
    """T-02. Fails when: what is published is read by the statement that waits for the document."""
    author.ingest("first.txt")
    older, newer = author.started("first.txt"), author.started("first.txt")
    for run, texts in ((older, OTHER), (newer, ("The newest text of all.",))):
        author.put_pages(run, texts)
        author.clean(run, texts)
        author.split(run, texts)
        author.embed(run, texts)
    admin.execute("UPDATE document_version SET upload_order = version")

    def publish(run: Run) -> str | None:
        store = PostgresIngestionStore(database_as("ingest"))
        return Author(store, author.catalogue, author.tenant).publish(run)

    def are_waiting(publishers: int) -> bool:
        waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        return admin.execute(waiting).fetchone() == (publishers,)

    with ThreadPoolExecutor(2) as pool:
        with admin.transaction():
            admin.execute("SELECT FROM document FOR UPDATE")
            ended: list[Future[str | None]] = []
            for run in (newer, older):
                ended.append(pool.submit(publish, run))
                assert eventually(lambda: are_waiting(len(ended)))
        outcomes = [each.result() for each in ended]

    assert outcomes == ["PUBLISHED", "SUPERSEDED"]
    status = author.catalogue.status(author.tenant, newer.document_id)
    assert status.published_version == newer.version


def test_bytes_other_than_announced_are_refused(author: Author) -> None:
    run = author.started(sha256=b"\x01" * 32)

    with pytest.raises(ChecksumMismatch):
        author.put_pages(run)


def seen(author: Author, source: str, *, holder: str = "execution-1", **options: Any) -> Any:
    """Register and claim with the bytes read through, as the function does."""
    registered = author.register(source, **options)
    return author.arrive(registered, content=digest_of(), holder=holder)


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
    original = author.ingest("first.txt")
    registered = author.register("second.txt", on_duplicate="reject")

    decision = author.arrive(registered, content=digest_of())

    assert isinstance(decision, NothingToDo)
    assert decision.ended is Outcome.REJECTED
    status = author.catalogue.status(author.tenant, registered.document_id)
    assert status.duplicate_of == original.document_id
    assert status.error is not None
    assert status.error.code == "DUPLICATE_REJECTED"


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
    leased = author.store.leased_run(author.tenant, registered.document_id, holder="two")
    assert leased == waiting.run
    author.store.fail(first, Outcome.FAILED, REPORT)
    granted = claim(holder="two")

    assert isinstance(granted, ClaimedWork)
    assert (granted.must_wait, granted.run) == (False, waiting.run)
    assert author.finish(granted.run) == "PUBLISHED"
    assert violations(admin, author.tenant) == []


def test_pages_of_other_bytes_than_those_claimed_are_refused(author: Author) -> None:
    run = seen(author, "first.txt").run

    with pytest.raises(ArtifactInvalid, match="other bytes"):
        author.put_pages(run, OTHER)


def test_of_eight_claims_of_the_same_bytes_at_once_one_is_granted(
    author: Author, admin: Connection[Any], database_as: Any
) -> None:
    """S0-12, S4-06: concurrent uploads of one file; the unique index decides."""
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
