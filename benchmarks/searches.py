"""A database of its own to fill and to search, and what searches cost its server.

CPU time of the server's process and the blocks it touched: neither knows how busy the machine is.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final
from uuid import uuid4

from psycopg.conninfo import make_conninfo

from benchmarks.corpus import WIDTH, Question
from benchmarks.library import Library
from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.adapters.postgres.upkeep.migrations import migrate
from pulsedocs.model.retrieval import CandidateQuery

LIMIT: Final = 50
MODEL: Final = f"memory:hashing@{WIDTH}"
FLUSH_SECONDS: Final = 1.2  # a session says what it touched at most once a second
BLOCKS: Final = (
    "SELECT sum(hits) + sum(reads) FROM pg_stat_io"
    " WHERE object = 'relation' AND backend_type = 'client backend'"
)
BYTES_OF_POSTINGS: Final = """
SELECT sum(pg_total_relation_size(oid))::float8 FROM pg_class
WHERE relnamespace = 'pulsedocs'::regnamespace AND relkind = 'r' AND relname ~ 'posting'
"""
_SEARCHER: Final = "SELECT pid FROM pg_stat_activity WHERE usename = 'pulsedocs_query'"
_PASSWORD: Final = "bench"  # noqa: S105 -- the server listens on loopback and ends with the run
_WARM_UP: Final = 3  # questions


class SearchedServer:
    """A PostgreSQL that ends with `opened`, a library to fill it with, a store to search it by."""

    def __init__(self, opened: ExitStack) -> None:
        folder = opened.enter_context(tempfile.TemporaryDirectory())
        server = PostgresServer(Path(folder) / "server", version=16, disposable=True)
        opened.enter_context(server)
        url = server.create_database("bench")
        migrate(url)
        self.library = Library(url)
        opened.callback(self.library.close)
        self.library.connection.execute("ALTER ROLE pulsedocs_query PASSWORD 'bench'")
        self.library.connection.commit()
        database = Database(make_conninfo(url, user="pulsedocs_query", password=_PASSWORD))
        opened.callback(database.close)
        self._store = PostgresRetrievalStore(database)

    def search(self, asked: CandidateQuery) -> None:
        search(self._store, asked)

    def cost(
        self,
        questions: Sequence[Question],
        ask: Callable[[Question], object],
        *,
        process: int | None = None,
    ) -> dict[str, float]:
        """Return the median CPU time to ask a question, and the mean of its blocks.

        `process` is the server's that is asked, if it is not the store's.
        """
        for question in questions[:_WARM_UP]:
            ask(question)
        process = process or int(self.value(_SEARCHER))
        before, times = self._blocks(), list[float]()
        for question in questions:
            started = cpu_ms(process)
            ask(question)
            times.append(cpu_ms(process) - started)
        blocks = (self._blocks() - before) / len(questions)
        return {"cpu_ms": round(statistics.median(times), 2), "blocks": round(blocks)}

    def value(self, statement: str) -> float:
        connection = self.library.connection
        row = connection.execute(statement.encode()).fetchone()
        connection.commit()
        return row[0] if row and row[0] is not None else 0

    def _blocks(self) -> float:
        """Return what was touched so far, once both sessions have told it."""
        time.sleep(FLUSH_SECONDS)
        self._store.ping(uuid4())
        self.value("SELECT pg_stat_force_next_flush()::text")
        return self.value(BLOCKS)


def search(store: PostgresRetrievalStore, asked: CandidateQuery) -> None:
    """Search, for what it costs. Raises RuntimeError where a leg failed: it costs less."""
    degraded = store.search(asked).degraded
    if degraded:
        message = f"a search degraded: {degraded}"
        raise RuntimeError(message)


def cpu_ms(process: int) -> float:
    """Return what a process has used so far."""
    return int(Path(f"/proc/{process}/schedstat").read_text("utf-8").split()[0]) / 1e6
