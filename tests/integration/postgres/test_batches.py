"""The rows of a batch: who may work on it, what is left, and what became of the rest."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.batches.batches import PostgresBatchStore
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.batches.read_batch import read_batch
from pulsedocs.batches.tally_batch import next_objects
from pulsedocs.errors import BatchNotFound, BatchRunning, InvalidRequest
from pulsedocs.model.batches import (
    BatchObject,
    BatchReference,
    BatchRequest,
    BatchState,
    parse_objects,
)
from pulsedocs.model.documents import ErrorReport, IngestOptions
from pulsedocs.model.requests import Choices
from pulsedocs.pipeline import Outcome
from tests.integration.postgres.author import Author

PREFIX = "s3://shelf/reports/"
REFUSED = ErrorReport("FILE_EMPTY", "the file has no bytes", {}, "check the source")


class Desk:
    """One tenant's batches, asked for by the API and worked on by executions."""

    def __init__(self, database_as: Callable[[str], Database], tenant: UUID) -> None:
        self.tenant = tenant
        self.api = PostgresBatchStore(database_as("api"))
        self.store = PostgresBatchStore(database_as("ingest"))

    def begun(self, holder: str = "first", *, title: str | None = None) -> BatchReference:
        batch_id = uuid4()
        choices = Choices(None, title, {}, None, IngestOptions())
        self.api.add(self.tenant, batch_id, BatchRequest(PREFIX, choices))
        batch = BatchReference(self.tenant, batch_id, holder)
        assert self.store.begin(batch) is False
        return batch

    def left(self, batch: BatchReference) -> list[str]:
        found = self.store.pending(batch, after="", limit=100)
        return [each.source.removeprefix(PREFIX) for each in found]

    def state(self, batch: BatchReference) -> BatchState:
        return self.api.status(self.tenant, batch.batch_id, after="", limit=9).state


def objects(*names: str, etag: str = '"1"') -> list[BatchObject]:
    return [BatchObject(f"{PREFIX}{name}", etag, 100) for name in names]


@pytest.fixture
def desk(database_as: Callable[[str], Database], author: Author) -> Desk:
    return Desk(database_as, author.tenant)


def bind(admin: Connection[Any], batch: BatchReference, name: str, document_id: UUID) -> None:
    """Let an object stand for a document's first version, as `adopt` does."""
    admin.execute(
        "UPDATE pulsedocs.batch_item SET document_id = %s, version = 1"
        " WHERE batch_id = %s AND source = %s",
        [document_id, batch.batch_id, f"{PREFIX}{name}"],
    )


def document_named(admin: Connection[Any], tenant: UUID, source: str) -> UUID:
    row = admin.execute(
        "SELECT document_id FROM pulsedocs.document WHERE tenant_id = %s AND source = %s",
        [tenant, source],
    ).fetchone()
    assert row is not None
    return row[0]


def test_a_batch_is_one_executions_until_it_ends(desk: Desk) -> None:
    batch = desk.begun()
    rival = BatchReference(batch.tenant_id, batch.batch_id, "second")

    assert desk.store.begin(rival) is None
    assert desk.store.begin(batch) is False  # asked again: its answer was lost
    with pytest.raises(BatchRunning):
        desk.api.resume(desk.tenant, batch.batch_id, actor="tester")
    desk.store.end(rival)
    assert desk.state(batch) is BatchState.LISTING

    desk.store.end(batch)
    assert desk.store.begin(rival) is None  # an event that came twice
    desk.api.resume(desk.tenant, batch.batch_id, actor="tester")
    assert desk.store.begin(rival) is False


def test_a_listing_taken_twice_is_taken_once(desk: Desk) -> None:
    batch = desk.begun()
    for _ in range(2):
        desk.store.enrol(batch, objects("b", "a"), last=False)
    desk.store.enrol(batch, objects("c"), last=True)

    assert desk.left(batch) == ["a", "b", "c"]
    assert desk.state(batch) is BatchState.RUNNING


def test_what_is_left_comes_in_pages_and_what_failed_is_named(desk: Desk) -> None:
    batch = desk.begun()
    desk.store.enrol(batch, objects("a", "b", "c"), last=True)
    desk.store.refuse(batch, f"{PREFIX}b", Outcome.REJECTED, REFUSED)

    [first] = desk.store.pending(batch, after="", limit=1)
    [second] = desk.store.pending(batch, after=first.source, limit=9)
    status = desk.api.status(desk.tenant, batch.batch_id, after="", limit=9)

    assert (first.source, second.source) == (f"{PREFIX}a", f"{PREFIX}c")
    assert status.counts == {"PENDING": 2, "REJECTED": 1}
    assert [(each.source, each.code) for each in status.failures] == [(f"{PREFIX}b", "FILE_EMPTY")]
    assert not desk.api.status(desk.tenant, batch.batch_id, after=f"{PREFIX}b", limit=9).failures


@pytest.mark.parametrize(("is_again", "seen"), [(False, ["a", "b", "b"]), (None, ["a", "b"])])
def test_what_became_nothing_comes_twice_in_an_execution(
    desk: Desk, author: Author, admin: Connection[Any], *, is_again: bool | None, seen: list[str]
) -> None:
    """A machine of an earlier release does not say that it has begun anew: it would never end."""
    batch, store = desk.begun(), InMemoryObjectStore()
    desk.store.enrol(batch, objects("a", "b"), last=True)
    author.register(f"{PREFIX}a")
    bind(admin, batch, "a", document_named(admin, desk.tenant, f"{PREFIX}a"))
    after, came = "", list[str]()

    while len(came) < 9:
        tallied = next_objects(
            batch, after=after, is_again=is_again, store=desk.store, objects=store
        )
        if not tallied.work:
            break
        assert tallied.items is not None
        came += [
            each.source.removeprefix(PREFIX) for each in parse_objects(store.read(tallied.items))
        ]
        after, is_again = tallied.after, None if is_again is None else tallied.again

    assert came == seen


def test_failures_are_read_to_the_end_whatever_is_in_their_names(desk: Desk) -> None:
    """On a Mac the names of screenshots have U+202F."""
    names = [f"{number:03}\u202fPM\n.txt" for number in range(105)]
    batch = desk.begun()
    desk.store.enrol(batch, objects(*names), last=True)
    for name in names:
        desk.store.refuse(batch, f"{PREFIX}{name}", Outcome.FAILED, REFUSED)

    first = read_batch(desk.tenant, batch.batch_id, cursor=None, store=desk.api)
    second = read_batch(desk.tenant, batch.batch_id, cursor=first.cursor, store=desk.api)

    found = [*first.status.failures, *second.status.failures]
    assert [each.source.removeprefix(PREFIX) for each in found] == names
    assert second.cursor is None
    for forged in ("", "=", "MWUz", "czM6Ly8A"):  # the last one: a NUL
        with pytest.raises(InvalidRequest):
            read_batch(desk.tenant, batch.batch_id, cursor=forged, store=desk.api)


def test_a_resumed_batch_tries_again_what_became_nothing(desk: Desk) -> None:
    batch = desk.begun()
    desk.store.enrol(batch, objects("a"), last=True)
    desk.store.refuse(batch, f"{PREFIX}a", Outcome.FAILED, REFUSED)
    desk.store.end(batch)
    assert desk.state(batch) is BatchState.FINISHED

    desk.api.resume(desk.tenant, batch.batch_id, actor="tester")

    assert desk.left(batch) == ["a"]
    assert desk.state(batch) is BatchState.QUEUED


@pytest.mark.parametrize(
    ("etag", "title", "left"),
    [('"1"', None, []), ('"2"', None, ["a"]), ('"1"', "Another", ["a"])],
    ids=["unchanged", "other bytes", "other choices"],
)
def test_only_an_unchanged_object_is_not_brought_in_again(
    desk: Desk,
    author: Author,
    admin: Connection[Any],
    etag: str,
    title: str | None,
    left: list[str],
) -> None:
    author.ingest(f"{PREFIX}a")
    first = desk.begun()
    desk.store.enrol(first, objects("a"), last=True)
    bind(admin, first, "a", document_named(admin, desk.tenant, f"{PREFIX}a"))

    second = desk.begun(title=title)
    desk.store.enrol(second, objects("a", etag=etag), last=True)

    assert desk.left(first) == []
    assert desk.left(second) == left


def test_an_object_whose_document_was_deleted_is_brought_in_again(
    desk: Desk, author: Author, admin: Connection[Any]
) -> None:
    author.ingest(f"{PREFIX}a")
    first = desk.begun()
    desk.store.enrol(first, objects("a"), last=True)
    bind(admin, first, "a", document_named(admin, desk.tenant, f"{PREFIX}a"))
    admin.execute(
        "UPDATE pulsedocs.document SET published_version = NULL, published_at = NULL,"
        " deleted_at = now() WHERE tenant_id = %s",
        [desk.tenant],
    )

    second = desk.begun()
    desk.store.enrol(second, objects("a"), last=True)

    assert desk.left(second) == ["a"]


def test_a_batch_is_its_tenants_own(desk: Desk) -> None:
    """I10."""
    batch = desk.begun()
    stranger = uuid4()

    with pytest.raises(BatchNotFound):
        desk.api.status(stranger, batch.batch_id, after="", limit=9)
    with pytest.raises(BatchNotFound):
        desk.api.resume(stranger, batch.batch_id, actor="tester")
    assert desk.store.begin(BatchReference(stranger, batch.batch_id, "thief")) is None
