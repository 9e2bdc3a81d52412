"""What a database of many chunks holds, and what it spends on what is done with it.

One tenant's documents of 100 chunks go through the stores' own steps with made texts and vectors;
then come the index build, questions, an update, and deletions with their proof. CPU seconds and the
server's blocks: neither knows how busy the machine is.

    python -m benchmarks capacity=1000000
"""

import hashlib
import statistics
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import psutil
import psycopg
from psycopg import Connection, sql
from psycopg.conninfo import make_conninfo

from benchmarks.corpus import CHUNKS_A_DOCUMENT, WIDTH, Corpus, Draft, Kind, Question
from benchmarks.library import identified_chunk, search
from local.postgres import PostgresServer
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.deletion.purges import PostgresPurgeStore
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.documents.updates import PostgresDocumentChanges
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.adapters.postgres.upkeep.migrations import migrate
from pulsedocs.adapters.postgres.upkeep.vector_indexes import PostgresVectorIndexes
from pulsedocs.deletion.purge_document import purge_documents
from pulsedocs.ingestion.chunk_document import ChunkResult
from pulsedocs.ingestion.clean_document import CleanResult
from pulsedocs.ingestion.ports import StepWriter
from pulsedocs.ingestion.publish_document import PublishResult
from pulsedocs.ingestion.store_pages import StoreResult
from pulsedocs.ingestion.store_vectors import EmbedResult
from pulsedocs.model.chunks import IdentifiedChunk, PageSpan
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.documents import (
    ClaimedWork,
    IngestOptions,
    Registered,
    Registration,
    Run,
    StoredObject,
)
from pulsedocs.model.object_keys import upload_key
from pulsedocs.model.pages import CleanedPage, OffsetMap, Page, PageOutcome
from pulsedocs.model.retrieval import Scope

LIMIT: Final = 50
_CHUNKS: Final = Path("20000")
_CHUNKS_A_PAGE: Final = 4
_QUESTIONS: Final = 20
_DELETED_TOGETHER: Final = 10
_TOLD_EVERY: Final = 100  # documents
_MODEL: Final = f"memory:capacity@{WIDTH}"
_PASSWORD: Final = "bench"  # noqa: S105 -- the server listens on loopback and ends with the run
_ROLES: Final = ("api", "ingest", "query", "sweep")
_FLUSH_SECONDS: Final = 1.2  # a session says what it touched at most once a second
_HOURS: Final = 12  # of an index build, at most

_BLOCKS: Final = (
    "SELECT sum(hits) + sum(reads) FROM pg_stat_io"
    " WHERE object = 'relation' AND backend_type = 'client backend'"
)
_SIZES: Final = """
SELECT CASE WHEN relname ~ '^chunk_embedding' THEN 'chunk_embedding'
            WHEN relname ~ '^posting' THEN 'posting' ELSE relname END AS name,
       sum(pg_total_relation_size(oid))::bigint
FROM pg_class
WHERE relnamespace = 'pulsedocs'::regnamespace AND relkind = 'r'
GROUP BY 1 HAVING sum(pg_total_relation_size(oid)) > 1000000 ORDER BY 2 DESC
"""
_INDEX_SIZE: Final = (
    "SELECT coalesce(sum(pg_relation_size(oid)), 0)::bigint FROM pg_class WHERE relname ~ '_hnsw$'"
)


def run(size: Path = _CHUNKS) -> dict[str, Any]:
    """Return sizes in bytes, and CPU seconds and blocks of each act, at so many chunks."""
    chunks = int(size.name)
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory())
        server = PostgresServer(Path(folder) / "server", version=16, disposable=True)
        opened.enter_context(server)
        _size_buffers(server, chunks)
        url = server.create_database("bench")
        migrate(url)
        return _Bench(url, server, opened).measured(chunks)


def _size_buffers(server: PostgresServer, chunks: int) -> None:
    """Give the server buffers as an ACU that holds the index would: 128 MB and 3 kB a chunk."""
    with psycopg.connect(server.admin_url, autocommit=True) as admin:
        megabytes = min(128 + 3 * chunks // 1000, 4096)
        admin.execute(f"ALTER SYSTEM SET shared_buffers = '{megabytes}MB'".encode())
    server.stop()
    server.start()


@dataclass(frozen=True, slots=True)
class _Spent:
    """What one act took: CPU seconds of the server and of this process, blocks of the server."""

    server: float
    client: float
    blocks: int

    def each(self, count: int) -> dict[str, float]:
        return {
            "server_cpu_ms": round(1000 * self.server / count, 3),
            "client_cpu_ms": round(1000 * self.client / count, 3),
            "blocks": round(self.blocks / count, 1),
        }

    def whole(self) -> dict[str, float]:
        return {
            "server_cpu_s": round(self.server, 2),
            "client_cpu_s": round(self.client, 2),
            "blocks": self.blocks,
        }


class _Bench:
    def __init__(self, url: str, server: PostgresServer, opened: ExitStack) -> None:
        self._url = url
        self._admin: Connection[Any] = opened.enter_context(psycopg.connect(url, autocommit=True))
        for role in _ROLES:
            statement = sql.SQL("ALTER ROLE {} PASSWORD {}")
            self._admin.execute(
                statement.format(sql.Identifier(f"pulsedocs_{role}"), sql.Literal(_PASSWORD))
            )
        self._databases = {role: Database(self._url_of(role)) for role in _ROLES}
        for database in self._databases.values():
            opened.callback(database.close)
        self._catalogue = PostgresDocumentCatalogue(self._databases["api"])
        self._changes = PostgresDocumentChanges(self._databases["api"])
        self._ingestion = PostgresIngestionStore(self._databases["ingest"], default_model=_MODEL)
        self._retrieval = PostgresRetrievalStore(self._databases["query"])
        self._purges = PostgresPurgeStore(self._databases["sweep"])
        self._server = psutil.Process(_pid_of(server))
        self._tenant = uuid4()
        self._corpus = Corpus()

    def measured(self, chunks: int) -> dict[str, Any]:
        documents: list[UUID] = []
        first: list[Draft] = []
        texts = 0

        def load() -> None:
            nonlocal texts
            for number, draft in enumerate(self._corpus.documents(chunks), 1):
                documents.append(self._ingest(_source(number), draft))
                first.extend([] if first else [draft])
                texts += sum(len(text) for text, _ in draft.chunks)
                if number % _TOLD_EVERY == 0:
                    print(f"  {number * CHUNKS_A_DOCUMENT} chunks", flush=True)

        loaded = self._spent(load)
        self._admin.execute("VACUUM (ANALYZE)")
        built = self._spent(self._build_index)
        result: dict[str, Any] = {
            "chunks": chunks,
            "dimensions": WIDTH,
            "bytes_of_text": texts,
            "bytes": dict(self._admin.execute(_SIZES.encode()).fetchall()),
            "bytes_of_vector_index": self._value(_INDEX_SIZE),
            "load_of_a_chunk": loaded.each(chunks),
            "index_build": built.whole(),
            "question": {kind: self._ask_all(kind) for kind in Kind},
        }
        result["update_of_a_document"] = self._spent(lambda: self._update(*first)).whole()
        result["deletion_of_a_document"] = self._spent(lambda: self._delete(documents[1:2])).whole()
        several = documents[2 : 2 + _DELETED_TOGETHER]
        result[f"deletion_of_{_DELETED_TOGETHER}_documents"] = self._spent(
            lambda: self._delete(several)
        ).whole()
        return result

    def _build_index(self) -> None:
        indexes = PostgresVectorIndexes(self._url_of("sweep"), scanned_vectors=0)
        indexes.build_due(seconds=3600 * _HOURS)

    def _ask_all(self, kind: Kind) -> dict[str, Any]:
        questions = self._corpus.questions(_QUESTIONS, kind)
        for question in questions[:3]:
            self._ask(question)
        times: list[float] = []

        def ask() -> None:
            for question in questions:
                started = time.perf_counter()
                self._ask(question)
                times.append(1000 * (time.perf_counter() - started))

        spent = self._spent(ask).each(len(questions))
        return {**spent, "median_ms_on_this_machine": round(statistics.median(times), 1)}

    def _ask(self, question: Question) -> None:
        asked = question.of(Scope(self._tenant), model=_MODEL, limit=LIMIT)
        search(self._retrieval, asked)

    def _update(self, draft: Draft) -> None:
        """Upload the first document again with one chunk changed; the other vectors are copied."""
        text, vector = draft.chunks[0]
        changed = [(f"Changed. {text}", vector), *draft.chunks[1:]]
        self._ingest(_source(1), Draft(draft.part, changed))

    def _delete(self, document_ids: Sequence[UUID]) -> None:
        receipts = [
            self._changes.delete(self._tenant, document_id, actor="bench")
            for document_id in document_ids
        ]
        purge_documents(
            self._tenant,
            receipts[0],
            store=self._purges,
            objects=InMemoryObjectStore(),
            deadline=Deadline.after(3600),
        )
        for receipt_id in receipts:
            if self._changes.receipt(self._tenant, receipt_id).completed_at is None:
                message = "a deletion was not proven"
                raise RuntimeError(message)

    def _ingest(self, source: str, draft: Draft) -> UUID:
        registered = self._register(source, draft)
        run = self._claim(registered)
        chunks = _chunks(run, draft)
        pages = _pages(draft)

        def store(writer: StepWriter, planned: list[Page]) -> StoreResult:
            digest = hashlib.sha256("".join(text for text, _ in draft.chunks).encode()).digest()
            decision = writer.accept_content(sha256=digest, size=1, pages=len(planned))
            writer.insert_pages(planned)
            writer.count_pages(len(planned))
            return StoreResult(outcome=None, duplicate_of=decision.duplicate_of)

        def clean(writer: StepWriter, planned: list[CleanedPage]) -> CleanResult:
            writer.write_cleaned(planned)
            return CleanResult(pages=len(planned))

        def split(writer: StepWriter, planned: list[IdentifiedChunk]) -> ChunkResult:
            writer.insert_chunks(planned)
            writer.reuse_embeddings(_MODEL, [each.chunk_id for each in planned])
            return ChunkResult(chunks=len(planned))

        def embed(writer: StepWriter, planned: list[tuple[UUID, tuple[float, ...]]]) -> EmbedResult:
            writer.insert_embeddings(_MODEL, planned)
            writer.record_usage(model=_MODEL, input_tokens=len(planned), method="embed")
            return EmbedResult(embedded=len(planned))

        def publish(writer: StepWriter, model: str) -> PublishResult:
            return PublishResult(outcome=writer.publish(model))

        perform = self._ingestion.perform
        perform(run, StoreResult, plan=lambda: pages, write=store)
        perform(run, CleanResult, plan=lambda: [_cleaned(page) for page in pages], write=clean)
        perform(run, ChunkResult, plan=lambda: chunks, write=split)
        missing = {item.chunk_id for item in self._ingestion.unembedded(run, _MODEL).items}
        vectors = [
            (each.chunk_id, vector)
            for each, (_, vector) in zip(chunks, draft.chunks, strict=True)
            if each.chunk_id in missing
        ]
        perform(run, EmbedResult, plan=lambda: vectors, write=embed)
        perform(run, PublishResult, plan=lambda: _MODEL, write=publish)
        return run.document_id

    def _register(self, source: str, draft: Draft) -> Registered:
        registration = Registration(
            document_id=None,
            source=source,
            title=None,
            content_type="text/plain",
            size=1,
            sha256=None,
            metadata={"part": draft.part},
            content_date=None,
            options=IngestOptions(),
        )
        return self._catalogue.register(self._tenant, registration, default_model=_MODEL)

    def _claim(self, registered: Registered) -> Run:
        stored = StoredObject(
            key=upload_key(self._tenant, registered.document_id),
            object_version=uuid4().hex,
            size=1,
            content_type="text/plain",
            metadata={"version": str(registered.version)},
            last_modified=datetime.now(UTC),
        )
        claimed = self._ingestion.claim(
            self._tenant,
            registered.document_id,
            stored=stored,
            sequencer=f"{time.time_ns():X}",
            holder="bench",
        )
        if not isinstance(claimed, ClaimedWork):
            raise TypeError(claimed.reason)
        return claimed.run

    def _spent(self, act: Callable[[], None]) -> _Spent:
        blocks = self._blocks()
        with _reading(self._server) as seconds:
            act()
        server, client = seconds
        return _Spent(server, client, self._blocks() - blocks)

    def _blocks(self) -> int:
        """Return what was touched so far, once every session has told it."""
        time.sleep(_FLUSH_SECONDS)
        for database in self._databases.values():
            database.run(self._tenant, lambda _: None, read_only=True)
        return self._value(_BLOCKS)

    def _value(self, statement: str) -> int:
        row = self._admin.execute(statement.encode()).fetchone()
        return int(row[0]) if row else 0

    def _url_of(self, role: str) -> str:
        return make_conninfo(self._url, user=f"pulsedocs_{role}", password=_PASSWORD)


@contextmanager
def _reading(server: psutil.Process) -> Generator[list[float]]:
    """Fill in the CPU seconds that the server and this process take meanwhile."""
    seconds: list[float] = []
    before, own = _cpu(server), time.process_time()
    yield seconds
    seconds += [_cpu(server) - before, time.process_time() - own]


def _cpu(server: psutil.Process) -> float:
    """Return what the server and its children took; the postmaster counts those that ended."""
    total = 0.0
    for process in (server, *server.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
            if process == server:
                total += times.children_user + times.children_system
    return total


def _pid_of(server: PostgresServer) -> int:
    return int((server.data / "postmaster.pid").read_text().split()[0])


def _source(number: int) -> str:
    return f"{number}.txt"


def _pages(draft: Draft) -> list[Page]:
    texts = [text for text, _ in draft.chunks]
    return [
        Page(number, "\n\n".join(texts[start : start + _CHUNKS_A_PAGE]), PageOutcome.TEXT, "bench")
        for number, start in enumerate(range(0, len(texts), _CHUNKS_A_PAGE), 1)
    ]


def _cleaned(page: Page) -> CleanedPage:
    whole = OffsetMap((0,), (0,), (len(page.text),))
    return CleanedPage(page.number, page.text, whole)


def _chunks(run: Run, draft: Draft) -> list[IdentifiedChunk]:
    return [
        identified_chunk(
            run, index, text, spans=(PageSpan(index // _CHUNKS_A_PAGE + 1, 0, len(text)),)
        )
        for index, (text, _) in enumerate(draft.chunks)
    ]
