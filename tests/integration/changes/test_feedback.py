"""What feedback says of a document goes with the document, whenever the purge dies."""

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs import faults
from pulsedocs.errors import DocumentNotFound
from pulsedocs.model.feedback import AnswerPlace, Feedback, Verdict
from tests.integration.changes.keeper import Keeper, text_about
from tests.integration.ingestion.pipeline import Crash

PUMP, VALVE = text_about("pump"), text_about("valve")


@pytest.fixture(autouse=True)
def _no_faults_left() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] -- autouse
    yield
    faults.install(None)


def say(keeper: Keeper, question: str, reason: str, *documents: UUID) -> None:
    said = Feedback(
        trace_id=uuid4().hex,
        subject="olga",
        verdict=Verdict.WRONG,
        reason=reason[:2000],
        question=question,
        collections=("default",),
        places=tuple(AnswerPlace(each) for each in documents),
        document_ids=documents,
    )
    keeper.retrieval.keep_feedback(keeper.tenant, said)


def questions(admin: Connection[tuple[str]]) -> list[str]:
    rows = admin.execute("SELECT question FROM feedback ORDER BY changed_at").fetchall()
    return [row[0] for row in rows]


def test_a_purge_takes_the_feedback_that_names_or_repeats_the_document(
    keeper: Keeper, admin: Connection[tuple[str]]
) -> None:
    valve, pump = keeper.ingest("valve.txt", VALVE), keeper.ingest("pump.txt", PUMP)
    say(keeper, "names it", "It is watched.", valve, pump)
    say(keeper, "repeats it", PUMP.decode(), valve)
    say(keeper, PUMP.decode()[:2000], "asks in its words")
    say(keeper, "names the other", VALVE.decode(), valve)
    say(keeper, "names none", "Nothing of it.")
    receipt_id = keeper.delete(pump)
    died: set[str] = set()

    def once(point: str) -> None:
        if point in {"purge.rows_removed", "purge.forget_feedback"} - died:
            died.add(point)
            raise Crash

    faults.install(once)
    keeper.run_purges()

    receipt = keeper.receipt(receipt_id)
    assert died == {"purge.rows_removed", "purge.forget_feedback"}
    assert receipt.completed_at is not None
    assert receipt.verification is not None
    assert receipt.verification["left"] == 0
    assert questions(admin) == ["names the other", "names none"]
    with pytest.raises(DocumentNotFound):
        say(keeper, "too late", "", pump)
