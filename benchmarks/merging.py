"""What postings take, and what a search of words and a deletion cost, apart and merged.

The same documents twice: as they are written, and merged by the sweep after each tenth of them. CPU
time of the server's process and the blocks it touched: neither knows how busy the machine is.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import UUID

import psycopg
from psycopg import Connection
from psycopg.conninfo import make_conninfo

from benchmarks.corpus import WIDTH, Corpus, Kind, Question
from benchmarks.library import Library, Paper, Passage, Shelf
from local.postgres import PostgresServer
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.deletion.purges import ROWS_AT_ONCE
from pulsedocs.adapters.postgres.postings import FEWEST_CHUNKS, take_some_out
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.adapters.postgres.upkeep.migrations import migrate
from pulsedocs.model.retrieval import CandidateQuery, Scope

T = TypeVar("T")

LIMIT: Final = 50
_CHUNKS: Final = Path("20000")
_CHUNKS_A_DOCUMENT: Final = 25
_PARTS: Final = 10
_QUESTIONS: Final = 24
_WARM_UP: Final = 3
_DELETED: Final = 10
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
_SEGMENTS: Final = "SELECT count(*) FROM posting_segment"
_TEXTS: Final = "SELECT sum(octet_length(text)) FROM document_chunk"


def run(size: Path = _CHUNKS) -> dict[str, Any]:
    """Return bytes, milliseconds and blocks for documents of 25 chunks, apart and merged."""
    results: dict[str, Any] = {}
    for name, is_merged in (("apart", False), ("merged", True)):
        results[name] = _measured(int(size.name), _CHUNKS_A_DOCUMENT, is_merged=is_merged)
        print(f"  {name}: {results[name]}", flush=True)
    settings = {"chunks": int(size.name), "chunks_a_document": _CHUNKS_A_DOCUMENT}
    return {**settings, "limit": LIMIT, "questions": _QUESTIONS, **results}


def _measured(chunks: int, chunks_a_document: int, *, is_merged: bool) -> dict[str, Any]:
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
        bench = _Bench(url, library, opened)
        bench.fill(chunks, chunks_a_document, is_merged=is_merged)
        return bench.measured()


class _Bench:
    def __init__(self, url: str, library: Library, opened: ExitStack) -> None:
        self._library = library
        self._shelf: Shelf = library.shelf(_MODEL)
        self._corpus = Corpus()
        self._documents: list[UUID] = []
        self._merging: dict[str, float] = {}
        self._server: Connection[Any] = opened.enter_context(psycopg.connect(url, autocommit=True))
        database = Database(make_conninfo(url, user="pulsedocs_query", password=_PASSWORD))
        opened.callback(database.close)
        self._store = PostgresRetrievalStore(database)

    def fill(self, chunks: int, chunks_a_document: int, *, is_merged: bool) -> None:
        texts = (text for draft in self._corpus.documents(chunks) for text, _ in draft.chunks)
        process = self._library.connection.info.backend_pid
        merging, longest = 0.0, 0.0
        for part in _parts(
            self._papers(texts, chunks_a_document), chunks // chunks_a_document // _PARTS
        ):
            for paper in part:
                self._library.add(self._shelf, paper)
                self._documents.append(paper.document_id)
            self._library.analyze()
            if is_merged:
                for cost in self._merges(process):
                    merging, longest = merging + cost, max(longest, cost)
                self._library.analyze()
        if is_merged:
            self._merging = {
                "merging_cpu_ms_a_chunk": round(merging / chunks, 3),
                "longest_merge_cpu_ms": round(longest),
            }

    def measured(self) -> dict[str, Any]:
        asked = {kind: self._corpus.questions(_QUESTIONS + _WARM_UP, kind) for kind in Kind}
        return {
            "bytes_for_each_byte_of_text": round(self._value(_POSTINGS) / self._value(_TEXTS), 2),
            "segments": self._value(_SEGMENTS),
            **self._merging,
            "search": {kind: self._cost(questions) for kind, questions in asked.items()},
            "removing_the_words_of_a_document": self._removing(),
        }

    def _papers(self, texts: Iterator[str], chunks_a_document: int) -> Iterator[Paper]:
        for some in _parts(texts, chunks_a_document):
            yield Paper([Passage(text) for text in some])

    def _merges(self, process: int) -> Iterator[float]:
        """Merge until nothing is due, and yield what each merge took."""
        started = _cpu_ms(process)
        while self._library.merge(self._shelf, fewest=FEWEST_CHUNKS, most=1):
            yield _cpu_ms(process) - started
            started = _cpu_ms(process)

    def _cost(self, questions: Sequence[Question]) -> dict[str, float]:
        """Return the median CPU time of a search, and the mean of its blocks."""
        for question in questions[:_WARM_UP]:
            self._ask(question)
        row = self._server.execute(
            "SELECT pid FROM pg_stat_activity WHERE usename = 'pulsedocs_query'"
        ).fetchone()
        process = row[0] if row else 0
        self._settle()
        before = self._value(_BLOCKS)
        times = [_spent(process, self._ask, question) for question in questions[_WARM_UP:]]
        self._settle()
        blocks = (self._value(_BLOCKS) - before) / (len(questions) - _WARM_UP)
        return {"cpu_ms": round(statistics.median(times), 2), "blocks": round(blocks)}

    def _ask(self, question: Question) -> None:
        asked = CandidateQuery(
            scope=Scope(self._shelf.tenant_id),
            model=_MODEL,
            dimensions=WIDTH,
            vectors={},
            words=question.words,
            vector_candidates=0,
            keyword_candidates=LIMIT,
        )
        found = self._store.search(asked)
        if len(found.candidates) < 1:
            raise RuntimeError("a question found nothing")

    def _removing(self) -> float:
        """Return the median CPU milliseconds that a document's words take to remove."""
        connection = self._library.connection
        connection.execute("SET session_replication_role = origin")
        process = connection.info.backend_pid
        step = len(self._documents) // _DELETED
        times = [_spent(process, self._remove, document) for document in self._documents[::step]]
        return round(statistics.median(times), 1)

    def _remove(self, document_id: UUID) -> None:
        connection = self._library.connection
        connection.execute("SET session_replication_role = replica")
        self._library.hide(self._shelf, document_id)
        connection.execute("SET session_replication_role = origin")
        key = {"tenant_id": self._shelf.tenant_id, "document_id": document_id}
        bounded = {**key, "version": None, "rows": ROWS_AT_ONCE}
        while take_some_out(connection, bounded):
            connection.commit()
        while connection.execute(query("purge_postings"), bounded).rowcount:
            connection.commit()
        connection.commit()

    def _settle(self) -> None:
        time.sleep(_FLUSH_SECONDS)
        self._store.ping(self._shelf.tenant_id)

    def _value(self, statement: str) -> float:
        connection = self._library.connection
        row = connection.execute(statement.encode()).fetchone()
        connection.commit()
        return row[0] if row and row[0] is not None else 0


def _parts(items: Iterable[T], size: int) -> Iterator[list[T]]:
    remaining = iter(items)
    while part := list(islice(remaining, size)):
        yield part


def _spent(process: int, act: Callable[[Any], None], subject: object) -> float:
    started = _cpu_ms(process)
    act(subject)
    return _cpu_ms(process) - started


def _cpu_ms(process: int) -> float:
    return int(Path(f"/proc/{process}/schedstat").read_text("utf-8").split()[0]) / 1e6
