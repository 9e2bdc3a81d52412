"""What a thousand other tenants add to a search, and what its postings take on disk.

CPU time of the server's process and the blocks it touched: neither knows how busy the machine is.
A tenant of 3,000 chunks asks; the others have two documents each, with words of the same kind.
"""

import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import Connection
from psycopg.conninfo import make_conninfo

from benchmarks.corpus import WIDTH, Corpus, Kind, Question
from benchmarks.library import Library, Paper, Passage, Shelf, search
from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.adapters.postgres.upkeep.migrations import migrate
from pulsedocs.model.retrieval import Scope

OTHERS: Final = 1000
CHUNKS: Final = 3000
LIMIT: Final = 50
_QUESTIONS: Final = 20
_MODEL: Final = f"memory:hashing@{WIDTH}"
_PASSWORD: Final = "bench"  # noqa: S105 -- the server listens on loopback and ends with the run
_FLUSH_SECONDS: Final = 1.2  # a session says what it touched at most once a second

_BLOCKS: Final = (
    "SELECT sum(hits) + sum(reads) FROM pg_stat_io"
    " WHERE object = 'relation' AND backend_type = 'client backend'"
)
_POSTINGS: Final = """
SELECT sum(pg_total_relation_size(oid))::float8 FROM pg_class
WHERE relnamespace = 'pulsedocs'::regnamespace AND relkind = 'r' AND relname ~ 'posting'
"""


def run() -> dict[str, Any]:
    """Return milliseconds of CPU and blocks a search, with 2 tenants and with many, and ratios."""
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory())
        server = PostgresServer(Path(folder) / "server", version=16, disposable=True)
        opened.enter_context(server)
        url = server.create_database("bench")
        migrate(url)
        library = Library(url)
        opened.callback(library.close)
        library.connection.execute("ALTER ROLE pulsedocs_query PASSWORD 'bench'")
        library.connection.commit()
        return _Bench(url, library, opened).measured()


class _Bench:
    def __init__(self, url: str, library: Library, opened: ExitStack) -> None:
        self._library = library
        self._corpus = Corpus()
        self._shelf, self._text = self._fill(CHUNKS, chunks_a_document=25)
        self._other, _ = self._fill(100, chunks_a_document=1, documents=2)
        self._server: Connection[Any] = opened.enter_context(psycopg.connect(url, autocommit=True))
        database = Database(make_conninfo(url, user="pulsedocs_query", password=_PASSWORD))
        opened.callback(database.close)
        self._store = PostgresRetrievalStore(database)

    def measured(self) -> dict[str, Any]:
        questions = {kind: self._corpus.questions(_QUESTIONS, kind) for kind in Kind}
        self._library.analyze()
        size = self._library.connection.execute(_POSTINGS).fetchone()
        alone = {kind: self._cost(asked) for kind, asked in questions.items()}
        self._library.add_others(self._other.tenant_id, OTHERS)
        self._library.analyze()
        crowded = {kind: self._cost(asked) for kind, asked in questions.items()}
        return {
            "other_tenants": OTHERS,
            "chunks": CHUNKS,
            "limit": LIMIT,
            "posting_bytes_for_each_byte_of_text": round((size[0] if size else 0) / self._text, 2),
            "search": {
                kind: {
                    "two_tenants": alone[kind],
                    "many_tenants": crowded[kind],
                    "ratios": {
                        name: round(crowded[kind][name] / alone[kind][name], 2)
                        for name in alone[kind]
                    },
                }
                for kind in questions
            },
        }

    def _fill(
        self, chunks: int, *, chunks_a_document: int, documents: int | None = None
    ) -> tuple[Shelf, int]:
        shelf = self._library.shelf(_MODEL)
        drafts = (chunk for draft in self._corpus.documents(chunks) for chunk in draft.chunks)
        passages = [Passage(*chunk) for chunk in drafts]
        parts = [
            passages[start : start + chunks_a_document]
            for start in range(0, len(passages), chunks_a_document)
        ][:documents]
        for part in parts:
            self._library.add(shelf, Paper(part))
        return shelf, sum(len(passage.text) for part in parts for passage in part)

    def _cost(self, questions: Sequence[Question]) -> dict[str, float]:
        """Return the median CPU time of a search, and the mean of its blocks."""
        for question in questions[:3]:
            self._ask(question)
        row = self._server.execute(
            "SELECT pid FROM pg_stat_activity WHERE usename = 'pulsedocs_query'"
        ).fetchone()
        process = row[0] if row else 0
        before, times = self._blocks(), list[float]()
        for question in questions:
            started = _cpu_ms(process)
            self._ask(question)
            times.append(_cpu_ms(process) - started)
        blocks = (self._blocks() - before) / len(questions)
        return {"cpu_ms": round(statistics.median(times), 2), "blocks": round(blocks)}

    def _ask(self, question: Question) -> None:
        asked = question.of(Scope(self._shelf.tenant_id), model=_MODEL, limit=LIMIT)
        search(self._store, asked)

    def _blocks(self) -> int:
        time.sleep(_FLUSH_SECONDS)
        self._store.ping(self._shelf.tenant_id)
        self._library.connection.execute("SELECT pg_stat_force_next_flush()")
        self._library.connection.commit()
        row = self._server.execute(_BLOCKS).fetchone()
        return int(row[0]) if row else 0


def _cpu_ms(process: int) -> float:
    return int(Path(f"/proc/{process}/schedstat").read_text("utf-8").split()[0]) / 1e6
