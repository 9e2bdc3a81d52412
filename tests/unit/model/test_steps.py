"""What a step left in its ledger entry comes back as it was, whichever release wrote it."""

from typing import Any
from uuid import UUID

import pytest

from pulsedocs.edge.tasks import to_json
from pulsedocs.embedding_models.backfill_model import BatchesToEmbed
from pulsedocs.ingestion.chunk_document import ChunkResult
from pulsedocs.ingestion.clean_document import CleanResult
from pulsedocs.ingestion.publish_document import PublishResult
from pulsedocs.ingestion.store_pages import StoreResult
from pulsedocs.ingestion.store_vectors import EmbedResult
from pulsedocs.model.embeddings import EmbeddingBatchReference
from pulsedocs.model.steps import StepResult
from pulsedocs.pipeline import Outcome

ID = "11111111-1111-4111-8111-111111111111"


@pytest.mark.parametrize(
    ("kind", "recorded"),
    [
        (StoreResult, {"outcome": None, "pages": 3, "extract_ms": 12}),
        (StoreResult, {"outcome": None, "pages": 3}),
        (StoreResult, {"outcome": "DUPLICATE", "duplicate_of": ID, "extract_ms": 12}),
        (StoreResult, {"outcome": "EMPTY", "pages": 3, "extract_ms": 12}),
        (CleanResult, {"outcome": "EMPTY"}),
        (CleanResult, {"outcome": None, "pages": 3, "model": "local:a@2"}),
        (
            CleanResult,
            {
                "outcome": None,
                "pages": 3,
                "model": "local:a@2",
                "measures": True,
                "sentences": [{"index": 0, "hash": "ab"}],
            },
        ),
        (
            ChunkResult,
            {"model": "a", "chunks": 4, "reused": 1, "batches": [{"index": 2, "hash": "cd"}]},
        ),
        (EmbedResult, {"embedded": 4, "refused": 0, "embed_ms": 7}),
        (EmbedResult, {"embedded": 4, "refused": 0}),
        (PublishResult, {"outcome": "PUBLISHED"}),
        (PublishResult, {"outcome": None}),
        (PublishResult, {"outcome": None, "added_later": {"of": 1}}),
    ],
)
def test_a_recorded_result_is_handed_on_unchanged(
    kind: type[StepResult], recorded: dict[str, Any]
) -> None:
    assert kind.model_validate(recorded).to_json() == recorded


def test_the_state_machine_finds_a_shadow_model_that_asks_for_nothing() -> None:
    """Its Map reads `shadow.batches`, and a path that is absent would end the execution."""
    chunked = ChunkResult(model="a", chunks=0, reused=0, batches=())

    said = to_json(chunked.model_copy(update={"shadow": BatchesToEmbed()}))

    assert said["shadow"] == {"model": "", "batches": []}
    assert "shadow" not in to_json(chunked)


def test_what_a_step_says_is_json_of_ids_and_counts() -> None:
    ended = StoreResult(outcome=Outcome.DUPLICATE, duplicate_of=UUID(ID), extract_ms=1)
    cut = ChunkResult(batches=(EmbeddingBatchReference(0, "ab"),))

    assert to_json(ended) == {"outcome": "DUPLICATE", "duplicate_of": ID, "extract_ms": 1}
    assert to_json(cut) == {"batches": [{"index": 0, "hash": "ab"}]}
