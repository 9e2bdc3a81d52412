"""Ingestion with an instant embedder against bare pdfium and COPY: what the guarantees cost.

CPU seconds of this process, its children and the database server; both ways store the same pages
of the same PDFs in one run. Nothing waits for a model: vectors are drawn from a pool.
"""

import hashlib
import io
import random
import resource
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psutil
import psycopg
import pypdfium2

from benchmarks.long_pdf import write_long_pdf
from benchmarks.searches import cpu_ms
from local.models import ensure_models
from local.postgres import PostgresServer
from pulsedocs.adapters.local.tokens import TiktokenCounter
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.adapters.postgres.upkeep.migrations import migrate
from pulsedocs.adapters.sandbox import SandboxedExtractor
from pulsedocs.bootstrap import providers
from pulsedocs.documents.register_document import register_document
from pulsedocs.ingestion.chunk_document import Chunker, chunk_document
from pulsedocs.ingestion.claim_upload import claim_upload
from pulsedocs.ingestion.clean_document import clean_document
from pulsedocs.ingestion.embed_batch import embed_batch
from pulsedocs.ingestion.extract_document import extract_document
from pulsedocs.ingestion.extract_range import extract_range
from pulsedocs.ingestion.gather_ranges import gather_ranges
from pulsedocs.ingestion.publish_document import publish_document
from pulsedocs.ingestion.store_pages import store_pages
from pulsedocs.ingestion.store_vectors import store_vectors
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.documents import IngestOptions, Registration, Run
from pulsedocs.model.embeddings import EmbeddedBatch
from pulsedocs.model.object_keys import upload_key

MODEL = "memory:instant@384"
CHAPTERS = 40
PDF = "application/pdf"
_SAMPLES = Path(__file__).parents[1] / "local" / "samples"
ROUNDS = 3
_WITH_THE_DATABASE = ("claim", "store", "clean", "chunk", "store_vectors", "publish")
_POOL = 4096
_PASSWORD = "bench"  # noqa: S105 -- the server listens on loopback and ends with the run


class InstantEmbedder:
    """Implements `ports.providers.Embedder` with vectors that were drawn beforehand."""

    def __init__(self) -> None:
        rng = random.Random(7)
        centres = [[rng.gauss(0, 1) for _ in range(384)] for _ in range(64)]
        self.texts = 0
        self._pool: list[tuple[float, ...]] = []
        for _ in range(_POOL):
            near = [value + rng.gauss(0, 0.5) for value in rng.choice(centres)]
            length = sum(value * value for value in near) ** 0.5
            self._pool.append(tuple(value / length for value in near))

    model = MODEL
    dimensions = 384

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        del deadline
        self.texts += len(texts)
        return EmbeddedBatch(tuple(self._of(text) for text in texts), input_tokens=0)

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        del deadline
        return self._of(text)

    def _of(self, text: str) -> tuple[float, ...]:
        place = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")
        return self._pool[place % _POOL]


@dataclass
class Meter:
    """Adds up CPU seconds of a phase by step; its own work falls outside the readings."""

    server: psutil.Process
    phase: str = "warm_up"
    spent: dict[tuple[str, str], list[float]] = field(
        default_factory=dict[tuple[str, str], list[float]]
    )
    _backends: list[psutil.Process] = field(default_factory=list[psutil.Process])

    def begin(self, phase: str) -> None:
        self.phase = phase
        self._backends = [self.server, *self.server.children(recursive=True)]

    @contextmanager
    def reading(self, step: str) -> Generator[None]:
        server, forking, client = self._servers(), self._zygote(), self._own()
        yield
        client = self._own() - client
        client += self._zygote() - forking
        server = self._servers() - server
        total = self.spent.setdefault((self.phase, step), [0.0, 0.0])
        total[0] += client
        total[1] += server

    def total(self, phase: str) -> tuple[float, float]:
        """Return a phase's seconds of the client and of the server."""
        found = [spent for (of, _), spent in self.spent.items() if of == phase]
        return sum(client for client, _ in found), sum(server for _, server in found)

    def _own(self) -> float:
        kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))

    def _zygote(self) -> float:
        """Return what the process that children are forked from has used, since the warm-up."""
        return sum(
            cpu_ms(each.pid) / 1000
            for each in psutil.Process().children()
            if any(part.endswith("sandbox/forks.py") for part in each.cmdline())
        )

    def _servers(self) -> float:
        """Sum over the backends of the phase: none of those measured comes or ends within one."""
        total = 0.0
        for process in self._backends:
            with suppress(FileNotFoundError, ProcessLookupError):
                total += cpu_ms(process.pid) / 1000  # psutil's hundredths are five small uploads
        return total


@dataclass
class Bench:
    admin_url: str
    stores: Mapping[str, PostgresIngestionStore]
    """Of each step, with a connection of its own as its function has."""
    catalogue: PostgresDocumentCatalogue
    embedder: InstantEmbedder
    count_tokens: TiktokenCounter
    meter: Meter
    objects: InMemoryObjectStore = field(default_factory=InMemoryObjectStore)
    sequencers: Iterator[int] = field(default_factory=lambda: count(1 << 60))

    def ingest(self, file: "File", *, tenant: UUID) -> int:
        """Run every stage for one file; return the number of pages that were read."""
        announced = register_document(
            tenant,
            Registration(
                document_id=None,
                source=file.name,
                title=None,
                content_type=file.content_type,
                size=len(file.body),
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
        key = upload_key(tenant, announced.document_id)
        stored = self.objects.put(
            key,
            file.body,
            content_type=file.content_type,
            metadata={"version": str(announced.version)},
        )
        return self._stages(key, stored.object_version)

    def _stages(self, key: str, object_version: str) -> int:
        stores, objects, step = self.stores, self.objects, self.meter.reading
        with step("claim"):
            claimed = claim_upload(
                key,
                object_version=object_version,
                sequencer=f"{next(self.sequencers):X}",
                holder="bench",
                objects=objects,
                store=stores["claim"],
                max_bytes=500_000_000,
            )
        if claimed.run is None or claimed.object is None:
            return 0
        reading: dict[str, Any] = {
            "objects": objects,
            "extractor": SandboxedExtractor(),
            "max_bytes": 500_000_000,
        }
        with step("extract"):  # as the state machine does, one range after another
            extracted = extract_document(claimed.run, claimed.object, **reading)
            while not extracted.complete:
                read = [
                    extract_range(claimed.run, claimed.object, part, **reading)
                    for part in extracted.ranges
                ]
                extracted = gather_ranges(claimed.run, extracted, read, objects=objects)
        with step("store"):
            stored = store_pages(claimed.run, extracted, objects=objects, store=stores["store"])
        if stored.outcome is None:
            self._rest(claimed.run)
        return extracted.pages

    def _rest(self, run: Run) -> None:
        stores, objects, step = self.stores, self.objects, self.meter.reading
        with step("clean"):
            clean_document(
                run,
                objects=objects,
                store=stores["clean"],
                count_tokens=self.count_tokens,
                batch_size=96,
            )
        with step("chunk"):
            chunker = Chunker(self.count_tokens, providers.plugin_chunker)
            chunked = chunk_document(
                run, objects=objects, store=stores["chunk"], chunker=chunker, batch_size=96
            )
        for batch in chunked.batches:
            with step("embed"):
                written = embed_batch(
                    run, batch, objects=objects, embedder=self.embedder, deadline=Deadline.after(60)
                )
            with step("store_vectors"):
                store_vectors(
                    run,
                    model=chunked.model,
                    batch=batch,
                    vectors_key=written.vectors_key,
                    objects=objects,
                    store=stores["store_vectors"],
                )
        with step("publish"):
            publish_document(run, objects=objects, store=stores["publish"])

    def bare(self, body: bytes) -> int:
        """Read every page with pdfium and COPY the texts: the least that can be done."""
        with psycopg.connect(self.admin_url) as connection:
            self.meter.begin(self.meter.phase)
            with self.meter.reading("bare"):
                document = pypdfium2.PdfDocument(body)
                statement = "COPY bare_page (document, number, text) FROM STDIN"
                with connection.cursor() as cursor, cursor.copy(statement) as copy:
                    for number, page in enumerate(document):
                        text = page.get_textpage().get_text_bounded()
                        copy.write_row((uuid4(), number, text.replace("\x00", "")))
                connection.commit()
            return len(document)


@dataclass(frozen=True, slots=True)
class File:
    name: str
    content_type: str
    body: bytes


def run(folder: Path | None = None) -> dict[str, Any]:
    """Return CPU seconds, the ratio to the bare way and where the CPU goes.

    Over our samples and a long generated PDF, or over the PDFs of a folder.
    """
    with tempfile.TemporaryDirectory() as work:
        long: list[Path] = []
        if folder is None:
            long = [write_long_pdf(Path(work) / "long.pdf", chapters=CHAPTERS)]
            folder = _SAMPLES
        files = [File(path.name, PDF, path.read_bytes()) for path in long]
        files += [
            File(str(path.relative_to(folder)), PDF, path.read_bytes())
            for path in sorted(folder.rglob("*.pdf"))
        ]
        with PostgresServer(Path(work) / "server", version=16, disposable=True) as server:
            return _measure(_bench(server), files)


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
        stores={step: PostgresIngestionStore(Database(ingest)) for step in _WITH_THE_DATABASE},
        catalogue=PostgresDocumentCatalogue(Database(api)),
        embedder=InstantEmbedder(),
        count_tokens=TiktokenCounter(ensure_models()),
        meter=Meter(postmaster or psutil.Process()),
    )


def _measure(bench: Bench, files: Sequence[File]) -> dict[str, Any]:
    bench.meter.begin("warm_up")
    bench.ingest(files[0], tenant=uuid4())
    bench.meter.spent.clear()
    # The first PDF again, with its last page once more before the first.
    document = pypdfium2.PdfDocument(files[0].body)
    document.import_pages(document, pages=[len(document) - 1], index=0)
    written = io.BytesIO()
    document.save(written)
    changed = [replace(files[0], body=written.getvalue()), *files[1:]]
    pages: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    for _ in range(ROUNDS):
        tenant = uuid4()
        for phase, uploads in (("fresh", files), ("unchanged", files), ("one_changed", changed)):
            before = bench.embedder.texts
            bench.meter.begin(phase)
            pages[phase] += sum(bench.ingest(file, tenant=tenant) for file in uploads)
            texts[phase] += bench.embedder.texts - before
        bench.meter.begin("bare")
        pages["bare"] += sum(bench.bare(file.body) for file in files)
    return {"files": len(files), "rounds": ROUNDS, **_report(bench.meter, pages, texts)}


def _report(meter: Meter, pages: Counter[str], texts: Counter[str]) -> dict[str, Any]:
    phases = ("fresh", "unchanged", "one_changed", "bare")
    total = {phase: sum(meter.total(phase)) for phase in phases}
    floor = total["bare"] + meter.total("fresh")[1]
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    peak = next(line for line in lines if line.startswith("VmHWM"))
    return {
        "pages": pages["fresh"],
        "pages_read": dict(pages),
        "texts_embedded": dict(texts),
        "fresh_pages_per_cpu_second": _rounded(pages["fresh"] / total["fresh"]),
        "bare_pages_per_cpu_second": _rounded(pages["bare"] / total["bare"]),
        "ratio_to_bare": _rounded(total["fresh"] / total["bare"]),
        "ratio_of_bare_and_our_server_to_bare": _rounded(floor / total["bare"]),
        "unchanged_speed_up": _rounded(total["fresh"] / total["unchanged"]),
        "one_changed_speed_up": _rounded(total["fresh"] / total["one_changed"]),
        "cpu_seconds": {phase: _rounded(seconds) for phase, seconds in total.items()},
        "cpu_seconds_by_step": {
            step: {"client": _rounded(spent[0]), "server": _rounded(spent[1])}
            for (phase, step), spent in meter.spent.items()
            if phase == "fresh"
        },
        "peak_mb": round(int(peak.split()[1]) / 1024, 1),
    }


def _rounded(value: float) -> float:
    return round(value, 4)
