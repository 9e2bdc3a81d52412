"""What passes through S3 and the state machine while sentences are measured."""

import json
from typing import Any, cast
from uuid import UUID

import pytest

from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.tokens import WhitespaceTokenCounter
from pulsedocs.chunking import SentenceBatch, profile_named
from pulsedocs.errors import ArtifactInvalid
from pulsedocs.ingestion.clean_document import clean_document
from pulsedocs.ingestion.ports import IngestionStore
from pulsedocs.ingestion.sentence_distances import (
    SentencePlan,
    measure_sentences,
    read_distances,
    write_sentences,
)
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.documents import Run, RunChoices, titled
from pulsedocs.model.embeddings import EmbeddingBatchReference
from pulsedocs.model.object_keys import distances_key, sentences_key
from pulsedocs.model.pages import Page, PageOutcome

RUN = Run(UUID(int=1), UUID(int=2), version=3, fence=4)
BATCH = SentenceBatch("0" * 32, ("The lamp is lit at dusk.", "It is put out at dawn.", "Amen."))
REFERENCE = EmbeddingBatchReference(0, BATCH.batch_hash)
EMBEDDER = HashingEmbedder()
PLAN = SentencePlan(
    profile_named("semantic", {}), is_validated=True, model=EMBEDDER.model, batches=[BATCH]
)


class Shelf:
    """As much of an ingestion store as cleaning asks for."""

    def __init__(self, pages: list[Page]) -> None:
        self._pages = pages

    def raw_pages(self, run: Run) -> list[Page]:
        del run
        return self._pages

    def choices_of(self, run: Run) -> RunChoices:
        del run
        chunking = {"profile": "semantic", "validate_chunks": True}
        return RunChoices(chunking, b"", EMBEDDER.model, titled(None, None, "log.txt"))

    def reserve(self, *_: object) -> None:
        """Take what has tests of its own."""

    def perform(self, run: Run, step: object, *, plan: Any, write: Any) -> Any:
        del run, step
        return write(self, plan())

    def write_cleaned(self, pages: object) -> None:
        del pages


def measured(objects: InMemoryObjectStore) -> bool:
    return measure_sentences(
        RUN, REFERENCE, objects=objects, embedder=EMBEDDER, deadline=Deadline.after(30)
    ).called


def read(objects: InMemoryObjectStore, failure: str = "") -> tuple[int, str | None, int]:
    found = read_distances(RUN, PLAN, failure=failure, objects=objects)
    return len(found.measured.distances), found.measured.failure, found.input_tokens


def test_75000_sentences_pass_within_the_limits_of_the_state_machine() -> None:
    """S3-07, P-02: 3,000 pages; references alone travel, 64 bytes each at most."""
    sentence = "Reading {} of the gauge was taken at noon and logged by the engineer on duty."
    pages = [
        Page(
            number,
            " ".join(sentence.format(25 * number + place) for place in range(25)),
            PageOutcome.TEXT,
            "test",
        )
        for number in range(1, 3_001)
    ]
    objects = InMemoryObjectStore()

    result = clean_document(
        RUN,
        objects=objects,
        store=cast("IngestionStore", Shelf(pages)),
        count_tokens=WhitespaceTokenCounter(),
        batch_size=96,
    )

    batches = len(result.sentences)
    assert batches == len(objects.keys("staging/")) == 790
    assert len(json.dumps(result.to_json()).encode()) < 64 * batches + 200 < 256 * 1024
    assert max(objects.describe(key).size for key in objects.keys("staging/")) < 6_000_000
    # About eight events an iteration, in a history of 25,000.
    assert 8 * batches < 25_000


def test_distances_that_are_there_are_not_bought_again() -> None:
    objects = InMemoryObjectStore()
    write_sentences(RUN, [BATCH], objects=objects)

    assert (measured(objects), measured(objects)) == (True, False)
    assert read(objects)[:2] == (2, None)
    assert read(objects)[2] > 0


def test_a_failure_is_named_by_its_code_and_what_was_bought_is_counted() -> None:
    objects = InMemoryObjectStore()
    write_sentences(RUN, [BATCH], objects=objects)
    measured(objects)
    tokens = read(objects)[2]

    assert read(objects, "ProviderThrottled") == (0, "PROVIDER_THROTTLED", tokens)
    assert read(objects, "Sandbox.Timedout") == (0, "Sandbox.Timedout", tokens)
    assert read(objects, "x" * 1_000) == (0, "x" * 80, tokens)
    assert read(InMemoryObjectStore()) == (0, "OBJECT_NOT_FOUND", 0)


@pytest.mark.parametrize(
    "body",
    [
        b"not JSON",
        b"[]",
        b'{"distances": [0.5], "input_tokens": 1}',
        b'{"distances": [0.5, 9.0], "input_tokens": 1}',
        b'{"distances": [0.5, NaN], "input_tokens": 1}',
        b'{"distances": ["0.5", 0.5], "input_tokens": 1}',
        b'{"distances": [0.5, 0.5], "input_tokens": -1}',
    ],
)
def test_damaged_distances_lead_to_the_fallback(body: bytes) -> None:
    objects = InMemoryObjectStore()
    objects.write(distances_key(RUN, EMBEDDER.model, BATCH.batch_hash), body)

    assert read(objects) == (0, "ARTIFACT_INVALID", 0)


def test_damaged_sentences_are_refused() -> None:
    objects = InMemoryObjectStore()
    objects.write(sentences_key(RUN, BATCH.batch_hash), b'{"texts": ["only one"]}')

    with pytest.raises(ArtifactInvalid, match="sentences"):
        measured(objects)
