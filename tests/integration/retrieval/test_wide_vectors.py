"""Vectors as wide as the largest common model's: `vector` could not index them, `halfvec` does."""

import random

import pytest

from benchmarks.library import Library, Paper, Passage
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from tests.integration.retrieval.asking import query_of, texts
from tests.integration.retrieval.test_tenants import cosine, near

WIDTH = 3072
MODEL = f"memory:wide@{WIDTH}"


def test_3072_dimensions_are_stored_indexed_and_searched(
    library: Library, store: PostgresRetrievalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3-09: by scan and by index the same passages, in the order of their cosine."""
    rng = random.Random(9)
    shelf = library.shelf(MODEL)
    centres = [near([0.0] * WIDTH, rng, spread=1) for _ in range(4)]
    passages = [Passage(f"passage {n}", near(centres[n % 4], rng, spread=0.02)) for n in range(200)]
    library.add(shelf, Paper(passages))
    library.build_index(MODEL)
    question = near(centres[1], rng, spread=0.005)
    asked = query_of(shelf, vector=question, limit=10)

    scanned = store.search(asked)
    monkeypatch.setattr("pulsedocs.adapters.postgres.questions.retrieval._MOST_SCANNED_CHUNKS", 0)
    indexed = store.search(asked)

    by_force = sorted(passages, key=lambda passage: -cosine(passage.vector or (), question))
    assert (scanned.vector_path, indexed.vector_path) == ("exact", "hnsw")
    assert texts(scanned) == [passage.text for passage in by_force[:10]]
    assert set(texts(indexed)) == set(texts(scanned))
