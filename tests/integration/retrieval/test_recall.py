"""Filtered vector search returns what brute force returns, by the path that the trace names."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import numpy as np
import pytest

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.model.retrieval import Candidates, Leg
from tests.integration.retrieval.asking import query_of, texts

WIDTH: Final = 16
MODEL: Final = f"memory:recall@{WIDTH}"
LIMIT: Final = 10
QUESTIONS: Final = 12
CLUSTERS: Final = 40
ROUNDING: Final = 5e-4
EXACT: Final = frozenset({"exact", "escalated"})


class World:
    """A tenant with nearly all rows, in clusters, and one with 0.1 % of them among its clusters."""

    def __init__(self, library: Library) -> None:
        self.rng = np.random.default_rng(7)
        self.centres = self.rng.normal(size=(CLUSTERS, WIDTH))
        self.crowd = library.shelf(MODEL)
        self.few = library.shelf(MODEL)
        self.papers = [self._paper(n, size=200) for n in range(40)]
        for paper in self.papers:
            library.add(self.crowd, paper)
        self.small = Paper([Passage(f"few {n}", self.near()) for n in range(8)])
        library.add(self.few, self.small)
        library.build_index(MODEL)

    def near(self) -> tuple[float, ...]:
        moved = self.centres[self.rng.integers(CLUSTERS)] + self.rng.normal(scale=0.3, size=WIDTH)
        return tuple(float(value) for value in moved / np.linalg.norm(moved))

    def _paper(self, number: int, *, size: int) -> Paper:
        """One paper in 40 has the rare kind for a fifth of its size: 0.5 % of the chunks."""
        size = size // 5 if number == 0 else size
        facts = {"kind": "rare" if number == 0 else "common"}
        passages = [Passage(f"{number}/{n}", self.near()) for n in range(size)]
        return Paper(passages, document_id=UUID(int=number + 1), metadata=facts)


@pytest.fixture
def world(library: Library) -> World:
    return World(library)


def recall(found: Candidates, papers: Sequence[Paper], asked: Sequence[float]) -> float:
    """Return which part of the nearest came; equals up to what `halfvec` rounds are as good."""
    passages = [passage for paper in papers for passage in paper.passages]
    stored = np.array([passage.vector for passage in passages])
    cosines = dict(zip((p.text for p in passages), stored @ np.array(asked), strict=True))
    best = sorted(cosines.values(), reverse=True)[:LIMIT]
    good = [text for text in texts(found, Leg.VECTOR) if cosines[text] >= best[-1] - ROUNDING]
    return len(set(good)) / len(best)


SCOPES: Final[Mapping[str, dict[str, Any]]] = {
    "everything": {},
    "half a per cent": {"filters": {"kind": "rare"}},
    "one document": {"document_ids": (UUID(int=6),)},
    "all but half a per cent": {"filters": {"kind": {"$ne": "rare"}}},
}


def in_scope(papers: Sequence[Paper], name: str) -> list[Paper]:
    """Give the papers of a scope: the first alone is rare, the sixth is the document asked for."""
    chosen = {"everything": slice(None), "half a per cent": slice(1), "one document": slice(5, 6)}
    return list(papers[chosen.get(name, slice(1, None))])


def measured(
    store: PostgresRetrievalStore, world: World, shelf: Shelf, papers: Sequence[Paper], **scope: Any
) -> tuple[set[str | None], float]:
    """Return the paths taken and the mean recall of some questions."""
    recalls: list[float] = []
    paths: set[str | None] = set()
    for _ in range(QUESTIONS):
        asked = world.near()
        found = store.search(query_of(shelf, vector=asked, limit=LIMIT, **scope))
        paths.add(found.vector_path)
        recalls.append(recall(found, papers, asked))
    return paths, float(np.mean(recalls))


@pytest.mark.parametrize("most_scanned", [2000, 0], ids=["as configured", "always by index"])
def test_filtered_vector_search_returns_what_brute_force_returns(
    store: PostgresRetrievalStore,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    most_scanned: int,
) -> None:
    """S3-16: a tenant of 0.1 %, a filter of 0.5 %, a document; exact paths lose nothing."""
    monkeypatch.setattr(
        "pulsedocs.adapters.postgres.questions.retrieval._MOST_SCANNED_CHUNKS", most_scanned
    )
    answers = {
        name: measured(store, world, world.crowd, in_scope(world.papers, name), **scope)
        for name, scope in SCOPES.items()
    }
    answers["a tenant of 0.1 %"] = measured(store, world, world.few, [world.small])

    for name, (paths, found) in answers.items():
        assert found == 1.0 if paths <= EXACT else found >= 0.99, (name, paths, found)
    if most_scanned:
        narrow = ("half a per cent", "one document", "a tenant of 0.1 %")
        assert {path for name in narrow for path in answers[name][0]} == {"exact"}
        assert answers["everything"][0] == {"hnsw"}


def test_what_hnsw_gives_up_on_is_named_escalated_and_complete(
    library: Library,
    store: PostgresRetrievalStore,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S3-16: an index scan that ends early is followed by an exact one, and the trace says so."""
    monkeypatch.setattr("pulsedocs.adapters.postgres.questions.retrieval._MOST_SCANNED_CHUNKS", 0)
    name = library.connection.info.dbname
    for setting in ("hnsw.max_scan_tuples = 50", "enable_sort = off"):
        library.connection.execute(f"ALTER DATABASE {name} SET {setting}".encode())
    library.connection.commit()

    rare = in_scope(world.papers, "half a per cent")
    paths, found = measured(store, world, world.crowd, rare, filters={"kind": "rare"})

    assert paths <= EXACT
    assert "escalated" in paths
    assert found == 1.0


def test_collections_of_two_languages_are_fused_by_rank(
    library: Library, store: PostgresRetrievalStore
) -> None:
    """S0-37, S2-09: across collections, documents and languages, filters holding in each."""
    english = library.shelf(MODEL, collection="en")
    german = library.shelf(MODEL, tenant_id=english.tenant_id, collection="de", language="german")
    rng = random.Random(1)
    for shelf, words in ((english, "running pumps"), (german, "laufende Pumpen")):
        for year in (2023, 2024):
            passages = [Passage(f"{words} {year} {n} " + "x " * rng.randrange(9)) for n in range(3)]
            library.add(shelf, Paper(passages, metadata={"year": year}))

    found = store.search(
        query_of(
            english,
            "pumps running Pumpen",
            collections=("en", "de"),
            filters={"year": 2024},
            limit=20,
        )
    )

    hits = sorted(found.candidates, key=lambda candidate: candidate.legs[Leg.KEYWORD].rank)
    scores = [candidate.legs[Leg.KEYWORD].score for candidate in hits]
    assert [candidate.legs[Leg.KEYWORD].rank for candidate in hits] == [1, 2, 3, 4, 5, 6]
    assert scores == pytest.approx([1 / 61, 1 / 61, 1 / 62, 1 / 62, 1 / 63, 1 / 63])
    assert sum("Pumpen" in candidate.text for candidate in hits) == 3
    assert len({candidate.document_id for candidate in hits}) == 2
    assert {candidate.metadata["year"] for candidate in hits} == {2024}
