"""Ingestion with an instant embedder against bare pdfium and COPY: what the guarantees cost.

CPU seconds of this process, its children and the database server; both ways store the same pages
of the same PDFs in one run. Nothing waits for a model: vectors are drawn from a pool.
"""

import hashlib
import random
import resource
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psutil
import psycopg
import pypdfium2

from benchmarks.long_pdf import write_long_pdf
from local.models import ensure_models
from local.postgres import PostgresServer
from pulsedocs.adapters.local.tokens import TiktokenCounter
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.ingestion import PostgresIngestionStore
from pulsedocs.adapters.postgres.migrations import migrate
from pulsedocs.adapters.sandbox import SandboxedExtractor
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.documents import IngestOptions, Registration, Run
from pulsedocs.model.embeddings import EmbeddedBatch
from pulsedocs.model.object_keys import upload_key
from pulsedocs.usecases.chunk_document import chunk_document
from pulsedocs.usecases.claim_upload import ObjectReference, claim_upload
from pulsedocs.usecases.clean_document import clean_document
from pulsedocs.usecases.embed_batch import BatchReference, embed_batch
from pulsedocs.usecases.extract_document import Extracted, extract_document
from pulsedocs.usecases.extract_range import extract_range
from pulsedocs.usecases.gather_ranges import gather_ranges
from pulsedocs.usecases.publish_document import publish_document
from pulsedocs.usecases.register_document import register_document
from pulsedocs.usecases.store_pages import store_pages
from pulsedocs.usecases.store_vectors import store_vectors

MODEL = "memory:instant@384"
CHAPTERS = 40
ROUNDS = 3
_POOL = 4096
_PASSWORD = "bench"  # noqa: S105 -- the server listens on loopback and ends with the run


class InstantEmbedder:
    """Implements `pulsedocs.ports.Embedder` with vectors that were drawn beforehand."""

    def __init__(self) -> None:
        rng = random.Random(7)
        centres = [[rng.gauss(0, 1) for _ in range(384)] for _ in range(64)]
        self._pool = [_near(rng.choice(centres), rng) for _ in range(_POOL)]

    model = MODEL
    dimensions = 384

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        del deadline
        return EmbeddedBatch(tuple(self._of(text) for text in texts), input_tokens=0)

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        del deadline
        return self._of(text)

    def _of(self, text: str) -> tuple[float, ...]:
        place = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")
        return self._pool[place % _POOL]


def _near(centre: list[float], rng: random.Random) -> tuple[float, ...]:
    moved = [value + rng.gauss(0, 0.5) for value in centre]
    length = sum(value * value for value in moved) ** 0.5
    return tuple(value / length for value in moved)


@dataclass
class Meter:
    """Adds up CPU seconds by label."""

    server: psutil.Process
    spent: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def reading(self, label: str) -> Generator[None]:
        before, before_server = self._own(), self._servers()
        yield
        self._add(label, self._own() - before)
        self._add(f"{label}_server", self._servers() - before_server)

    def _add(self, label: str, seconds: float) -> None:
        self.spent[label] = self.spent.get(label, 0.0) + seconds

    def _own(self) -> float:
        kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))

    def _servers(self) -> float:
        """Sum over the backends that live: none of those measured ends within a reading."""
        total = 0.0
        for process in (self.server, *self.server.children(recursive=True)):
            try:
                times = process.cpu_times()
            except psutil.NoSuchProcess:
                continue
            total += times.user + times.system
        return total


@dataclass
class Bench:
    admin_url: str
    ingestion: PostgresIngestionStore
    catalogue: PostgresDocumentCatalogue
    embedder: InstantEmbedder
    count_tokens: TiktokenCounter
    meter: Meter
    objects: InMemoryObjectStore = field(default_factory=InMemoryObjectStore)
    sequencers: Iterator[int] = field(default_factory=lambda: count(1 << 60))

    def ingest(self, body: bytes, *, tenant: UUID, label: str) -> int:
        """Run every stage for one PDF; return the number of its pages."""
        document_id, version = self._register(tenant, len(body))
        key = upload_key(tenant, document_id)
        stored = self.objects.put(
            key, body, content_type="application/pdf", metadata={"version": str(version)}
        )
        with self.meter.reading(label):
            return self._stages(key, stored.object_version)

    def _register(self, tenant: UUID, size: int) -> tuple[UUID, int]:
        announced = register_document(
            tenant,
            Registration(
                document_id=None,
                source="long.pdf",
                title=None,
                content_type="application/pdf",
                size=size,
                sha256=None,
                metadata={},
                content_date=None,
                options=IngestOptions(),
            ),
            catalogue=self.catalogue,
            objects=self.objects,
            default_model=MODEL,
            max_bytes=500_000_000,
        )
        return announced.document_id, announced.version

    def _stages(self, key: str, object_version: str) -> int:
        store, objects, step = self.ingestion, self.objects, self.meter.reading
        with step("claim"):
            claimed = claim_upload(
                key,
                object_version=object_version,
                sequencer=f"{next(self.sequencers):X}",
                holder="bench",
                objects=objects,
                store=store,
                max_bytes=500_000_000,
            )
        if claimed.run is None or claimed.object is None:
            return 0
        with step("extract"):
            extracted = self._extract(claimed.run, claimed.object)
        with step("store"):
            ended = store_pages(claimed.run, extracted, objects=objects, store=store)["outcome"]
        if ended is None:
            self._rest(claimed.run)
        return extracted.pages

    def _extract(self, run: Run, uploaded: ObjectReference) -> Extracted:
        """Do what the state machine does with a large document, one range after another."""
        reading: dict[str, Any] = {
            "objects": self.objects,
            "extractor": SandboxedExtractor(),
            "max_bytes": 500_000_000,
        }
        extracted = extract_document(run, uploaded, **reading)
        while not extracted.complete:
            read = [extract_range(run, uploaded, part, **reading) for part in extracted.ranges]
            extracted = gather_ranges(run, extracted, read, objects=self.objects)
        return extracted

    def _rest(self, run: Run) -> None:
        store, objects, step = self.ingestion, self.objects, self.meter.reading
        with step("clean"):
            clean_document(run, objects=objects, store=store)
        with step("chunk"):
            chunked = chunk_document(
                run, objects=objects, store=store, count_tokens=self.count_tokens, batch_size=96
            )
        for item in chunked["batches"]:
            batch = BatchReference(**item)
            with step("embed"):
                written = embed_batch(
                    run, batch, objects=objects, embedder=self.embedder, deadline=Deadline.after(60)
                )
            with step("store_vectors"):
                store_vectors(
                    run,
                    model=chunked["model"],
                    batch=batch,
                    vectors_key=written.vectors_key,
                    objects=objects,
                    store=store,
                )
        with step("publish"):
            publish_document(run, objects=objects, store=store)

    def bare(self, body: bytes, *, label: str = "bare") -> int:
        """Read every page with pdfium and COPY the texts: the least that can be done."""
        with psycopg.connect(self.admin_url) as connection, self.meter.reading(label):
            document = pypdfium2.PdfDocument(body)
            statement = "COPY bare_page (document, number, text) FROM STDIN"
            with connection.cursor() as cursor, cursor.copy(statement) as copy:
                for number, page in enumerate(document):
                    text = page.get_textpage().get_text_bounded()
                    copy.write_row((uuid4(), number, text.replace("\x00", "")))
            connection.commit()
            return len(document)


def run() -> dict[str, Any]:
    """Return CPU seconds, the ratio to the bare way and where the CPU goes."""
    with tempfile.TemporaryDirectory() as folder:
        body = write_long_pdf(Path(folder) / "long.pdf", chapters=CHAPTERS).read_bytes()
        with PostgresServer(Path(folder) / "server", version=16, disposable=True) as server:
            return _measure(_bench(server), body)


def _bench(server: PostgresServer) -> Bench:
    url = server.create_database("bench")
    migrate(url)
    with psycopg.connect(url, autocommit=True) as connection:
        for role in ("pulsedocs_ingest", "pulsedocs_api"):
            connection.execute(f"ALTER ROLE {role} PASSWORD '{_PASSWORD}'")  # pyright: ignore[reportArgumentType] -- constants
        connection.execute("CREATE TABLE bare_page (document uuid, number int, text text)")
        with connection.execute("SELECT pg_backend_pid()") as cursor:
            [backend] = cursor.fetchone() or [0]
            postmaster = psutil.Process(backend).parent()
    ingest, api = (
        server.url(database="bench", user=role, password=_PASSWORD)
        for role in ("pulsedocs_ingest", "pulsedocs_api")
    )
    return Bench(
        admin_url=url,
        ingestion=PostgresIngestionStore(Database(ingest)),
        catalogue=PostgresDocumentCatalogue(Database(api)),
        embedder=InstantEmbedder(),
        count_tokens=TiktokenCounter(ensure_models()),
        meter=Meter(postmaster or psutil.Process()),
    )


def _measure(bench: Bench, body: bytes) -> dict[str, Any]:
    bench.ingest(body, tenant=uuid4(), label="warm_up")
    bench.meter.spent.clear()
    pages = 0
    for _ in range(ROUNDS):
        tenant = uuid4()
        pages += bench.ingest(body, tenant=tenant, label="fresh")
        bench.ingest(body, tenant=tenant, label="unchanged")
        bench.bare(body)
    spent = bench.meter.spent
    steps = ("claim", "extract", "store", "clean", "chunk", "embed", "store_vectors", "publish")
    total = {name: spent[name] + spent[f"{name}_server"] for name in ("fresh", "unchanged", "bare")}
    return {
        "pages": pages,
        "fresh_pages_per_cpu_second": _rounded(pages / total["fresh"]),
        "bare_pages_per_cpu_second": _rounded(pages / total["bare"]),
        "ratio_to_bare": _rounded(total["fresh"] / total["bare"]),
        "ratio_to_bare_without_server": _rounded(spent["fresh"] / spent["bare"]),
        "unchanged_speed_up": _rounded(total["fresh"] / total["unchanged"]),
        "cpu_seconds": {name: _rounded(seconds) for name, seconds in total.items()},
        "cpu_seconds_by_step": {
            step: {
                "client": _rounded(spent[step]),
                "server": _rounded(spent[f"{step}_server"]),
            }
            for step in steps
        },
    }


def _rounded(value: float) -> float:
    return round(value, 3)
