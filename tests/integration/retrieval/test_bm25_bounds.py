"""Passing over what cannot be among the best loses nothing: the k best are those of bm25s."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

import bm25s
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.model.retrieval import Candidate, Leg
from tests.integration.retrieval.asking import query_of, statements_of
from tests.plugins.examples import examples

MODEL: Final = "memory:small@3"
WORDS: Final = [f"w{number}x" for number in range(40)]
K1_PLUS_1: Final = 2.2  # bm25s leaves the constant factor out
LIMIT: Final = 5


def passage(rng: random.Random, *, steepness: float) -> str:
    """Draw words of which the first is in most passages, often several times; some repeat."""
    weights = [1 / (rank + 1) ** steepness for rank in range(len(WORDS))]
    return " ".join(rng.choices(WORDS, weights, k=rng.choice([3, 3, 10, 40])))


def scores(texts: Sequence[str], question: str) -> list[float]:
    retriever = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    retriever.index([text.split() for text in texts], show_progress=False)
    known = {word for text in texts for word in text.split()}
    tokens = [word for word in question.split() if word in known]
    found = retriever.get_scores(tokens) if tokens else [0.0] * len(texts)
    return [float(score) * K1_PLUS_1 for score in found]


def of_words(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: candidate.legs[Leg.KEYWORD].rank)


@settings(
    max_examples=examples(12),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    seed=st.integers(0, 2**32),
    steepness=st.sampled_from([0.5, 1.0, 2.0]),
    documents=st.lists(st.integers(1, 160), min_size=3, max_size=8),
    language=st.sampled_from(["english", "simple"]),
    is_merged=st.booleans(),
)
def test_the_best_of_any_corpus_are_those_of_bm25s(
    library: Library,
    store: PostgresRetrievalStore,
    seed: int,
    steepness: float,
    documents: list[int],
    language: str,
    *,
    is_merged: bool,
) -> None:
    """S3-17, S3-24: after adds and deletes, with ties, across blocks of 128 chunks, at any k."""
    rng = random.Random(seed)
    shelf = library.shelf(MODEL, language=language)
    papers = [
        # Each text its own: of equal ones a search keeps one.
        Paper([Passage(f"{passage(rng, steepness=steepness)} own{n}x{m}") for n in range(size)])
        for m, size in enumerate(documents)
    ]
    for paper in papers:
        library.add(shelf, paper)
    if is_merged:
        library.merge(shelf)
        library.hide(shelf, papers[0].document_id)  # its words are in the segment still
    else:
        library.delete(shelf, papers[0].document_id)
    kept = [(p.document_id, n, item.text) for p in papers[1:] for n, item in enumerate(p.passages)]

    for question in ("w0x", "w0x w39x", "w0x w1x", "w1x w20x w30x w0x", " ".join(WORDS[:6])):
        expected = scores([text for _, _, text in kept], question)
        found = of_words(store.search(query_of(shelf, question, limit=LIMIT)).candidates)
        best = sorted((score for score in expected if score > 0), reverse=True)[:LIMIT]
        by_chunk = {(d, n): score for (d, n, _), score in zip(kept, expected, strict=True)}

        assert [c.legs[Leg.KEYWORD].score for c in found] == pytest.approx(best, rel=1e-5)
        for candidate in found:
            score = by_chunk[candidate.document_id, candidate.chunk_index]
            assert candidate.legs[Leg.KEYWORD].score == pytest.approx(score, rel=1e-5)
        order = [(-c.legs[Leg.KEYWORD].score, c.document_id, c.chunk_index) for c in found]
        assert order == sorted(order)


@pytest.mark.parametrize("is_merged", [False, True], ids=["apart", "merged"])
@pytest.mark.parametrize("question", ["common seldom", "common seldom rare"])
def test_a_common_word_is_not_read_to_its_end(
    library: Library, store: PostgresRetrievalStore, question: str, *, is_merged: bool
) -> None:
    """S3-24: the bounded path answers as the full one does, the better of equals included."""
    shelf = skewed(library)
    if is_merged:
        assert library.merge(shelf) == 1

    for limit, filters in ((5, None), (1, {"part": 1})):
        asked = query_of(shelf, question, limit=180, filters=filters)
        whole = of_words(store.search(asked).candidates)
        asked = query_of(shelf, question, limit=limit, filters=filters)
        best = of_words(store.search(asked).candidates)

        assert is_bounded(library, shelf, question)
        assert [c.chunk_id for c in best] == [c.chunk_id for c in whole[:limit]]
        assert [c.legs for c in best] == [c.legs for c in whole[:limit]]


def skewed(library: Library) -> Shelf:
    rng = random.Random(9)
    shelf = library.shelf(MODEL)
    for part in range(4):
        texts = ["common " * rng.choice([1, 1, 1, 2, 6]) + f"own{n} part{part}" for n in range(150)]
        texts[3] += " seldom"
        texts[77] += " seldom"
        texts[140] += " rare" if part == 1 else ""
        library.add(shelf, Paper([Passage(text) for text in texts], metadata={"part": part}))
    return shelf


def is_bounded(library: Library, shelf: Shelf, question: str) -> bool:
    """Say whether one term of the question has two thirds of its entries, and 500 or more."""
    rows = library.connection.execute(
        "SELECT sum(uses) FROM ("
        " SELECT tenant_id, shelf, term, 1 + coalesce(cardinality(others), 0) AS uses FROM posting"
        " UNION ALL"
        " SELECT tenant_id, shelf, term, 1 + coalesce(cardinality(others), 0) FROM shared_posting"
        " ) AS held JOIN collection USING (tenant_id, shelf)"
        " WHERE collection_id = %s AND term = ANY(%s) GROUP BY term",
        (shelf.collection_id, question.split()),
    ).fetchall()
    entries = [row[0] for row in rows]
    return sum(entries) > 500 and 3 * max(entries) > 2 * sum(entries)


@given(
    seed=st.integers(0, 2**32),
    seldom=st.integers(1, 40),
    limit=st.sampled_from([1, 3]),
)
@settings(
    max_examples=examples(15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_words_read_late_change_no_rank(
    library: Library, store: PostgresRetrievalStore, seed: int, seldom: int, limit: int
) -> None:
    """S3-24: whether the other words reach further than the commonest alone, or do not."""
    rng = random.Random(seed)
    shelf = library.shelf(MODEL)
    texts = [  # each its own: of equal ones a search keeps one
        "w0x " * rng.choice([1, 1, 1, 2, 9]) + "f " * rng.choice([1, 1, 9]) + f"own{n}"
        for n in range(320)
    ]
    for number in rng.sample(range(320), seldom):
        texts[number] += " w1x" * rng.choice([1, 2])
    for number in rng.sample(range(320), rng.randrange(5)):
        texts[number] += " w2x"
    library.add(shelf, Paper([Passage(text) for text in texts]))

    for question in ("w0x w1x", "w0x w1x w2x"):
        expected = sorted(scores([text.lower() for text in texts], question), reverse=True)
        found = of_words(store.search(query_of(shelf, question, limit=limit)).candidates)

        assert [c.legs[Leg.KEYWORD].score for c in found] == pytest.approx(
            [score for score in expected[:limit] if score > 0], rel=1e-5
        )


def test_a_chunk_with_the_late_word_alone_can_be_among_the_best(
    library: Library, store: PostgresRetrievalStore
) -> None:
    """S3-24: the second chunk with the seldom word is so long that the common one gives more."""
    shelf = library.shelf(MODEL)
    often = [f"{'common ' * 9}own{n}" for n in range(300)]
    texts = [*often, *(f"filler own{n}" for n in range(200)), "seldom", "seldom " + "filler " * 400]
    library.add(shelf, Paper([Passage(text) for text in texts]))

    found = of_words(store.search(query_of(shelf, "common seldom", limit=2)).candidates)

    assert [c.text[:6] for c in found] == ["seldom", "common"]


def test_a_common_word_can_lift_a_chunk_that_has_it_often(
    library: Library, store: PostgresRetrievalStore
) -> None:
    """Short, `seldom` alone comes first without the late word; nine of it lift a longer chunk."""
    shelf = library.shelf(MODEL)
    texts = [
        *(f"common own{n} {'filler ' * 29}" for n in range(300)),
        *(f"own{n} {'filler ' * 30}" for n in range(300, 900)),
        "seldom",
        f"seldom {'common ' * 9}filler filler filler",
    ]
    library.add(shelf, Paper([Passage(text) for text in texts]))

    found = of_words(store.search(query_of(shelf, "common seldom", limit=1)).candidates)

    expected = scores(texts, "common seldom")
    assert expected.index(max(expected)) == 901
    assert [c.text for c in found] == [texts[901]]


def test_a_middling_word_does_not_have_a_common_one_read_to_its_end(library: Library) -> None:
    """Late with the common one, it would give more than five chunks reach by the rare words."""
    shelf = library.shelf(MODEL)
    rare = [f"rare{number}" for number in range(4)]
    texts = [f"common own{n} filler filler" + " middling" * (n % 30 == 0) for n in range(600)]
    texts += [f"{rare[n % 4]} own{n} filler filler" for n in range(600, 612)]
    library.add(shelf, Paper([Passage(text) for text in texts]))

    [plan] = explained(library, shelf, f"common middling {' '.join(rare)}", limit=5)

    assert rows_of(plan, "CTE early") > 0
    assert rows_of(plan, "CTE read_through") == 0


def explained(library: Library, shelf: Shelf, question: str, *, limit: int) -> list[Any]:
    """Run the statement of the keyword leg and return its plan, with the rows of each node."""
    asked = query_of(shelf, question, limit=limit)
    number = library.connection.execute(
        "SELECT shelf FROM collection WHERE collection_id = %s", (shelf.collection_id,)
    ).fetchone()
    assert number is not None
    [leg] = statements_of(shelf, asked, dimensions=3, number=number[0]).by_words()
    explain = sql.SQL("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ") + leg.statement
    row = library.connection.execute(explain, leg.parameters).fetchone()
    library.connection.rollback()
    return [] if row is None else [entry["Plan"] for entry in row[0]]


def rows_of(plan: Mapping[str, Any], name: str) -> int:
    """Return the rows of the node of that name, in a plan that has one."""
    nodes = [plan]
    while nodes:
        node = nodes.pop()
        if node.get("Subplan Name") == name:
            return int(node["Actual Rows"])
        nodes += node.get("Plans", [])
    raise KeyError(name)
