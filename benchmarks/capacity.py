"""What a database of many chunks holds, and what it spends on what is done with it.

One tenant's documents of 100 chunks go through the stores' own steps with made texts and vectors;
after each 200 of them postings are merged. Then come deletions with their proof, the index build,
questions and an update. CPU seconds and the server's blocks: neither knows how busy the machine is.

    python -m benchmarks capacity=100000
    python -m benchmarks capacity=FOLDER/1000000

The second keeps its database in the folder and goes on with what is there, also after it was
killed. Ctrl-C ends the load: what was reached is measured.
"""

import hashlib
import json
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import psutil
import psycopg
from psycopg import Connection, sql
from psycopg.conninfo import make_conninfo

from benchmarks.corpus import CHUNKS_A_DOCUMENT, WIDTH, Corpus, Draft, Kind, Question
from benchmarks.library import identified_chunk
from benchmarks.searches import BLOCKS, FLUSH_SECONDS, LIMIT, search
from local.postgres import PostgresServer
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.deletion.purges import PostgresPurgeStore
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.documents.updates import PostgresDocumentChanges
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.adapters.postgres.postings import merge_segments
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

_CHUNKS: Final = Path("20000")
_CHUNKS_A_PAGE: Final = 4
_QUESTIONS: Final = 20
_DELETED_TOGETHER: Final = 10
_WRITERS: Final = 2  # at once
_PART: Final = 200  # documents of the load that are counted together
_TENANT: Final = UUID("6f0c1f0e-3a58-4c7e-9d0b-8a52a0f5d1c7")
_MODEL: Final = f"memory:capacity@{WIDTH}"
_PASSWORD: Final = "bench"  # noqa: S105 -- the server listens on loopback and ends with the run
_ROLES: Final = ("api", "ingest", "query", "sweep")
_HOURS: Final = 12  # of an index build, at most

_SIZES: Final = """
SELECT CASE WHEN relname ~ '^chunk_embedding' THEN 'chunk_embedding'
            WHEN relname ~ 'posting' THEN 'posting' ELSE relname END AS name,
       sum(pg_total_relation_size(oid))::bigint
FROM pg_class
WHERE relnamespace = 'pulsedocs'::regnamespace AND relkind = 'r'
GROUP BY 1 HAVING sum(pg_total_relation_size(oid)) > 1000000 ORDER BY 2 DESC
"""
_NO_INDEX: Final = "DROP INDEX IF EXISTS pulsedocs.chunk_embedding_1_hnsw"
_TEXTS: Final = "SELECT sum(octet_length(text)) FROM pulsedocs.document_chunk"
_BUFFERS: Final = "SELECT pg_size_bytes(current_setting('shared_buffers')) >> 20"
_LAST_NUMBER: Final = (
    "SELECT coalesce(max(split_part(source, '.', 1)::int), 0) FROM pulsedocs.document"
)
_PUBLISHED: Final = """
SELECT document_id FROM pulsedocs.document
WHERE published_version IS NOT NULL ORDER BY split_part(source, '.', 1)::int
"""
_COLLECTION: Final = "SELECT collection_id FROM pulsedocs.collection"
_INDEX_SIZE: Final = (
    "SELECT coalesce(sum(pg_relation_size(oid)), 0)::bigint FROM pg_class WHERE relname ~ '_hnsw$'"
)


def run(size: Path = _CHUNKS) -> dict[str, Any]:
    """Return sizes in bytes, and CPU seconds and blocks of each act, at so many chunks."""
    with ExitStack() as opened:
        is_kept = size.is_absolute()
        folder = size.parent if is_kept else opened.enter_context(tempfile.TemporaryDirectory())
        server = PostgresServer(Path(folder) / "server", version=16, disposable=not is_kept)
        is_new = not server.data.exists()
        opened.enter_context(server)
        _size_buffers(server, int(size.name))
        url = server.create_database("bench") if is_new else server.database_url("bench")
        migrate(url)
        bench = _Bench(url, server, opened)
        bench.load(int(size.name), parts=Path(folder) / "load.jsonl")
        return bench.measured()


def _size_buffers(server: PostgresServer, chunks: int) -> None:
    """Give the server buffers as an ACU that holds HNSW and postings: 128 MB and 4 kB a chunk."""
    with psycopg.connect(server.admin_url, autocommit=True) as admin:
        megabytes = min(128 + 4 * chunks // 1000, 4096)
        admin.execute(f"ALTER SYSTEM SET shared_buffers = '{megabytes}MB'".encode())
    server.restart()


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
        databases = [
            {role: opened.enter_context(closing(Database(self._url_of(role)))) for role in _ROLES}
            for _ in range(_WRITERS)
        ]
        self._sessions = [each for some in databases for each in some.values()]
        self._writers = [_Writer(each) for each in databases]
        self._changes = PostgresDocumentChanges(databases[0]["api"])
        self._retrieval = PostgresRetrievalStore(databases[0]["query"])
        self._sweep = databases[0]["sweep"]
        self._purges = PostgresPurgeStore(self._sweep)
        self._server = psutil.Process(_pid_of(server))
        self._corpus = Corpus()
        self._loaded: list[dict[str, Any]] = []

    def load(self, chunks: int, *, parts: Path) -> None:
        """Publish documents until there are so many chunks, without a vector index.

        Each part of the load adds a line to `parts`, which outlives the process.
        """
        self._admin.execute(_NO_INDEX.encode())
        enough = threading.Event()
        signal.signal(signal.SIGINT, lambda _signal, _frame: enough.set())
        while (missing := chunks // CHUNKS_A_DOCUMENT - len(self._documents())) > 0:
            first = self._value(_LAST_NUMBER) + 1
            numbers = range(first, first + min(missing, _PART))
            done: list[int] = []
            spent = self._spent(partial(self._add, numbers, done, enough))
            merging = self._spent(self._merge).server
            self._admin.execute("VACUUM (ANALYZE)")
            line = {"chunks": len(done) * CHUNKS_A_DOCUMENT, **asdict(spent), "merging": merging}
            with parts.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            print(f"  {len(self._documents()) * CHUNKS_A_DOCUMENT} chunks {line}", flush=True)
            if enough.is_set():
                break
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self._loaded = [json.loads(line) for line in parts.read_text("utf-8").splitlines()]

    def _add(self, numbers: range, done: list[int], enough: threading.Event) -> None:
        """Store these documents of the corpus, each writer the next one, until it is enough."""
        left = iter(numbers)

        def add(writer: _Writer) -> None:
            for number in left:
                if enough.is_set():
                    return
                writer.ingest(_source(number), self._corpus.document(number))
                done.append(number)

        with ThreadPoolExecutor() as pool:
            list(pool.map(add, self._writers))

    def measured(self) -> dict[str, Any]:
        documents = self._documents()
        several = documents[2 : 2 + _DELETED_TOGETHER]
        result: dict[str, Any] = {
            "chunks": len(documents) * CHUNKS_A_DOCUMENT,
            "dimensions": WIDTH,
            "megabytes_of_buffers": self._value(_BUFFERS),
            "bytes_of_text": self._value(_TEXTS),
            "load_of_a_chunk": self._load_of_a_chunk(),
            "merging_cpu_ms_a_chunk": self._merging_of_a_chunk(),
        }

        self._admin.execute("VACUUM (ANALYZE)")
        result["bytes"] = dict(self._admin.execute(_SIZES.encode()).fetchall())

        def measure(name: str, act: Callable[[], None]) -> None:
            result[name] = self._spent(act).whole()
            print(f"  {name}: {result[name]}", flush=True)

        measure("deletion_of_a_document", lambda: self._delete(documents[1:2]))
        measure(f"deletion_of_{_DELETED_TOGETHER}_documents", lambda: self._delete(several))
        measure("index_build", self._build_index)
        result["bytes_of_vector_index"] = self._value(_INDEX_SIZE)
        result["bytes"]["chunk_embedding"] += result["bytes_of_vector_index"]
        result["question"] = {kind: self._ask_all(kind) for kind in Kind}
        measure("update_of_a_document", self._update)
        return result

    def _load_of_a_chunk(self) -> dict[str, float]:
        server, client, blocks, chunks = (
            sum(part[name] for part in self._loaded)
            for name in ("server", "client", "blocks", "chunks")
        )
        return _Spent(server, client, blocks).each(chunks)

    def _merging_of_a_chunk(self) -> float:
        seconds, chunks = (
            sum(part[name] for part in self._loaded) for name in ("merging", "chunks")
        )
        return round(1000 * seconds / chunks, 3)

    def _documents(self) -> list[UUID]:
        """Return those that are published, the first of the corpus first."""
        return [row[0] for row in self._admin.execute(_PUBLISHED.encode()).fetchall()]

    def _merge(self) -> None:
        """Let documents share postings, as the sweep does once a day."""
        collection_id = self._admin.execute(_COLLECTION.encode()).fetchone()
        while collection_id and merge_segments(self._sweep, _TENANT, *collection_id):
            pass

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
        asked = question.of(Scope(_TENANT), model=_MODEL, limit=LIMIT)
        search(self._retrieval, asked)

    def _update(self) -> None:
        """Upload the first document again with one chunk changed; the other vectors are copied."""
        draft = self._corpus.document(1)
        text, vector = draft.chunks[0]
        changed = [(f"Changed. {text}", vector), *draft.chunks[1:]]
        self._writers[0].ingest(_source(1), Draft(draft.part, changed))

    def _delete(self, document_ids: Sequence[UUID]) -> None:
        receipts = [
            self._changes.delete(_TENANT, document_id, actor="bench")
            for document_id in document_ids
        ]
        purge_documents(
            _TENANT,
            receipts[0],
            store=self._purges,
            objects=InMemoryObjectStore(),
            deadline=Deadline.after(3600),
        )
        for receipt_id in receipts:
            if self._changes.receipt(_TENANT, receipt_id).completed_at is None:
                message = "a deletion was not proven"
                raise RuntimeError(message)

    def _spent(self, act: Callable[[], None]) -> _Spent:
        blocks = self._blocks()
        with _reading(self._server) as seconds:
            act()
        server, client = seconds
        return _Spent(server, client, self._blocks() - blocks)

    def _blocks(self) -> int:
        """Return what was touched so far, once every session has told it."""
        time.sleep(FLUSH_SECONDS)
        for database in self._sessions:
            database.run(_TENANT, lambda _: None, read_only=True)
        return self._value(BLOCKS)

    def _value(self, statement: str) -> int:
        row = self._admin.execute(statement.encode()).fetchone()
        return int(row[0]) if row else 0

    def _url_of(self, role: str) -> str:
        return make_conninfo(self._url, user=f"pulsedocs_{role}", password=_PASSWORD)


class _Writer:
    """Stores documents step by step, in a session of each role of its own."""

    def __init__(self, databases: Mapping[str, Database]) -> None:
        self._catalogue = PostgresDocumentCatalogue(databases["api"])
        self._ingestion = PostgresIngestionStore(databases["ingest"], default_model=_MODEL)

    def ingest(self, source: str, draft: Draft) -> UUID:
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
        return self._catalogue.register(_TENANT, registration, default_model=_MODEL)

    def _claim(self, registered: Registered) -> Run:
        stored = StoredObject(
            key=upload_key(_TENANT, registered.document_id),
            object_version=uuid4().hex,
            size=1,
            content_type="text/plain",
            metadata={"version": str(registered.version)},
            last_modified=datetime.now(UTC),
        )
        claimed = self._ingestion.claim(
            _TENANT,
            registered.document_id,
            stored=stored,
            sequencer=f"{time.time_ns():X}",
            holder="bench",
        )
        if not isinstance(claimed, ClaimedWork):
            raise TypeError(claimed.reason)
        return claimed.run


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
