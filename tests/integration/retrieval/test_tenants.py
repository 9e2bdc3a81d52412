"""What one tenant finds does not depend on what another tenant has."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from psycopg import sql

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.model.retrieval import Candidates
from tests.integration.retrieval.asking import query_of, search_vector, statements_of

WIDTH = 16
MODEL = f"memory:crowd@{WIDTH}"


def near(centre: Sequence[float], rng: random.Random, *, spread: float) -> tuple[float, ...]:
    moved = [value + rng.gauss(0, spread) for value in centre]
    length = sum(value * value for value in moved) ** 0.5
    return tuple(value / length for value in moved)


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def crowd(library: Library, shelf: Shelf, rng: random.Random, *, size: int) -> None:
    """Fill a tenant with chunks that all lie close to the axis that the tests ask for."""
    axis = [1.0] + [0.0] * (WIDTH - 1)
    for _ in range(size // 500):
        passages = [Passage("crowd word", near(axis, rng, spread=0.05)) for _ in range(500)]
        library.add(shelf, Paper(passages))


def without_timings(found: Candidates) -> Candidates:
    return replace(found, timings_ms={})


def test_ten_thousand_chunks_of_another_tenant_change_nothing(
    library: Library, store: PostgresRetrievalStore
) -> None:
    """I10: candidates, scores, counts and snapshot stay equal to the last bit."""
    rng = random.Random(1)
    mine = library.shelf(MODEL)
    passages = [Passage(f"word {n}", near([1.0] * WIDTH, rng, spread=1)) for n in range(60)]
    library.add(mine, Paper(passages))
    asked = query_of(mine, "crowd word 7", vector=near([1.0] * WIDTH, rng, spread=0.1), limit=20)
    alone = store.search(asked)

    theirs = library.shelf(MODEL)
    crowd(library, theirs, rng, size=10_000)
    library.build_index(theirs.model)

    assert without_timings(store.search(asked)) == without_timings(alone)
    assert len(alone.candidates) >= 20


def test_a_filtered_search_equals_brute_force_in_a_crowd(
    library: Library, store: PostgresRetrievalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tenant with 0.1 % of the rows, far from the question that the crowd surrounds."""
    rng = random.Random(2)
    mine, theirs = library.shelf(MODEL), library.shelf(MODEL)
    passages = [Passage(f"mine {n}", near([0.0] * 8 + [1.0] * 8, rng, spread=1)) for n in range(20)]
    library.add(mine, Paper(passages))
    crowd(library, theirs, rng, size=20_000)
    library.build_index(mine.model)
    asked = near([1.0] + [0.0] * (WIDTH - 1), rng, spread=0.01)

    by_scan = search_vector(store, mine, asked, limit=10)
    monkeypatch.setattr("pulsedocs.adapters.postgres.questions.retrieval._MOST_SCANNED_CHUNKS", 0)
    by_index = search_vector(store, mine, asked, limit=10)

    by_force = sorted(passages, key=lambda passage: -cosine(passage.vector or (), asked))
    assert by_scan == by_index == [passage.text for passage in by_force[:10]]


def test_hnsw_that_falls_short_is_followed_by_an_exact_scan(
    library: Library, store: PostgresRetrievalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A filter that the index scan gives up on still returns all that it wants."""
    monkeypatch.setattr("pulsedocs.adapters.postgres.questions.retrieval._MOST_SCANNED_CHUNKS", 10)
    rng = random.Random(4)
    shelf = library.shelf(MODEL)
    far = [Passage(f"far {n}", near([0.0] * 8 + [1.0] * 8, rng, spread=0.1)) for n in range(20)]
    library.add(shelf, Paper(far, metadata={"kind": "far"}))
    crowd(library, shelf, rng, size=5000)
    library.build_index(shelf.model)
    for setting in ("hnsw.max_scan_tuples = 100", "enable_sort = off"):  # HNSW, and little of it
        name = library.connection.info.dbname
        library.connection.execute(f"ALTER DATABASE {name} SET {setting}".encode())
    library.connection.commit()
    axis = near([1.0] + [0.0] * (WIDTH - 1), rng, spread=0.01)

    found = store.search(query_of(shelf, vector=axis, limit=20, filters={"kind": "far"}))

    assert (found.vector_path, len(found.candidates)) == ("escalated", 20)


def test_the_index_form_uses_hnsw_of_one_partition_and_the_exact_form_does_not(
    library: Library,
) -> None:
    """The partition is chosen when the plan is made: the other model's is not in it."""
    rng = random.Random(5)
    shelf = library.shelf(MODEL)
    library.register("memory:second@3", shelf.tenant_id)
    crowd(library, shelf, rng, size=5000)
    library.build_index(shelf.model)
    index, scan = (plan(library, shelf, exact=exact) for exact in (False, True))

    assert f"chunk_embedding_{shelf.model_id}_hnsw" in index
    assert "_hnsw" not in scan
    for text in (index, scan):
        assert f"chunk_embedding_{shelf.model_id + 1}" not in text
        assert "Subplans Removed" not in text


def plan(library: Library, shelf: Shelf, *, exact: bool) -> str:
    """Explain the statement of the vector leg as `pulsedocs_query` would have it planned."""
    asked = query_of(shelf, vector=(1.0,) + (0.0,) * (WIDTH - 1))
    [leg] = statements_of(shelf, asked, dimensions=WIDTH).by_vector(exact=exact)
    connection = library.connection
    connection.execute("SET LOCAL ROLE pulsedocs_query")
    connection.execute("SELECT set_config('app.tenant_id', %s, true)", (str(shelf.tenant_id),))
    vector = leg.parameters["vector"].to_text()
    parameters = {**leg.parameters, "vector": vector, "question": vector}
    rows = connection.execute(sql.SQL("EXPLAIN ") + leg.statement, parameters).fetchall()
    connection.rollback()
    return "\n".join(row[0] for row in rows)
