"""What is deleted is not found again, leaves nothing behind, and cannot come back."""

import json
from collections.abc import Iterator
from contextlib import suppress
from threading import Event, Thread
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs import faults
from pulsedocs.deletion import delete_document, purge_document
from pulsedocs.deletion.verify_deletion import ask_for_shingles
from pulsedocs.errors import Conflict, DeletionIncomplete, DeletionNotFound, DocumentNotFound
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.object_keys import (
    asks_for_marks,
    deleted_prefix,
    document_prefixes,
    evaluation_request_key,
    receipt_of,
)
from pulsedocs.model.shingles import Sample, key_of, shingles_of
from tests.integration.changes.keeper import Keeper, document_of, rows_left, text_about
from tests.integration.ingestion.pipeline import PUBLISHED, Crash
from tests.integration.invariants import violations

PUMP, VALVE = text_about("pump"), text_about("valve")


@pytest.fixture(autouse=True)
def _no_faults_left() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] -- autouse
    yield
    faults.install(None)


def everything_of(keeper: Keeper, document_id: UUID) -> list[str]:
    """Return the keys of all object versions and delete markers of a document."""
    return [
        version.key
        for prefix in document_prefixes(keeper.tenant, document_id)
        for version in keeper.pipeline.objects.versions(prefix)
    ]


def assert_gone(keeper: Keeper, admin: Connection[Any], document_id: UUID) -> None:
    assert rows_left(admin, keeper.tenant, document_id) == {}
    assert everything_of(keeper, document_id) == []
    assert violations(admin, keeper.tenant) == []


def crash_at(nth: int) -> None:
    reached = 0

    def injector(_point: str) -> None:
        nonlocal reached
        reached += 1
        if reached == nth + 1:
            raise Crash

    faults.install(injector)


def points_of(work: Any) -> list[str]:
    reached: list[str] = []
    faults.install(reached.append)
    work()
    faults.install(None)
    return reached


def test_a_deleted_document_leaves_a_receipt_and_nothing_else(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    """I8: 0 rows, 0 object versions, 0 delete markers, and the counts before and after."""
    kept, doomed = keeper.ingest("valve.txt", VALVE), keeper.ingest("pump.txt", PUMP)
    rows = rows_left(admin, keeper.tenant, doomed)

    receipt_id = keeper.delete(doomed)
    promised = keeper.receipt(receipt_id)
    keeper.run_purges()

    receipt = keeper.receipt(receipt_id)
    assert_gone(keeper, admin, doomed)
    assert (promised.completed_at, promised.after, promised.verification) == (None, None, None)
    assert receipt.completed_at is not None
    counted = ("pages", "chunks", "embeddings", "postings")
    assert {name: receipt.before[name] for name in counted} == {
        "pages": rows["document_page"],
        "chunks": rows["document_chunk"],
        "embeddings": rows["chunk_embedding"],
        "postings": rows["posting"],
    }
    assert receipt.before["objects"] > 3
    assert receipt.after is not None
    assert set(receipt.after.values()) == {0}
    assert {"pages", "chunks", "embeddings", "postings", "objects"} <= set(receipt.after)
    assert rows_left(admin, keeper.tenant, kept)["document_chunk"] > 0
    assert keeper.sources_found("pump station") == {"valve.txt"}


def test_the_receipt_proves_it_and_keeps_no_word(keeper: Keeper, admin: Connection[Any]) -> None:
    keeper.ingest("valve.txt", VALVE)
    receipt_id = keeper.delete(keeper.ingest("pump.txt", PUMP))
    keeper.run_purges()

    verification = keeper.receipt(receipt_id).verification
    row = admin.execute(
        "SELECT deletion_receipt::text, sample FROM deletion_receipt WHERE receipt_id = %s",
        [receipt_id],
    ).fetchone()
    assert verification is not None
    assert verification["shingles"] > 5
    assert (verification["left"], verification["elsewhere"]) == (0, [])
    assert verification["texts_searched"] > 10
    assert (verification["objects_not_searched"], verification["tables_not_searched"]) == (0, [])
    assert row is not None
    assert row[1] is None
    assert "pump" not in row[0]


def test_no_query_that_starts_after_the_answer_finds_it(keeper: Keeper) -> None:
    """I8: a reader asks without pause while documents are deleted under it."""
    documents = [keeper.ingest(f"{n}.txt", text_about(f"pump{n}")) for n in "abc"]
    acknowledged: set[str] = set()
    wrong: list[set[str]] = []
    asked, is_over = 0, Event()

    def read() -> None:
        nonlocal asked
        while not is_over.is_set():
            gone = set(acknowledged)
            wrong.append(keeper.sources_found("pump station watched") & gone)
            asked += 1

    reader = Thread(target=read)
    reader.start()
    for name, document_id in zip("abc", documents, strict=True):
        keeper.delete(document_id)
        acknowledged.add(f"{name}.txt")
        before = asked
        while asked < before + 2 and reader.is_alive():
            pass
    is_over.set()
    reader.join()

    assert asked >= 6
    assert set().union(*wrong) == set()
    assert keeper.sources_found("pump station watched") == set()


def test_deleting_twice_an_unknown_or_another_tenants_document_is_the_same_404(
    keeper: Keeper,
) -> None:
    document_id = keeper.ingest("pump.txt", PUMP)
    mine, keeper.tenant = keeper.tenant, uuid4()
    theirs = keeper.ingest("pump.txt", PUMP)
    keeper.tenant = mine
    keeper.delete(document_id)
    answers: set[str] = set()

    for asked in (document_id, theirs, uuid4()):
        with pytest.raises(DocumentNotFound) as refused:
            keeper.delete(asked)
        answers.add(refused.value.message.replace(str(asked), "<id>"))
    keeper.run_purges()
    with pytest.raises(DocumentNotFound):
        keeper.delete(document_id)
    assert len(answers) == 1
    with pytest.raises(DeletionNotFound):
        keeper.receipt(uuid4())


def test_a_purge_that_dies_anywhere_goes_on_where_it_stopped(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    """K18: one crash at every fault point of the purge; the second attempt ends it, with proof."""
    receipt_id = keeper.delete(keeper.ingest("pump.txt", PUMP))
    points = points_of(lambda: keeper.purge(receipt_id))
    assert {"purge.sampled", "purge.objects_erased", "purge.before_commit"} <= set(points)
    assert points.count("purge.purge_postings") > 2

    for nth, point in enumerate(points):
        document_id = keeper.ingest("pump.txt", PUMP)
        receipt_id = keeper.delete(document_id)
        crash_at(nth)
        keeper.purge(receipt_id)
        faults.install(None)
        receipt = keeper.receipt(receipt_id)
        assert_gone(keeper, admin, document_id)
        assert receipt.completed_at is not None, point
        assert receipt.verification is not None
        assert receipt.verification["shingles"] > 5, point


def test_a_search_that_runs_out_of_time_goes_on_where_it_stopped(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    """Each purge reads one document more and asks for the next; together they read everything."""
    for name in ("valve", "gauge"):
        keeper.ingest(f"{name}.txt", text_about(name))
    quote = keeper.ingest("minutes.txt", PUMP)
    admin.execute("CREATE TABLE pulsedocs.aside (tenant_id uuid NOT NULL, note text)")
    admin.execute("GRANT SELECT ON pulsedocs.aside TO pulsedocs_sweep")
    admin.execute("INSERT INTO pulsedocs.aside VALUES (%s, %s)", [keeper.tenant, PUMP.decode()])
    document_id = keeper.ingest("pump again.txt", PUMP)
    receipt_id = keeper.delete(document_id)
    purges = 0

    while keeper.receipt(receipt_id).verification is None:
        purges += 1
        with suppress(DeletionIncomplete):
            keeper.purge(receipt_id, seconds=0)

    in_parts = keeper.receipt(receipt_id)
    assert purges > 10
    assert in_parts.verification is not None
    assert in_parts.verification["places"] == [{"place": "aside.note", "count": 1}]
    assert in_parts.verification["elsewhere"] == [str(quote)]
    assert in_parts.before["objects"] > 3
    admin.execute("DELETE FROM pulsedocs.aside")
    keeper.purge(receipt_id)
    at_once = keeper.receipt(receipt_id).verification
    assert at_once is not None
    assert at_once["left"] == 0
    assert at_once["texts_searched"] == in_parts.verification["texts_searched"] - 1
    assert_gone(keeper, admin, document_id)


def test_what_is_asked_during_a_search_is_looked_for_everywhere(keeper: Keeper) -> None:
    """Of a search in parts, the parts read before would else be left out."""
    quote = keeper.ingest("a quote.txt", PUMP)
    for name in ("valve", "gauge"):
        keeper.ingest(f"{name}.txt", text_about(name))
    receipt_id = keeper.delete(keeper.ingest("gauge again.txt", text_about("gauge")))
    for _ in range(12):
        keeper.purge(receipt_id, seconds=0)
    assert keeper.receipt(receipt_id).verification is None

    keeper.changes.ask(
        keeper.tenant, receipt_id, Sample.of(shingles_of(PUMP.decode()), key=key_of(b"a client's"))
    )
    keeper.purge(receipt_id)

    verification = keeper.receipt(receipt_id).verification
    assert verification is not None
    assert str(quote) in verification["elsewhere"]


def test_two_purges_at_once_end_as_one(
    keeper: Keeper, admin: Connection[Any], second: Keeper
) -> None:
    document_id = keeper.ingest("pump.txt", PUMP)
    receipt_id = keeper.delete(document_id)

    threads = [Thread(target=purge, args=(receipt_id,)) for purge in (keeper.purge, second.purge)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    receipt = keeper.receipt(receipt_id)
    assert_gone(keeper, admin, document_id)
    assert receipt.completed_at is not None
    assert receipt.verification is not None
    assert receipt.verification["left"] == 0


def test_bytes_that_come_after_the_purge_go_again_and_bring_nothing_back(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    """A form signed before the deletion still takes bytes: the tombstone answers their event."""
    event = keeper.upload("pump.txt", PUMP)
    document_id = document_of(event)
    keeper.pipeline.deliver(event)
    receipt_id = keeper.delete(document_id)
    keeper.run_purges()
    first = keeper.receipt(receipt_id)

    late = keeper.pipeline.put(keeper.tenant, document_id, PUMP, version=1)
    assert everything_of(keeper, document_id) != []
    assert keeper.pipeline.deliver(late) is None
    assert keeper.pipeline.deliver(event) is None
    keeper.run_purges()

    again = keeper.receipt(receipt_id)
    assert_gone(keeper, admin, document_id)
    assert again.completed_at == first.completed_at
    assert again.verification is not None
    assert again.verification["left"] == 0
    with pytest.raises(Conflict, match="was deleted"):
        keeper.pipeline.upload(keeper.tenant, document_id, PUMP, filename="pump.txt")


def test_the_same_bytes_are_welcome_as_a_new_document(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    doomed = keeper.ingest("pump.txt", PUMP)
    keeper.delete(doomed)

    fresh = keeper.ingest("pump.txt", PUMP)
    keeper.run_purges()

    assert fresh != doomed
    assert keeper.sources_found("pump station") == {"pump.txt"}
    assert_gone(keeper, admin, doomed)


def test_a_delete_at_every_point_of_an_ingestion_wins(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    """K18: wherever the run is, it ends without a word left, and the document stays deleted."""
    points = points_of(lambda: keeper.ingest("pump.txt", PUMP))
    assert len(set(points)) > 15

    for nth, point in enumerate(points):
        event = keeper.upload("pump.txt", PUMP)
        document_id = document_of(event)
        waits, deleter, receipts = delete_meanwhile(keeper, document_id, nth)
        keeper.pipeline.deliver(event)
        faults.install(None)
        waits.set()
        if not receipts and not deleter.ident:
            receipts.append(keeper.delete(document_id))
        if deleter.ident:
            deleter.join()
        keeper.run_purges()
        assert_gone(keeper, admin, document_id)
        assert keeper.receipt(receipts[0]).completed_at is not None, point
        assert keeper.sources_found("pump station") == set(), point


def delete_meanwhile(keeper: Keeper, document_id: UUID, nth: int) -> Any:
    """Arm the run: at its nth fault point another worker deletes the document.

    Where the run holds the document's lock, the delete waits for its commit, so the run is not
    made to wait for the delete.
    """
    reached, is_done, receipts = 0, Event(), list[UUID]()

    def delete() -> None:
        receipts.append(keeper.delete(document_id))
        is_done.set()

    deleter = Thread(target=delete)

    def injector(point: str) -> None:
        nonlocal reached
        if point.startswith("delete."):
            return
        reached += 1
        if reached == nth + 1:
            deleter.start()
            holds_the_lock = point.endswith((".locked", ".written", ".before_commit"))
            is_done.wait(0.02 if holds_the_lock else 10)

    faults.install(injector)
    return is_done, deleter, receipts


def leave_behind(admin: Connection[Any], table: str) -> None:
    """Sabotage: the database ignores every DELETE on a table, cascades included."""
    admin.execute(
        "CREATE FUNCTION pulsedocs.ignore() RETURNS trigger LANGUAGE plpgsql"
        " AS 'BEGIN RETURN NULL; END'"
    )
    admin.execute(
        f"CREATE TRIGGER ignore BEFORE DELETE ON pulsedocs.{table}"
        " FOR EACH ROW EXECUTE FUNCTION pulsedocs.ignore()".encode()
    )


@pytest.mark.parametrize(
    ("table", "place"),
    [
        ("document_page", "rows of pages"),
        ("chunk_embedding", "rows of embeddings"),
        ("posting", "rows of postings"),
        ("doc_stats", "rows of doc_stats"),
        ("document", "rows of document"),
    ],
)
def test_a_row_left_behind_is_named(
    keeper: Keeper, admin: Connection[Any], table: str, place: str
) -> None:
    """Sabotage: one table is not purged; the receipt says which, and is not complete."""
    receipt_id = keeper.delete(keeper.ingest("pump.txt", PUMP))
    leave_behind(admin, table)

    with pytest.raises(DeletionIncomplete):
        keeper.purge(receipt_id)

    receipt = keeper.receipt(receipt_id)
    assert receipt.completed_at is None
    assert receipt.verification is not None
    assert receipt.verification["left"] > 0
    assert place in {each["place"] for each in receipt.verification["places"]}
    admin.execute(f"DROP TRIGGER ignore ON pulsedocs.{table}".encode())


def test_text_left_behind_without_its_document_is_found_by_its_words(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    """Sabotage: a table that a later migration adds is searched without being named."""
    receipt_id = keeper.delete(keeper.ingest("pump.txt", PUMP))
    admin.execute("CREATE TABLE pulsedocs.scrapbook (tenant_id uuid NOT NULL, turns jsonb)")
    admin.execute("GRANT SELECT ON pulsedocs.scrapbook TO pulsedocs_sweep")
    turns = json.dumps([{"role": "assistant", "content": f"It says:\n{PUMP.decode()}"}])
    admin.execute("INSERT INTO pulsedocs.scrapbook VALUES (%s, %s)", [keeper.tenant, turns])
    admin.execute("INSERT INTO pulsedocs.scrapbook VALUES (%s, %s)", [uuid4(), "[]"])

    with pytest.raises(DeletionIncomplete):
        keeper.purge(receipt_id)

    verification = keeper.receipt(receipt_id).verification
    assert verification is not None
    assert verification["places"] == [{"place": "scrapbook.turns", "count": 1}]
    admin.execute("DELETE FROM pulsedocs.scrapbook")
    keeper.purge(receipt_id)
    assert keeper.receipt(receipt_id).completed_at is not None


def test_a_table_that_the_purge_may_not_read_is_named(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    receipt_id = keeper.delete(keeper.ingest("pump.txt", PUMP))
    admin.execute("CREATE TABLE pulsedocs.diary (tenant_id uuid NOT NULL, entry text)")

    keeper.purge(receipt_id)

    verification = keeper.receipt(receipt_id).verification
    assert verification is not None
    assert verification["tables_not_searched"] == ["diary"]


def test_an_object_left_behind_is_named(keeper: Keeper) -> None:
    """Sabotage: words of the document in a trace, and a version that S3 would not give up."""
    document_id = keeper.ingest("pump.txt", PUMP)
    receipt_id = keeper.delete(document_id)
    trace = f"traces/{keeper.tenant}/leak.json"
    keeper.pipeline.objects.write(trace, json.dumps({"text": PUMP.decode()}).encode())
    erase = type(keeper.pipeline.objects).erase

    def spare_uploads(self: Any, versions: Any) -> None:
        erase(self, [each for each in versions if not each.key.startswith("u/")])

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(type(keeper.pipeline.objects), "erase", spare_uploads)
        with pytest.raises(DeletionIncomplete):
            keeper.purge(receipt_id)

    verification = keeper.receipt(receipt_id).verification
    assert verification is not None
    places = {each["place"]: each["count"] for each in verification["places"]}
    assert places == {"object traces/": 1, "rows of objects": 1}


def test_what_another_document_says_in_the_same_words_is_no_leak(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    quote = keeper.ingest("minutes.txt", VALVE + b"\n\nAs the handbook says:\n\n" + PUMP)
    receipt_id = keeper.delete(keeper.ingest("pump.txt", PUMP))

    keeper.run_purges()

    receipt = keeper.receipt(receipt_id)
    assert receipt.completed_at is not None
    assert receipt.verification is not None
    assert receipt.verification["left"] == 0
    assert receipt.verification["elsewhere"] == [str(quote)]
    assert violations(admin, keeper.tenant) == []


def test_a_client_has_its_own_copy_looked_for(keeper: Keeper, admin: Connection[Any]) -> None:
    """The shingles travel once and are kept as hashes, until the purge has looked."""
    receipt_id = keeper.delete(keeper.ingest("pump.txt", PUMP))
    keeper.run_purges()
    quote = keeper.ingest("minutes.txt", PUMP)

    ask_for_shingles(
        keeper.tenant,
        receipt_id,
        list(shingles_of(PUMP.decode()))[:20],
        changes=keeper.changes,
        objects=keeper.pipeline.objects,
    )
    waiting = keeper.receipt(receipt_id)
    [asked] = admin.execute(
        "SELECT asked::text FROM deletion_receipt WHERE receipt_id = %s", [receipt_id]
    ).fetchone() or [None]
    keeper.run_purges()

    receipt = keeper.receipt(receipt_id)
    assert waiting.is_verifying
    assert "pump" not in str(asked)
    assert not receipt.is_verifying
    assert receipt.verification is not None
    assert receipt.verification["shingles_asked"] == 20
    assert (receipt.verification["left"], receipt.verification["elsewhere"]) == (0, [str(quote)])


def test_one_request_purges_all_that_waits(keeper: Keeper) -> None:
    """A crash between a commit and its request loses nothing: the next purge goes on with it."""
    documents = [keeper.ingest(f"{n}.txt", text_about(n)) for n in ("pump", "valve", "gauge")]
    receipts = [keeper.changes.delete(keeper.tenant, each, actor="me") for each in documents[:2]]
    assert keeper.purges.pending(keeper.tenant) == dict(zip(documents, receipts, strict=False))

    receipts.append(keeper.delete(documents[2]))
    keeper.run_purges()

    assert all(keeper.receipt(each).completed_at is not None for each in receipts)
    assert keeper.purges.pending(keeper.tenant) == {}


def test_what_an_answer_had_no_time_to_mark_a_purge_marks_before_it_removes_anything(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A source of a large collection that was sent again behind it was lost with its old id."""
    monkeypatch.setattr(delete_document, "_MARKING_SECONDS", 0)
    monkeypatch.setattr(purge_document, "RECEIPTS_AT_ONCE", 1)
    documents = [keeper.ingest(f"{n}.txt", text_about(n)) for n in ("pump", "valve", "gauge")]
    objects = keeper.pipeline.objects

    def marked() -> set[UUID]:
        prefixes = {one: deleted_prefix(keeper.tenant, one) for one in documents}
        return {one for one, prefix in prefixes.items() if [*objects.versions(prefix)]}

    keeper.update("delete", document_ids=tuple(documents))
    asked = [one.key for one in objects.versions(f"control/purge/{keeper.tenant}/")]
    before = marked()
    [of_all] = [key for key in asked if asks_for_marks(key)]
    keeper.purge(receipt_of(of_all)[1], marks_all=asks_for_marks(of_all))

    assert before == set()
    assert marked() == set(documents)
    assert len(keeper.purges.pending(keeper.tenant)) == len(documents) - 1
    keeper.run_purges()
    assert keeper.purges.pending(keeper.tenant) == {}


def test_a_purge_without_time_for_all_marks_has_the_next_one_go_on(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It went on to remove, and the sources of the rest were lost when they were sent again."""
    monkeypatch.setattr(delete_document, "_MARKING_SECONDS", 0)
    monkeypatch.setattr(purge_document, "RECEIPTS_AT_ONCE", 1)
    documents = [keeper.ingest(f"{n}.txt", text_about(n)) for n in ("pump", "valve", "gauge")]
    objects = keeper.pipeline.objects
    keeper.update("delete", document_ids=tuple(documents))
    seen = list[tuple[int, int]]()

    for most in (2, 1):
        asked = [one.key for one in objects.versions(f"control/purge/{keeper.tenant}/")]
        of_all = [key for key in asked if asks_for_marks(key)]
        times = iter([1.0] * most)  # one for each mark

        def remaining(_: Deadline, times: Iterator[float] = times) -> float:
            return next(times, 0.0)

        with monkeypatch.context() as patch:
            patch.setattr(Deadline, "remaining", remaining)
            keeper.purge(receipt_of(of_all[-1])[1], marks_all=True)
        marks = {one.key for one in objects.versions(f"deleted/{keeper.tenant}/")}
        seen.append((len(of_all), len(marks)))
        if most > 1:
            assert len(keeper.purges.pending(keeper.tenant)) == len(documents)

    assert seen == [(1, 2), (2, 3)]
    keeper.run_purges()
    assert keeper.purges.pending(keeper.tenant) == {}


def test_the_questions_of_evaluations_that_quote_a_document_go_with_it(keeper: Keeper) -> None:
    """Of one that ran, whose questions the bucket only hides, and of one that waits."""
    receipt_id = keeper.delete(keeper.ingest("pump.txt", PUMP))
    objects = keeper.pipeline.objects
    ran, waits, other = (evaluation_request_key(keeper.tenant, uuid4()) for _ in range(3))
    for key, quote in ((ran, PUMP), (waits, PUMP), (other, VALVE)):
        expected = [{"source": "pump.txt", "page": 1, "quote": quote.decode()}]
        labelled = {"text": "Who watches it?", "expected": expected, "answerable": True}
        objects.write(key, json.dumps({"questions": [labelled]}).encode())
    objects.remove(ran)

    keeper.run_purges()

    assert keeper.receipt(receipt_id).completed_at is not None
    left = objects.versions(f"staging/{keeper.tenant}/evaluation-")
    assert [each.key for each in left if not each.is_delete_marker] == [other]


def test_what_a_deleted_document_cost_is_kept_without_its_name(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    """A name of eight words that the text says too was found by the search, for 400 days."""
    name = "Rules for the use of the common laundry room of house nine"
    keeper.ingest("valve.txt", VALVE)
    receipt_id = keeper.delete(keeper.ingest(f"{name}.txt", f"{name}\n".encode()))
    kept = "SELECT DISTINCT source, input_tokens > 0 FROM usage WHERE tenant_id = %s ORDER BY 1"
    assert admin.execute(kept.encode(), [keeper.tenant]).fetchall() == [
        (f"{name}.txt", True),
        ("valve.txt", True),
    ]

    keeper.run_purges()

    assert keeper.receipt(receipt_id).completed_at is not None
    assert admin.execute(kept.encode(), [keeper.tenant]).fetchall() == [
        ("valve.txt", True),
        (None, True),
    ]


def test_a_published_document_is_found_until_it_is_deleted(keeper: Keeper) -> None:
    """What a search finds hangs on the pointer alone."""
    event = keeper.upload("pump.txt", PUMP)
    assert keeper.pipeline.deliver(event) == PUBLISHED
    assert keeper.sources_found("pump station") == {"pump.txt"}

    keeper.delete(document_of(event))

    assert keeper.sources_found("pump station") == set()
