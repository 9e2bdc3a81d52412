"""The state machine of models keeps the reason of what fails, and stays within its events."""

from typing import Any

from infra.machines import models_machine
from pulsedocs.embedding_models.backfill_model import BATCHES_A_PAGE, PAGES_AN_EXECUTION

State = dict[str, Any]
MACHINE: State = models_machine()
EVENTS_A_BATCH = 12  # begin and end of its own, and five of each task, without retries
MOST_EVENTS = 25_000


def test_what_fails_in_a_backfill_is_kept_with_its_reason() -> None:
    caught = {
        name: {each["Next"] for each in state["Catch"]}
        for name, state in MACHINE["States"].items()
        if "Catch" in state
    }

    assert caught.pop("Probe") == {"RecordRefusal"}
    assert set(caught) == {"Renew", "WriteBatches", "EmbedBatches", "HandOver", "NoteEnd"}
    assert all(next_ == {"FailBackfill"} for next_ in caught.values())


def test_an_execution_stays_within_its_events() -> None:
    """A page of batches at a time, and another execution behind some pages: any number goes."""
    assert BATCHES_A_PAGE * PAGES_AN_EXECUTION * EVENTS_A_BATCH < MOST_EVENTS
