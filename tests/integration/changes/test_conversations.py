"""What a conversation says of a document goes with the document."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs import faults
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.deletion.purges import PostgresPurgeStore
from pulsedocs.model.conversations import NewTurn
from pulsedocs.model.retrieval import Usage
from tests.integration.changes.keeper import Keeper, text_about
from tests.integration.ingestion.pipeline import Crash

PUMP, VALVE = text_about("pump"), text_about("valve")
CONVERSATION = uuid4()


@pytest.fixture(autouse=True)
def _no_faults_left() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] -- autouse
    yield
    faults.install(None)


def say(keeper: Keeper, question: str, answer: str, *documents: UUID) -> None:
    usage = Usage("ask", "memory:chat", 1, 1, 0.0, uuid4().hex, None)
    turn = NewTurn(CONVERSATION, question, answer, documents)
    keeper.retrieval.settle(keeper.tenant, None, usage, turn=turn)


def questions(admin: Connection[tuple[str]]) -> list[str]:
    rows = admin.execute("SELECT question FROM conversation_turn ORDER BY turn").fetchall()
    return [row[0] for row in rows]


def talk_about(keeper: Keeper, pump: UUID, valve: UUID) -> None:
    words = PUMP.decode()
    say(keeper, "by its passages", "In other words, it is watched.", pump)
    say(keeper, "by both", "Both are watched.", valve, pump)
    say(keeper, "by its words alone", words, valve)
    say(keeper, f"pasted: {words}"[:8000], "No answer.")
    say(keeper, "by another's", VALVE.decode(), valve)
    say(keeper, "by nothing", "No answer.")


def test_a_purge_takes_the_turns_that_used_or_repeat_the_document(
    keeper: Keeper, admin: Connection[tuple[str]]
) -> None:
    """I8, 5.12: the proof, which searches every table, then finds nothing."""
    valve, pump = keeper.ingest("valve.txt", VALVE), keeper.ingest("pump.txt", PUMP)
    talk_about(keeper, pump, valve)

    receipt_id = keeper.delete(pump)
    keeper.run_purges()

    receipt = keeper.receipt(receipt_id)
    assert receipt.completed_at is not None
    assert receipt.verification is not None
    assert receipt.verification["left"] == 0
    assert questions(admin) == ["by another's", "by nothing"]


def test_a_purge_that_dies_among_the_turns_goes_on(
    keeper: Keeper, admin: Connection[tuple[str]]
) -> None:
    valve, pump = keeper.ingest("valve.txt", VALVE), keeper.ingest("pump.txt", PUMP)
    talk_about(keeper, pump, valve)
    receipt_id = keeper.delete(pump)
    died: set[str] = set()

    def once(point: str) -> None:
        if point in {"purge.rows_removed", "purge.forget_turns"} - died:
            died.add(point)
            raise Crash

    faults.install(once)
    keeper.run_purges()

    assert died == {"purge.rows_removed", "purge.forget_turns"}
    assert keeper.receipt(receipt_id).completed_at is not None
    assert questions(admin) == ["by another's", "by nothing"]


def test_turns_are_read_once_for_all_deletions_of_a_purge(
    keeper: Keeper, admin: Connection[tuple[int]], database_as: Callable[[str], Database]
) -> None:
    """And once more to prove it: a tenant's conversations say far more than its documents."""
    sweep = database_as("sweep")
    keeper = replace(keeper, purges=PostgresPurgeStore(sweep))
    documents = [
        keeper.ingest(f"{topic}.txt", text_about(topic)) for topic in ("pump", "valve", "gauge")
    ]
    admin.execute(
        "INSERT INTO conversation (tenant_id, conversation_id, expires_at)"
        " VALUES (%s, %s, now() + interval '1 day')",
        [keeper.tenant, CONVERSATION],
    )
    admin.execute(
        "INSERT INTO conversation_turn"
        " (tenant_id, conversation_id, turn, question, answer, trace_id, document_ids)"
        " SELECT %s, %s, turn, 'Is it so?', 'It is.', turn, '{}' FROM generate_series(1, 20) turn",
        [keeper.tenant, CONVERSATION],
    )
    receipts = [keeper.delete(document) for document in documents]

    def turns_read() -> int:
        sweep.run(keeper.tenant, lambda tx: tx.execute("SELECT pg_stat_force_next_flush()"))
        row = admin.execute(
            "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_all_tables"
            " WHERE relid = 'conversation_turn'::regclass"
        ).fetchone()
        return row[0] if row else 0

    before = turns_read()
    keeper.purge(receipts[0])

    assert all(keeper.receipt(receipt_id).completed_at for receipt_id in receipts)
    assert turns_read() - before == len(("to forget", "to prove")) * 20
