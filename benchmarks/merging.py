"""What postings take, and what a search of words and a deletion cost, apart and merged.

The same documents twice: as they are written, and merged by the sweep after each tenth of them. CPU
time of the server's process and the blocks it touched: neither knows how busy the machine is. A
search is compared with two bare statements over the same postings, as the superuser.
"""

import statistics
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import UUID

from benchmarks.corpus import Corpus, Kind, Question
from benchmarks.library import Paper, Passage, Shelf
from benchmarks.searches import BYTES_OF_POSTINGS, LIMIT, MODEL, SearchedServer, cpu_ms
from pulsedocs.adapters.postgres.deletion.purges import ROWS_AT_ONCE
from pulsedocs.adapters.postgres.postings import FEWEST_CHUNKS, take_some_out
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.model.retrieval import Scope

T = TypeVar("T")

_CHUNKS: Final = Path("20000")
_CHUNKS_A_DOCUMENT: Final = 25
_PARTS: Final = 10
_QUESTIONS: Final = 24
_DELETED: Final = 10

_SEGMENTS: Final = "SELECT count(*) FROM posting_segment"
_TEXTS: Final = "SELECT sum(octet_length(text)) FROM document_chunk"
_USES: Final = """
FROM (
    SELECT block::bigint << 12 | (entry & 127) AS chunk, (entry >> 7) + 1 AS tf
    FROM (
        SELECT block, unnest(array_prepend(entry, others)) AS entry
        FROM posting
        WHERE tenant_id = %(tenant_id)s AND shelf = %(shelf)s
            AND term = ANY(tsvector_to_array(to_tsvector('english', %(words)s)))
    ) AS own
    UNION ALL
    SELECT segment::bigint << 12 | (entry >> 12 & 4095), (entry >> 24) + 129
    FROM (
        SELECT segment, unnest(array_prepend(entry, others)) AS entry
        FROM shared_posting
        WHERE tenant_id = %(tenant_id)s AND shelf = %(shelf)s
            AND term = ANY(tsvector_to_array(to_tsvector('english', %(words)s)))
    ) AS shared
) AS use
"""
_BARE: Final = {
    "index_scan": f"SELECT count(*) {_USES}",
    "sum_by_chunk": f"SELECT chunk {_USES} GROUP BY chunk ORDER BY sum(tf) DESC LIMIT {LIMIT}",
}
"""A question's words read, and added up: any order of chunks by several words does both."""


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
        bench = _Bench(SearchedServer(opened))
        bench.fill(chunks, chunks_a_document, is_merged=is_merged)
        return bench.measured()


class _Bench:
    def __init__(self, server: SearchedServer) -> None:
        self._server = server
        self._library = server.library
        self._shelf: Shelf = server.library.shelf(MODEL)
        self._number = int(server.value("SELECT shelf FROM collection"))
        self._corpus = Corpus()
        self._documents: list[UUID] = []
        self._merging: dict[str, float] = {}

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
        asked = {kind: self._corpus.questions(_QUESTIONS, kind) for kind in Kind}
        size, text = self._server.value(BYTES_OF_POSTINGS), self._server.value(_TEXTS)
        return {
            "bytes_for_each_byte_of_text": round(size / text, 2),
            "segments": self._server.value(_SEGMENTS),
            **self._merging,
            "search": {kind: self._compared(questions) for kind, questions in asked.items()},
            "removing_the_words_of_a_document": self._removing(),
        }

    def _papers(self, texts: Iterator[str], chunks_a_document: int) -> Iterator[Paper]:
        for some in _parts(texts, chunks_a_document):
            yield Paper([Passage(text) for text in some])

    def _merges(self, process: int) -> Iterator[float]:
        """Merge until nothing is due, and yield what each merge took."""
        started = cpu_ms(process)
        while self._library.merge(self._shelf, fewest=FEWEST_CHUNKS, most=1):
            yield cpu_ms(process) - started
            started = cpu_ms(process)

    def _compared(self, questions: Sequence[Question]) -> dict[str, Any]:
        search = self._server.cost(questions, self._ask)
        compared: dict[str, Any] = dict(search)
        for name, statement in _BARE.items():
            bare = self._server.cost(
                questions,
                partial(self._ask_bare, statement),
                process=self._library.connection.info.backend_pid,
            )
            compared[f"bare_{name}"] = bare
            compared[f"to_bare_{name}"] = {
                unit: round(search[unit] / bare[unit], 2) for unit in search
            }
        return compared

    def _ask_bare(self, statement: str, question: Question) -> None:
        connection = self._library.connection
        asked = {
            "tenant_id": self._shelf.tenant_id,
            "shelf": self._number,
            "words": question.words,
        }
        connection.execute(statement.encode(), asked, prepare=True).fetchall()
        connection.commit()

    def _ask(self, question: Question) -> None:
        asked = question.of(Scope(self._shelf.tenant_id), model=MODEL, limit=LIMIT)
        self._server.search(replace(asked, vectors={}))

    def _removing(self) -> float:
        """Return the median CPU milliseconds that a document's words take to remove."""
        connection = self._library.connection
        connection.execute("SET session_replication_role = origin")
        process = connection.info.backend_pid
        step = len(self._documents) // _DELETED
        times: list[float] = []
        for document in self._documents[::step]:
            started = cpu_ms(process)
            self._remove(document)
            times.append(cpu_ms(process) - started)
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


def _parts(items: Iterable[T], size: int) -> Iterator[list[T]]:
    remaining = iter(items)
    while part := list(islice(remaining, size)):
        yield part
