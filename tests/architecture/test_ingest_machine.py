"""The state machine of ingestion stays within its events, whatever document it is."""

from typing import Any, Final

from infra.machines import ingest_machine
from pulsedocs.embedding.batches import MOST_BATCHES

State = dict[str, Any]
STATES: Final[dict[str, State]] = ingest_machine()["States"]
MOST_EVENTS: Final = 25_000
TRIED_AGAIN: Final = 3  # events: failed, scheduled and started once more
EVENTS: Final = {"Task": 5, "Pass": 2, "Choice": 2}
"""Entered and left; what is called is scheduled, started and over between the two."""
# 20 million characters: 5,000 pages, each a picture, twenty of them a range of scans; sentences in
# 790 batches (tests/unit/ingestion/test_sentence_distances.py); chunks of a text by their number in
# as many as there may be and by their tokens in 60 more, for two models.
ITERATIONS: Final = {
    "ExtractRanges": 10,
    "RecogniseScans": 250,
    "MeasureSentences": 790,
    "EmbedBatches": MOST_BATCHES + 60,
    "EmbedShadow": MOST_BATCHES + 60,
}


def events_of_an_iteration(state: State) -> int:
    """Count the way without a failure: begun and over, and each state that comes by."""
    processor = state["ItemProcessor"]
    name: str | None = processor["StartAt"]
    count = 2
    while name is not None:
        count += EVENTS[processor["States"][name]["Type"]]
        name = processor["States"][name].get("Next")
    return count


def test_the_largest_document_has_events_left_for_retries() -> None:
    """P-02: an execution that has used them up ends wherever it is."""
    maps = {name: state for name, state in STATES.items() if state["Type"] == "Map"}
    assert maps.keys() == ITERATIONS.keys()
    beside = sum(EVENTS.get(state["Type"], 4) for state in STATES.values())

    used = beside + sum(ITERATIONS[name] * events_of_an_iteration(maps[name]) for name in maps)

    batches = sum(ITERATIONS.values())
    assert used + TRIED_AGAIN * batches // 2 < MOST_EVENTS, used


def test_a_batch_takes_twelve_events() -> None:
    """As docs/concepts/large-documents.md says, and as a local run of 1,120 batches had it."""
    assert events_of_an_iteration(STATES["EmbedBatches"]) == 12
