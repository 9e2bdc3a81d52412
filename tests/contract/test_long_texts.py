"""A text longer than a local model reads at once is read to its end."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from pulsedocs.adapters.local.cross_encoder import CrossEncoder
from pulsedocs.adapters.local.embedder import LocalEmbedder
from pulsedocs.adapters.local.late_interaction import LateInteraction
from pulsedocs.embedding import relevance_map
from pulsedocs.model.deadline import Deadline
from pulsedocs.ports.providers import Reranker

FILLING: Final = "The committee met on Tuesday and talked about the usual things. " * 70
FACT: Final = "The spare fuse of the crane is kept in drawer nine."
QUESTION: Final = "Where is the spare fuse of the crane?"


def ten_minutes() -> Deadline:
    return Deadline.after(600)


@pytest.mark.parametrize("make", [CrossEncoder, LateInteraction])
def test_a_fact_behind_what_a_reranker_reads_at_once_counts(
    make: Callable[[Path], Reranker], model_directory: Path
) -> None:
    """T-23: 900 tokens before it; without windows both texts have the same score."""
    reranker = make(model_directory)

    with_fact, without = reranker.rerank(
        QUESTION, [FILLING + FACT, FILLING], deadline=ten_minutes()
    )

    relevance_of = relevance_map(reranker.model)
    assert relevance_of(with_fact) >= 0.3 > relevance_of(without)


def test_a_long_question_leaves_room_for_the_passage(model_directory: Path) -> None:
    """T-23: of 4,000 tokens of a question the first 160 are compared."""
    reranker = CrossEncoder(model_directory)

    fitting, other = reranker.rerank(QUESTION * 400, [FACT, FILLING], deadline=ten_minutes())

    assert fitting > other


def test_a_fact_behind_what_the_embedder_reads_at_once_moves_its_vector(
    model_directory: Path,
) -> None:
    """T-23: by the mean of the windows; without windows the two vectors are one."""
    embedder = LocalEmbedder(model_directory)
    asked = embedder.embed_query(QUESTION, deadline=ten_minutes())

    embedded = embedder.embed_passages([FILLING + FACT, FILLING], deadline=ten_minutes())

    with_fact, without = (
        sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in embedded.vectors
    )
    assert with_fact > without + 0.02
    assert embedded.input_tokens > 1_600
