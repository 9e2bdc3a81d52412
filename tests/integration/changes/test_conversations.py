"""What a conversation says of a document goes with the document."""

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs import faults
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
        if point in {"purge.purge_conversation_turns", "purge.forget_turns"} - died:
            died.add(point)
            raise Crash

    faults.install(once)
    keeper.run_purges()

    assert died == {"purge.purge_conversation_turns", "purge.forget_turns"}
    assert keeper.receipt(receipt_id).completed_at is not None
    assert questions(admin) == ["by another's", "by nothing"]
