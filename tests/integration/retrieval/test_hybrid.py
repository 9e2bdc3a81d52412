"""A question finds what shares its words and what shares its meaning, in one answer."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch
from pulsedocs.model.retrieval import Scope
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question
from pulsedocs.questions.refusal_texts import RefusalTexts
from pulsedocs.questions.search_passages import SearchResult, search_passages
from pulsedocs.retrieval.profiles import Overrides

MODEL = "memory:small@3"
EAST, NORTH, UP = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
QUESTION = "When is QX7731 to be settled?"
LABEL = "The label shows QX7731 in print."  # the question's rare word, and no other meaning of it
DUE = "Payment falls due on the third day."  # none of its words, all of its meaning
CROWD = 60  # more than a leg brings: what only one leg finds is found by that leg alone


@dataclass(frozen=True, slots=True)
class Eastward:
    """An embedder to which every question means what `DUE` says."""

    model: str = MODEL
    dimensions: int = 3

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        del text, deadline
        return EAST

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        del deadline
        return EmbeddedBatch(tuple(EAST for _ in texts), input_tokens=0)


@pytest.fixture
def shelf(library: Library) -> Shelf:
    """Write both answers among passages that are nearer in meaning, or share common words."""
    found = library.shelf(MODEL)
    library.add(found, Paper([Passage(LABEL, UP)], source="label.txt"))
    library.add(found, Paper([Passage(DUE, EAST)], source="due.txt"))
    near = [Passage(f"Nothing here answers, number {n}.", (0.9, 0.1, 0.0)) for n in range(CROWD)]
    library.add(found, Paper(near, source="crowd.txt"))
    return found


def engine_over(store: PostgresRetrievalStore) -> QueryEngine:
    return QueryEngine(
        store=store,
        objects=InMemoryObjectStore(),
        providers=Providers(lambda _model: Eastward(), lambda: None, lambda: None),
        texts=RefusalTexts("", "", "", ""),
        tenant_key=bytes(32),
        deadline=Deadline.after(30),
    )


def ask(store: PostgresRetrievalStore, shelf: Shelf, **overrides: bool) -> SearchResult:
    changed = Overrides(top_k=5, score_threshold=0.0, **overrides)
    return search_passages(
        Question(QUESTION, Scope(shelf.tenant_id), profile="default", overrides=changed),
        engine=engine_over(store),
    )


def legs(found: SearchResult) -> dict[str, set[str]]:
    """Return by which legs each selected source was found."""
    by_id = {row["chunk_id"]: set(row["legs"]) for row in found.candidates}
    return {chunk.source: by_id[str(chunk.chunk_id)] for chunk in found.chunks}


def test_each_leg_brings_what_the_other_cannot(store: PostgresRetrievalStore, shelf: Shelf) -> None:
    """S0-36: from the question to the selected passages, over PostgreSQL."""
    found = legs(ask(store, shelf))

    assert found["due.txt"] == {"vector"}
    assert found["label.txt"] == {"keyword"}


def test_without_the_words_their_passage_is_lost(
    store: PostgresRetrievalStore, shelf: Shelf
) -> None:
    """S0-36: so it was the words that brought it."""
    found = legs(ask(store, shelf, enable_keyword_search=False))

    assert "due.txt" in found
    assert "label.txt" not in found
