"""A hybrid search through the store against each leg's bare SQL on the same tables.

10,000 chunks of one tenant in 100 documents: vectors around 500 centres, words by Zipf's law. The
bare statements run as the superuser, so without row security, without the published version,
without text: the least that each leg can cost.
"""

import json
import random
import statistics
import tempfile
import time
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import psycopg
from pgvector import HalfVector
from psycopg import Connection
from psycopg.conninfo import make_conninfo

from benchmarks.library import Library, Paper, Passage, Shelf
from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.migrations import migrate
from pulsedocs.adapters.postgres.retrieval import PostgresRetrievalStore
from pulsedocs.model.retrieval import CandidateQuery, Leg, Scope

CHUNKS: Final = 10_000
QUESTIONS: Final = 60
LIMIT: Final = 50
_DOCUMENTS: Final = 100
_WIDTH: Final = 384
_CENTRES: Final = 500
_VOCABULARY: Final = 60_000
_WORDS_A_CHUNK: Final = 120
_MODEL: Final = f"memory:hashing@{_WIDTH}"
_PASSWORD: Final = "bench"  # noqa: S105 -- the server listens on loopback and ends with the run

_WAYS: Final = ("store", "bare_vector", "bare_words")
_BARE_VECTOR: Final = """
SELECT chunk_id FROM chunk_embedding
WHERE tenant_id = %(tenant_id)s AND model_id = %(model_id)s
ORDER BY embedding::halfvec(384) <=> %(vector)s::halfvec(384)
LIMIT %(limit)s
"""
_BARE_WORDS: Final = """
WITH matched AS MATERIALIZED (
    SELECT term, document_id, ordinals, tfs, dls
    FROM posting
    WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s
        AND term = ANY(tsvector_to_array(to_tsvector('english', %(words)s)))
),
corpus AS MATERIALIZED (
    SELECT sum(n)::float8 AS n, sum(total_length)::float8 / sum(n) AS mean_length FROM doc_stats
    WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s
),
weighted AS MATERIALIZED (
    SELECT term, ln(1 + (max(n) - sum(cardinality(ordinals)) + 0.5)
                        / (sum(cardinality(ordinals)) + 0.5)) AS weight, max(mean_length) AS mean
    FROM matched, corpus GROUP BY term
)
SELECT document_id, ordinal,
       sum(weight * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * dl / mean))) AS score
FROM matched JOIN weighted USING (term)
CROSS JOIN unnest(ordinals, tfs, dls) AS entry (ordinal, tf, dl)
GROUP BY document_id, ordinal ORDER BY score DESC LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class Question:
    words: str
    vector: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Bench:
    store: PostgresRetrievalStore
    bare: Connection[Any]
    shelf: Shelf


class Words:
    """Draws words whose frequency falls with their rank; mid-frequency ones for questions."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._steps = list(accumulate(1 / rank for rank in range(1, _VOCABULARY + 1)))

    def text(self) -> str:
        draws = (self._rng.random() * self._steps[-1] for _ in range(_WORDS_A_CHUNK))
        return " ".join(f"w{bisect(self._steps, draw)}x" for draw in draws)

    def question(self, *, common: bool) -> str:
        ranks = [self._rng.randrange(200, 5000) for _ in range(4)]
        if common:
            ranks[0] = self._rng.randrange(50)
        return " ".join(f"w{rank}x" for rank in ranks)


def run(*, chunks: int = CHUNKS) -> dict[str, Any]:
    """Return milliseconds, and the store's over the sum of the legs'.

    The fastest of 60 is what a machine shared with others still measures well.
    """
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory())
        server = PostgresServer(Path(folder) / "server", version=16, disposable=True)
        opened.enter_context(server)
        rng = random.Random(11)
        bench = _prepared(server, rng, chunks=chunks, opened=opened)
        return {
            "chunks": chunks,
            "limit": LIMIT,
            "mid": _measured(bench, _questions(rng, common=False)),
            "common": _measured(bench, _questions(rng, common=True)),
        }


def _prepared(
    server: PostgresServer, rng: random.Random, *, chunks: int, opened: ExitStack
) -> Bench:
    url = server.create_database("bench")
    migrate(url)
    library = Library(url)
    opened.callback(library.close)
    library.connection.execute("ALTER ROLE pulsedocs_query PASSWORD 'bench'")
    shelf = library.shelf(_MODEL)
    _fill(library, shelf, rng, chunks=chunks)
    database = Database(make_conninfo(url, user="pulsedocs_query", password=_PASSWORD))
    opened.callback(database.close)
    bare = opened.enter_context(
        psycopg.connect(
            url,
            autocommit=True,
            prepare_threshold=None,
            options="-c search_path=pulsedocs,public -c work_mem=32MB -c hnsw.ef_search=100",
        )
    )
    return Bench(PostgresRetrievalStore(database), bare, shelf)


def _fill(library: Library, shelf: Shelf, rng: random.Random, *, chunks: int) -> None:
    words = Words(rng)
    centres = _centres()
    for _ in range(_DOCUMENTS):
        passages = [
            Passage(words.text(), _near(rng.choice(centres), rng))
            for _ in range(chunks // _DOCUMENTS)
        ]
        library.add(shelf, Paper(passages))
    library.build_index(shelf.model)


def _centres() -> list[tuple[float, ...]]:
    rng = random.Random(5)
    return [tuple(rng.gauss(0, 1) for _ in range(_WIDTH)) for _ in range(_CENTRES)]


def _near(centre: Sequence[float], rng: random.Random) -> tuple[float, ...]:
    moved = [value + rng.gauss(0, 0.5) for value in centre]
    length = sum(value * value for value in moved) ** 0.5
    return tuple(round(value / length, 5) for value in moved)


def _questions(rng: random.Random, *, common: bool) -> list[Question]:
    words, centres = Words(rng), _centres()
    return [
        Question(words.question(common=common), _near(rng.choice(centres), rng))
        for _ in range(QUESTIONS)
    ]


def _measured(bench: Bench, questions: Sequence[Question]) -> dict[str, Any]:
    ways = dict(zip(_WAYS, (_search, _bare_vector, _bare_words), strict=True))
    times: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        _elapsed(way, bench, questions[0], times=[])
    for question in questions:  # in turns, so that a noisy minute hits all of them
        for name, way in ways.items():
            _elapsed(way, bench, question, times=times[name])
    return {
        **{f"{name}_ms": _percentiles(taken) for name, taken in times.items()},
        "ratio_p50": _ratio(times, statistics.median),
        "ratio_fastest": _ratio(times, min),
    }


def _ratio(
    times: Mapping[str, Sequence[float]], typical: Callable[[Sequence[float]], float]
) -> float:
    store, vector, words = (typical(times[name]) for name in _WAYS)
    return round(store / (vector + words), 2)


def _elapsed(
    way: Callable[[Bench, Question], None],
    bench: Bench,
    question: Question,
    *,
    times: list[float],
) -> None:
    started = time.perf_counter()
    way(bench, question)
    times.append((time.perf_counter() - started) * 1000)


def _search(bench: Bench, question: Question) -> None:
    bench.store.search(
        CandidateQuery(
            scope=Scope(bench.shelf.tenant_id),
            model=_MODEL,
            dimensions=_WIDTH,
            vectors={Leg.VECTOR: question.vector},
            words=question.words,
            vector_candidates=LIMIT,
            keyword_candidates=LIMIT,
        )
    )


def _bare_vector(bench: Bench, question: Question) -> None:
    vector = HalfVector(list(question.vector)).to_text()
    _fetch(bench, _BARE_VECTOR, {"vector": vector, "model_id": bench.shelf.model_id})


def _bare_words(bench: Bench, question: Question) -> None:
    parameters = {"words": question.words, "collection_id": bench.shelf.collection_id}
    _fetch(bench, _BARE_WORDS, parameters)


def _fetch(bench: Bench, statement: str, parameters: dict[str, Any]) -> None:
    known = {"tenant_id": bench.shelf.tenant_id, "limit": LIMIT}
    bench.bare.execute(statement.encode(), {**known, **parameters}).fetchall()


def _percentiles(times: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=20)
    return {
        "fastest": round(min(times), 2),
        "p50": round(statistics.median(times), 2),
        "p95": round(cuts[-1], 2),
    }


if __name__ == "__main__":
    print(json.dumps(run(), indent=2))
