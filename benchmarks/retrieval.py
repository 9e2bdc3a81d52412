"""A hybrid search through the store against each leg's bare SQL, and against two libraries.

All of them search the same chunks on the same server, in turns. The bare statements run as the
superuser, so without row security, without the published version, without text: the least that
each leg can cost. LangChain's and LlamaIndex's PGVectorStore run in an interpreter of their own
(`make bench-competitors`) and are left out where there is none.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg
from pgvector import HalfVector
from psycopg import Connection
from psycopg.conninfo import make_conninfo

from benchmarks.competition import NAMES, Competition
from benchmarks.corpus import PARTS, WIDTH, Corpus, Kind, Question
from benchmarks.library import Library, Paper, Passage
from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.adapters.postgres.upkeep.migrations import migrate
from pulsedocs.model.retrieval import Scope

SIZES: Final = (1_000, 10_000, 100_000)
THREADS: Final = 8
LIMIT: Final = 50
_QUESTIONS: Final = 24
_WARM_UP: Final = 3
_MODEL: Final = f"memory:hashing@{WIDTH}"
_PASSWORD: Final = "bench"  # noqa: S105 -- the server listens on loopback and ends with the run
_COMPETITORS: Final = Path(__file__).parents[1] / ".venv-competitors" / "bin" / "python"

_BARE_VECTOR: Final = """
SELECT chunk_id FROM chunk_embedding
WHERE tenant_id = %(tenant_id)s AND model_id = %(model_id)s
    AND (%(documents)s::uuid[] IS NULL OR document_id = ANY(%(documents)s))
ORDER BY embedding::halfvec(384) <=> %(vector)s::halfvec(384)
LIMIT %(limit)s
"""
_BARE_WORDS: Final = """
WITH matched AS MATERIALIZED (
    SELECT posting.term, block.document_id, block.first_index + (use.entry & 127) AS ordinal,
           (use.entry >> 7) + 1 AS tf, block.lengths[(use.entry & 127) + 1] AS dl
    FROM posting
    JOIN posting_block AS block USING (tenant_id, block)
    CROSS JOIN LATERAL unnest(array_prepend(posting.entry, posting.others)) AS use (entry)
    WHERE posting.tenant_id = %(tenant_id)s AND posting.shelf = %(shelf)s AND block.is_published
        AND posting.term = ANY(tsvector_to_array(to_tsvector('english', %(words)s)))
),
corpus AS MATERIALIZED (
    SELECT sum(chunks)::float8 AS n, sum(total_length)::float8 / sum(chunks) AS mean_length
    FROM shelf_size
    WHERE tenant_id = %(tenant_id)s AND shelf = %(shelf)s
),
weighted AS MATERIALIZED (
    SELECT term, ln(1 + (max(n) - count(*) + 0.5) / (count(*) + 0.5)) AS weight,
           max(mean_length) AS mean
    FROM matched, corpus GROUP BY term
)
SELECT document_id, ordinal,
       sum(weight * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * dl / mean))) AS score
FROM matched JOIN weighted USING (term)
WHERE %(documents)s::uuid[] IS NULL OR document_id = ANY(%(documents)s)
GROUP BY document_id, ordinal ORDER BY score DESC LIMIT %(limit)s
"""

Timed = tuple[float, int]
Ask = Callable[[Question], int]
"""Asks one question and returns the number of rows."""


def run(python: Path = _COMPETITORS, *, sizes: Sequence[int] = SIZES) -> dict[str, Any]:
    """Return milliseconds and ratios by size, kind of question, filter and concurrency.

    `python` is the interpreter that has the libraries compared with.
    """
    if not python.exists():
        print(f"no {python}: LangChain and LlamaIndex are left out", flush=True)
    results: dict[str, Any] = {}
    for size in sizes:
        with ExitStack() as opened:
            folder = opened.enter_context(tempfile.TemporaryDirectory())
            server = PostgresServer(Path(folder) / "server", version=16, disposable=True)
            opened.enter_context(server)
            bench = Bench(server, opened, size=size, python=python)
            results[str(size)] = {"competitors": bench.competitors, **bench.measured()}
    return {"limit": LIMIT, "questions": _QUESTIONS, "threads": THREADS, "chunks": results}


class Bench:
    """One filled database, and each way to ask it."""

    def __init__(
        self, server: PostgresServer, opened: ExitStack, *, size: int, python: Path
    ) -> None:
        self._url = server.create_database("bench")
        self._corpus = Corpus()
        migrate(self._url)
        library = Library(self._url)
        library.connection.execute("ALTER ROLE pulsedocs_query PASSWORD 'bench'")
        shelf = library.shelf(_MODEL)
        parts: dict[int, list[Any]] = {part: [] for part in range(PARTS)}
        for draft in self._corpus.documents(size):
            paper = Paper(
                [Passage(*chunk) for chunk in draft.chunks], metadata={"part": draft.part}
            )
            library.add(shelf, paper)
            parts[draft.part].append(paper.document_id)
        library.build_index(shelf.model)
        library.close()
        self._shelf, self._parts = shelf, parts
        address = make_conninfo(self._url, user="pulsedocs_query", password=_PASSWORD)
        databases = [Database(address) for _ in range(THREADS)]
        for database in databases:
            opened.callback(database.close)
        self._stores = [PostgresRetrievalStore(database) for database in databases]
        self._bare: Connection[Any] = opened.enter_context(
            psycopg.connect(
                self._url,
                autocommit=True,
                prepare_threshold=None,
                options="-c search_path=pulsedocs,public -c work_mem=32MB -c hnsw.ef_search=100"
                " -c hnsw.iterative_scan=relaxed_order",
            )
        )
        self._competition = (
            opened.enter_context(Competition(python, self._url, limit=LIMIT))
            if python.exists()
            else None
        )
        row = self._bare.execute("SELECT shelf FROM collection").fetchone()
        self._number = row[0] if row else None
        self.competitors = self._competition.settings if self._competition else None

    def measured(self) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for kind in Kind:
            for filtered in (False, True):
                questions = self._corpus.questions(_QUESTIONS + _WARM_UP, kind)
                name = f"{kind}_filtered" if filtered else str(kind)
                result[name] = {
                    "1": self._in_turns(questions, filtered=filtered),
                    str(THREADS): _summary(
                        {
                            way: ask(questions, THREADS)
                            for way, ask in self._ways(filtered=filtered).items()
                            if "bare" not in way
                        }
                    ),
                }
                print(f"  {name}: {result[name]['1']['ratios_p50']}", flush=True)
        return result

    def _in_turns(self, questions: Sequence[Question], *, filtered: bool) -> dict[str, Any]:
        """Ask each way each question, one after another: a noisy minute hits all of them."""
        ways = self._ways(filtered=filtered)
        timed: dict[str, list[Timed]] = {name: [] for name in ways}
        for question in questions:
            for name, way in ways.items():
                timed[name] += way([question], 1)
        return _summary({name: taken[_WARM_UP:] for name, taken in timed.items()})

    def _ways(
        self, *, filtered: bool
    ) -> dict[str, Callable[[Sequence[Question], int], list[Timed]]]:
        asks: dict[str, Ask] = {
            "store": partial(self._search, filtered=filtered),
            "bare_vector": partial(self._fetched, _BARE_VECTOR, filtered=filtered),
            "bare_words": partial(self._fetched, _BARE_WORDS, filtered=filtered),
        }
        ways = {name: partial(_timed, ask) for name, ask in asks.items()}
        if self._competition is not None:
            for name in NAMES:
                ways[name] = partial(self._competition.ask, name, filtered=filtered)
        return ways

    def _search(self, question: Question, *, filtered: bool) -> int:
        store = self._stores.pop()  # a thread's own: one connection serves one at a time
        try:
            filters = {"part": question.part} if filtered else None
            found = store.search(
                question.of(
                    Scope(self._shelf.tenant_id, filters=filters), model=_MODEL, limit=LIMIT
                )
            )
        finally:
            self._stores.append(store)
        return len(found.candidates)

    def _fetched(self, statement: str, question: Question, *, filtered: bool) -> int:
        parameters = {
            "tenant_id": self._shelf.tenant_id,
            "shelf": self._number,
            "model_id": self._shelf.model_id,
            "documents": self._parts[question.part] if filtered else None,
            "vector": HalfVector(list(question.vector)).to_text(),
            "words": question.words,
            "limit": LIMIT,
        }
        return len(self._bare.execute(statement.encode(), parameters).fetchall())


def _timed(ask: Ask, questions: Sequence[Question], threads: int) -> list[Timed]:
    def one(question: Question) -> Timed:
        started = time.perf_counter()
        rows = ask(question)
        return (time.perf_counter() - started) * 1000, rows

    if threads == 1:
        return [one(question) for question in questions]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(one, questions))


def _summary(timed: Mapping[str, Sequence[Timed]]) -> dict[str, Any]:
    """Return percentiles of each way, and the store's median over the others'."""
    p50 = {name: statistics.median(ms for ms, _ in taken) for name, taken in timed.items()}
    ratios: dict[str, float] = {}
    if "bare_vector" in p50:
        ratios["store_to_bare_legs"] = p50["store"] / (p50["bare_vector"] + p50["bare_words"])
    for name in NAMES:
        if name in p50:
            ratios[f"store_to_{name}"] = p50["store"] / p50[name]
    percentiles: dict[str, Any] = {}
    for name, taken in timed.items():
        times = [ms for ms, _ in taken]
        percentiles[name] = {
            "fastest": round(min(times), 2),
            "p50": round(p50[name], 2),
            "p95": round(statistics.quantiles(times, n=20)[-1], 2),
            "rows": round(statistics.mean(rows for _, rows in taken), 1),
        }
    return {
        **percentiles,
        "ratios_p50": {name: round(ratio, 3) for name, ratio in ratios.items()},
    }
