"""What a thousand other tenants add to a search, and what its postings take on disk.

CPU time of the server's process and the blocks it touched: neither knows how busy the machine is.
A tenant of 3,000 chunks asks; the others have two documents each, with words of the same kind.
"""

from contextlib import ExitStack
from typing import Any, Final

from benchmarks.corpus import Corpus, Kind, Question
from benchmarks.library import Paper, Passage, Shelf
from benchmarks.searches import BYTES_OF_POSTINGS, LIMIT, MODEL, SearchedServer
from pulsedocs.model.retrieval import Scope

OTHERS: Final = 1000
CHUNKS: Final = 3000
_QUESTIONS: Final = 20


def run() -> dict[str, Any]:
    """Return milliseconds of CPU and blocks a search, with 2 tenants and with many, and ratios."""
    with ExitStack() as opened:
        return _Bench(SearchedServer(opened)).measured()


class _Bench:
    def __init__(self, server: SearchedServer) -> None:
        self._server = server
        self._library = server.library
        self._corpus = Corpus()
        self._shelf, self._text = self._fill(CHUNKS, chunks_a_document=25)
        self._other, _ = self._fill(100, chunks_a_document=1, documents=2)

    def measured(self) -> dict[str, Any]:
        questions = {kind: self._corpus.questions(_QUESTIONS, kind) for kind in Kind}
        self._library.analyze()
        size = self._server.value(BYTES_OF_POSTINGS)
        alone = {kind: self._server.cost(asked, self._ask) for kind, asked in questions.items()}
        self._library.add_others(self._other.tenant_id, OTHERS)
        self._library.analyze()
        crowded = {kind: self._server.cost(asked, self._ask) for kind, asked in questions.items()}
        return {
            "other_tenants": OTHERS,
            "chunks": CHUNKS,
            "limit": LIMIT,
            "posting_bytes_for_each_byte_of_text": round(size / self._text, 2),
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
        shelf = self._library.shelf(MODEL)
        drafts = (chunk for draft in self._corpus.documents(chunks) for chunk in draft.chunks)
        passages = [Passage(*chunk) for chunk in drafts]
        parts = [
            passages[start : start + chunks_a_document]
            for start in range(0, len(passages), chunks_a_document)
        ][:documents]
        for part in parts:
            self._library.add(shelf, Paper(part))
        return shelf, sum(len(passage.text) for part in parts for passage in part)

    def _ask(self, question: Question) -> None:
        self._server.search(question.of(Scope(self._shelf.tenant_id), model=MODEL, limit=LIMIT))
