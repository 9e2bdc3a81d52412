"""An update does what its strategy says, counts what it did, and does all of it or nothing."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs import faults
from pulsedocs.documents.update_documents import describe_document
from pulsedocs.errors import (
    CollectionNotFoundError,
    DocumentNotFound,
    DocumentNotReady,
    InvalidRequest,
    NoDocumentsFoundError,
    StoreUnavailable,
    VectorDBError,
)
from pulsedocs.model.changes import Description
from pulsedocs.model.object_keys import ingest_control_key
from pulsedocs.pipeline import State
from tests.integration.changes.keeper import Keeper, document_of, text_about
from tests.integration.ingestion.pipeline import PUBLISHED, CountingEmbedder, Crash
from tests.integration.ingestion.pipeline import Event as Uploaded
from tests.integration.invariants import violations

PUMP, VALVE, GAUGE = text_about("pump"), text_about("valve"), text_about("gauge", 4)

BEHIND_COMMIT = {
    "update.after_commit",
    "update.before_control",
    "delete.before_control",
    "delete.before_marks",
}


@pytest.fixture(autouse=True)
def _no_faults_left() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] -- autouse
    yield
    faults.install(None)


def describe(keeper: Keeper, document_id: UUID, **fields: Any) -> None:
    description = Description(frozenset(fields), **fields)
    describe_document(
        keeper.tenant, document_id, description, actor="tester", changes=keeper.changes
    )


def ingest(keeper: Keeper, source: str, body: bytes, metadata: Mapping[str, Any]) -> UUID:
    document_id = keeper.ingest(source, body)
    describe(keeper, document_id, metadata=metadata)
    return document_id


def chunks_of(keeper: Keeper, document_id: UUID) -> int:
    return keeper.pipeline.catalogue.status(keeper.tenant, document_id).chunks


def metadata_of(keeper: Keeper, document_id: UUID) -> Mapping[str, Any]:
    return keeper.pipeline.catalogue.status(keeper.tenant, document_id).metadata


def selecting(by: str, document_id: UUID) -> dict[str, Any]:
    return {"document_ids": (document_id,)} if by == "ids" else {"filters": {"user_id": "u1"}}


def what_there_is(admin: Connection[Any], tenant_id: UUID) -> list[Any]:
    """Return all that an update may change, to compare before and after."""
    statement = (
        "SELECT document_id, published_version, deleted_at IS NULL, metadata, latest_version,"
        " (SELECT array_agg((version, outcome, state, fence)::text ORDER BY version)"
        "  FROM document_version AS v WHERE v.document_id = d.document_id),"
        " (SELECT count(*) FROM deletion_receipt AS r WHERE r.document_id = d.document_id)"
        " FROM document AS d WHERE tenant_id = %s ORDER BY document_id"
    )
    return admin.execute(statement, [tenant_id]).fetchall()


@pytest.mark.parametrize("by", ["ids", "filters"])
@pytest.mark.parametrize("strategy", ["replace", "upsert"])
def test_new_documents_take_the_place_of_old_ones(
    keeper: Keeper, admin: Connection[Any], strategy: str, by: str
) -> None:
    """S3-11, S3-14, S4-06: counts and ids are true, and no old chunk is reachable."""
    old = ingest(keeper, "pump.txt", PUMP, {"user_id": "u1"})
    kept = ingest(keeper, "gauge.txt", GAUGE, {"user_id": "u2"})
    new = keeper.ingest("valve.txt", VALVE, hold=True)
    deleted, added = chunks_of(keeper, old), chunks_of(keeper, new)
    assert keeper.sources_found("station watched") == {"pump.txt", "gauge.txt"}

    done = keeper.update(strategy, new_document_ids=(new,), **selecting(by, old))

    assert keeper.sources_found("station watched") == {"valve.txt", "gauge.txt"}
    assert (done.chunks_deleted, done.chunks_added, done.chunks_updated) == (deleted, added, 0)
    assert set(done.updated_document_ids) == {old, new}
    assert (done.documents_affected, done.deleted_document_ids) == (2, (old,))
    keeper.run_purges()
    assert keeper.receipt(done.receipt_ids[0]).completed_at is not None
    assert chunks_of(keeper, kept) > 0
    assert violations(admin, keeper.tenant) == []


def test_a_new_version_of_the_same_source_takes_the_place_of_the_old_one(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    """S3-14: the user uploads a newer file under the same name; the flip is one moment."""
    document_id = keeper.ingest("manual.txt", PUMP)
    deleted = chunks_of(keeper, document_id)
    assert keeper.ingest("manual.txt", VALVE, hold=True) == document_id
    assert keeper.sources_found("pump station") == {"manual.txt"}

    done = keeper.update("replace", document_ids=(document_id,), new_document_ids=(document_id,))

    assert (done.documents_affected, done.chunks_deleted) == (1, deleted)
    assert done.chunks_added == chunks_of(keeper, document_id)
    assert done.receipt_ids == ()
    page = keeper.pipeline.catalogue.page(keeper.tenant, document_id, 1)
    assert "valve" in page["text"]
    assert violations(admin, keeper.tenant) == []


def test_append_publishes_and_deletes_nothing(keeper: Keeper) -> None:
    """S3-11, S3-14: documents are added as they come."""
    keeper.ingest("pump.txt", PUMP)
    new = [keeper.ingest(f"{n}.txt", text_about(n), hold=True) for n in ("valve", "gauge")]

    done = keeper.update("append", new_document_ids=tuple(new), metadata_updates={"batch": 7})

    assert keeper.sources_found("station watched") == {"pump.txt", "valve.txt", "gauge.txt"}
    assert done.chunks_added == sum(chunks_of(keeper, each) for each in new)
    assert (done.documents_affected, done.chunks_deleted) == (2, 0)
    assert [metadata_of(keeper, each) for each in new] == [{"batch": 7}] * 2


def test_upsert_inserts_what_replaces_nothing(keeper: Keeper) -> None:
    """S3-11: the filter matches nothing, and that is no error."""
    new = keeper.ingest("valve.txt", VALVE, hold=True)

    done = keeper.update("upsert", new_document_ids=(new,), filters={"user_id": "nobody"})

    assert (done.documents_affected, done.deleted_document_ids) == (1, ())
    assert keeper.sources_found("valve station") == {"valve.txt"}


@pytest.mark.parametrize("by", ["ids", "filters"])
def test_delete_removes_what_matches(keeper: Keeper, by: str) -> None:
    """S3-11."""
    old = ingest(keeper, "pump.txt", PUMP, {"user_id": "u1"})
    ingest(keeper, "valve.txt", VALVE, {"user_id": "u2"})
    deleted = chunks_of(keeper, old)

    done = keeper.update("delete", **selecting(by, old))

    assert (done.chunks_deleted, done.documents_affected) == (deleted, 1)
    assert done.updated_document_ids == done.deleted_document_ids == (old,)
    assert keeper.sources_found("station watched") == {"valve.txt"}


def test_ids_that_name_nothing_are_reported_beside_those_that_do(keeper: Keeper) -> None:
    known, unknown = keeper.ingest("pump.txt", PUMP), uuid4()

    done = keeper.update("delete", document_ids=(known, unknown))

    assert done.deleted_document_ids == (known,)
    assert [(each["document_id"], each["code"]) for each in done.errors] == [
        (str(unknown), "DOCUMENT_NOT_FOUND")
    ]


@pytest.mark.parametrize("field", ["user_id", "template_id"])
def test_a_cascade_keeps_what_stands_alone_unless_it_is_included(
    keeper: Keeper, field: str
) -> None:
    """S3-14: deleting by user or template spares `is_standalone: true`; a second call need not."""
    bound = ingest(keeper, "pump.txt", PUMP, {field: "x", "is_standalone": False})
    alone = ingest(keeper, "valve.txt", VALVE, {field: "x", "is_standalone": True})

    first = keeper.update("delete", filters={field: "x"})
    with pytest.raises(NoDocumentsFoundError, match="every document that matches") as none:
        keeper.update("delete", filters={field: "x"})
    second = keeper.update("delete", filters={field: "x"}, include_standalone=True)

    assert (first.deleted_document_ids, second.deleted_document_ids) == ((bound,), (alone,))
    assert (first.kept_document_ids, second.kept_document_ids) == ((alone,), ())
    assert (none.value.context["kept"], none.value.context["include_standalone"]) == (1, False)


def test_filters_that_name_no_user_take_what_stands_alone_too(keeper: Keeper) -> None:
    """Failed when any filter spared it: `{"document_type": "kb"}` left one that was still found."""
    alone = ingest(keeper, "pump.txt", PUMP, {"document_type": "kb", "is_standalone": True})

    done = keeper.update("delete", filters={"document_type": "kb"})

    assert (done.deleted_document_ids, done.kept_document_ids) == ((alone,), ())


def test_who_names_a_standalone_document_means_it(keeper: Keeper) -> None:
    by_id = ingest(keeper, "pump.txt", PUMP, {"is_standalone": True})
    by_filter = ingest(keeper, "valve.txt", VALVE, {"is_standalone": True})

    assert keeper.update("delete", document_ids=(by_id,)).deleted_document_ids == (by_id,)
    done = keeper.update("delete", filters={"is_standalone": True})
    assert done.deleted_document_ids == (by_filter,)


def test_metadata_changes_cost_no_embedding(keeper: Keeper, admin: Connection[Any]) -> None:
    """S3-12, S3-14: tagged and archived; the provider is not called, no chunk is written."""
    keeper.pipeline.embedder = counting = CountingEmbedder()
    one = ingest(keeper, "pump.txt", PUMP, {"user_id": "u1", "tags": ["new"], "nested": {"a": 1}})
    two = ingest(keeper, "valve.txt", VALVE, {"user_id": "u1"})
    calls, chunks = counting.calls, chunks_of(keeper, one) + chunks_of(keeper, two)
    rows = "SELECT max(created_at), count(*) FROM document_chunk"
    before = admin.execute(rows).fetchone()

    patch = {"status": "archived", "tags": None, "nested": {"b": 2}}
    done = keeper.update("metadata", filters={"user_id": "u1"}, metadata_updates=patch)
    describe(keeper, two, title="Valves", metadata={"tags": ["x"]})

    assert calls > 0
    assert counting.calls == calls
    assert (done.chunks_updated, done.documents_affected) == (chunks, 2)
    assert set(done.updated_document_ids) == {one, two}
    expected = {"user_id": "u1", "status": "archived", "nested": {"a": 1, "b": 2}}
    assert metadata_of(keeper, one) == expected
    assert metadata_of(keeper, two)["tags"] == ["x"]
    assert (
        admin.execute("SELECT max(created_at), count(*) FROM document_chunk").fetchone() == before
    )
    assert keeper.sources_found("pump station") >= {"pump.txt"}


def test_what_a_description_leaves_out_stays_and_null_clears(keeper: Keeper) -> None:
    document_id = keeper.ingest("pump.txt", PUMP)
    describe(keeper, document_id, title="Pumps", metadata={"a": 1})

    describe(keeper, document_id, metadata={"b": 2})
    status = keeper.pipeline.catalogue.status(keeper.tenant, document_id)
    describe(keeper, document_id, title=None)

    assert (status.title, status.metadata) == ("Pumps", {"a": 1, "b": 2})
    assert keeper.pipeline.catalogue.status(keeper.tenant, document_id).title is None
    with pytest.raises(InvalidRequest, match="16384"):
        describe(keeper, document_id, metadata={"long": "x" * 17_000})
    with pytest.raises(DocumentNotFound):
        describe(keeper, uuid4(), title="none")


def test_reprocessing_makes_the_rows_anew_while_the_old_ones_are_found(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    """S3-12: a new version of the same bytes, cut as asked; the old one stays until the flip."""
    document_id = keeper.ingest("pump.txt", PUMP)
    chunking = {"profile": "words", "words": 20, "overlap_words": 0}

    done = keeper.update(
        "metadata", document_ids=(document_id,), reprocess_chunks=True, chunking=chunking
    )

    assert (done.reprocessed_document_ids, done.errors) == ((document_id,), ())
    assert keeper.sources_found("pump station") == {"pump.txt"}
    key = ingest_control_key(keeper.tenant, document_id)
    assert keeper.pipeline.objects.exists(key)
    control = Uploaded(key, "none", "0")
    assert keeper.pipeline.deliver(control) == PUBLISHED
    status = keeper.pipeline.catalogue.status(keeper.tenant, document_id)
    assert (status.version, status.published_version) == (2, 2)
    assert status.chunking["profile"] == "words"
    assert status.chunks > done.chunks_updated
    assert keeper.sources_found("pump station") == {"pump.txt"}
    assert violations(admin, keeper.tenant) == []


def test_reprocessing_without_other_choices_ends_in_the_same_chunks(keeper: Keeper) -> None:
    """S3-12: equal text keeps its ids and its vectors; nothing is bought twice."""
    keeper.pipeline.embedder = counting = CountingEmbedder()
    document_id = keeper.ingest("pump.txt", PUMP)
    listed = keeper.pipeline.catalogue.chunks(keeper.tenant, document_id, after=-1, limit=100)
    calls = counting.calls

    keeper.update("metadata", document_ids=(document_id,), reprocess_chunks=True)
    event = Uploaded(ingest_control_key(keeper.tenant, document_id), "none", "0")
    assert keeper.pipeline.deliver(event) == PUBLISHED

    again = keeper.pipeline.catalogue.chunks(keeper.tenant, document_id, after=-1, limit=100)
    assert [each["chunk_id"] for each in again] == [each["chunk_id"] for each in listed]
    assert counting.calls == calls


def test_what_cannot_be_reprocessed_is_named(keeper: Keeper) -> None:
    done_once = keeper.ingest("pump.txt", PUMP)
    never = document_of(keeper.upload("valve.txt", VALVE))
    keeper.update("metadata", document_ids=(done_once,), reprocess_chunks=True)

    done = keeper.update("metadata", document_ids=(done_once, never), reprocess_chunks=True)

    assert done.reprocessed_document_ids == ()
    assert {each["document_id"] for each in done.errors} == {str(done_once), str(never)}


def test_a_document_that_is_not_held_ready_is_named_and_nothing_happens(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    old, ready = keeper.ingest("pump.txt", PUMP), keeper.ingest("a.txt", VALVE, hold=True)
    waiting = document_of(keeper.upload("gauge.txt", GAUGE, hold=True))
    published = keeper.ingest("b.txt", text_about("crane"))
    before = what_there_is(admin, keeper.tenant)

    for wrong, state in ((waiting, State.UPLOADED.value), (published, PUBLISHED)):
        with pytest.raises(DocumentNotReady, match=str(wrong)) as refused:
            keeper.update("replace", document_ids=(old,), new_document_ids=(ready, wrong))
        assert refused.value.context == {"document_id": str(wrong), "state": state}

    assert what_there_is(admin, keeper.tenant) == before


def test_unknown_collections_and_documents_are_typed(keeper: Keeper) -> None:
    """S3-13."""
    keeper.ingest("pump.txt", PUMP)

    with pytest.raises(CollectionNotFoundError, match="'archive'"):
        keeper.update("delete", collection="archive", filters={"user_id": "u1"})
    with pytest.raises(NoDocumentsFoundError):
        keeper.update("delete", filters={"user_id": "nobody"})
    with pytest.raises(NoDocumentsFoundError):
        keeper.update("metadata", document_ids=(uuid4(),), metadata_updates={"a": 1})
    with pytest.raises(DocumentNotFound):
        keeper.update("append", new_document_ids=(uuid4(),))


@pytest.mark.parametrize(
    "contradiction",
    [
        {"strategy": "delete"},
        {"strategy": "delete", "filters": {}},
        {"strategy": "replace", "filters": {"a": 1}},
        {"strategy": "replace", "new_document_ids": (uuid4(),)},
        {"strategy": "append"},
        {"strategy": "append", "new_document_ids": (uuid4(),), "filters": {"a": 1}},
        {"strategy": "delete", "filters": {"a": 1}, "metadata_updates": {"a": 1}},
        {"strategy": "delete", "filters": {"a": 1}, "reprocess_chunks": True},
        {"strategy": "metadata", "filters": {"a": 1}},
        {"strategy": "metadata", "filters": {"$bad": 1}, "metadata_updates": {"a": 1}},
        {"strategy": "metadata", "filters": {"a": 1}, "metadata_updates": {"a": 1}, "chunking": {}},
    ],
)
def test_a_request_that_contradicts_itself_is_refused(
    keeper: Keeper, contradiction: dict[str, Any]
) -> None:
    with pytest.raises(InvalidRequest):
        keeper.update(contradiction.pop("strategy"), **contradiction)


def test_who_only_changes_metadata_is_told_the_strategy_for_it(keeper: Keeper) -> None:
    """Fails when: the refusal of `upsert` without new documents leaves one at a loss."""
    with pytest.raises(InvalidRequest, match="is strategy metadata"):
        keeper.update("upsert", filters={"a": 1}, metadata_updates={"b": 2})


def prepared(keeper: Keeper) -> Callable[[], Any]:
    """Return a replacement of two documents by two, ready to be made."""
    number = str(uuid4())[:8]
    old = [ingest(keeper, f"{n}-{number}", text_about(n + number), {"set": number}) for n in "ab"]
    new = [keeper.ingest(f"{n}-{number}", text_about(n + number), hold=True) for n in "cd"]
    assert old
    return lambda: keeper.update(
        "replace",
        filters={"set": number},
        new_document_ids=tuple(new),
        metadata_updates={"set": number},
    )


@pytest.mark.parametrize("error", [Crash, lambda: StoreUnavailable("injected")])
def test_a_failure_anywhere_leaves_the_state_before_or_after(
    keeper: Keeper, admin: Connection[Any], error: Callable[[], BaseException]
) -> None:
    """S3-13: at every fault point of a replacement, and never half of it."""
    reached: list[str] = []
    work = prepared(keeper)
    faults.install(reached.append)
    work()
    faults.install(None)
    assert {"update.publishing", "update.patched", "delete.write_receipts"} <= set(reached)

    for nth, point in enumerate(reached):
        work = prepared(keeper)
        before = what_there_is(admin, keeper.tenant)
        count = iter(range(len(reached)))

        def injector(_point: str, nth: int = nth, count: Iterator[int] = count) -> None:
            if next(count, None) == nth:
                raise error()

        faults.install(injector)
        # Before the commit a retryable error is tried again; after it, the caller is told.
        with suppress(Crash, StoreUnavailable):
            work()
        faults.install(None)
        after = what_there_is(admin, keeper.tenant)
        committed = point in BEHIND_COMMIT or error is not Crash
        assert (after != before) is committed, point
        found = keeper.sources_found("station watched crews")
        assert len(found) % 2 == 0, point
        assert violations(admin, keeper.tenant) == [], point


def test_a_storage_failure_rolls_everything_back(keeper: Keeper, admin: Connection[Any]) -> None:
    """S3-13: the database refuses the last statement of the update."""
    work = prepared(keeper)
    before = what_there_is(admin, keeper.tenant)
    admin.execute(
        "CREATE FUNCTION pulsedocs.full() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN RAISE EXCEPTION ''disk full'' USING ERRCODE = ''53100''; END'"
    )
    admin.execute(
        "CREATE TRIGGER full_disk BEFORE INSERT ON pulsedocs.audit_event"
        " FOR EACH ROW EXECUTE FUNCTION pulsedocs.full()"
    )

    with pytest.raises((VectorDBError, StoreUnavailable)):
        work()

    admin.execute("DROP TRIGGER full_disk ON pulsedocs.audit_event")
    assert what_there_is(admin, keeper.tenant) == before
    assert violations(admin, keeper.tenant) == []
