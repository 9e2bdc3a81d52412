"""Documents made straight through the stores: each step's rows, with no stage and no S3."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any
from uuid import UUID, uuid4

from benchmarks.library import identified_chunk
from pulsedocs.documents.ports import DocumentCatalogue
from pulsedocs.ingestion.chunk_document import ChunkResult
from pulsedocs.ingestion.clean_document import CleanResult
from pulsedocs.ingestion.ports import ContentDecision, IngestionStore, StepWriter
from pulsedocs.ingestion.publish_document import PublishResult
from pulsedocs.ingestion.store_pages import StoreResult
from pulsedocs.ingestion.store_vectors import EmbedResult
from pulsedocs.model.chunks import IdentifiedChunk, PageSpan
from pulsedocs.model.documents import (
    ClaimedWork,
    DuplicateBy,
    ErrorReport,
    IngestOptions,
    NothingToDo,
    OnDuplicate,
    Registered,
    Registration,
    Run,
    StoredObject,
)
from pulsedocs.model.object_keys import upload_key
from pulsedocs.model.pages import CleanedPage, Heading, OffsetMap, Page, PageOutcome

MODEL = "memory:hashing@8"
TEXTS = ("The gauge is read at noon.", "Readings go to the duty engineer at noon.")

_sequencers = count(0x10)
_objects = count(1)


def registration(
    source: str = "log.txt",
    *,
    document_id: UUID | None = None,
    sha256: bytes | None = None,
    collection: str = "default",
    on_duplicate: str = "skip",
    duplicate_by: str = "content",
    **options: Any,
) -> Registration:
    return Registration(
        document_id=document_id,
        source=source,
        title="Log",
        content_type="text/plain",
        size=100,
        sha256=sha256,
        metadata={"site": 7},
        content_date=None,
        options=IngestOptions(
            collection=collection,
            on_duplicate=OnDuplicate(on_duplicate),
            duplicate_by=DuplicateBy(duplicate_by),
            **options,
        ),
    )


def stored(
    tenant_id: UUID, document_id: UUID, *, version: int | None, object_version: str | None = None
) -> StoredObject:
    return StoredObject(
        key=upload_key(tenant_id, document_id),
        object_version=object_version or f"object-{next(_objects)}",
        size=100,
        content_type="text/plain",
        metadata={} if version is None else {"version": str(version)},
        last_modified=datetime.now(UTC),
    )


def vector_of(text: str, *, dimensions: int = 8) -> tuple[float, ...]:
    raw = [byte - 127.5 for byte in hashlib.sha512(text.encode()).digest()[:dimensions]]
    norm = math.hypot(*raw)
    return tuple(value / norm for value in raw)


def chunks_of(run: Run, texts: Sequence[str]) -> list[IdentifiedChunk]:
    return [
        identified_chunk(
            run,
            index,
            text,
            spans=(PageSpan(index + 1, 0, len(text)),),
            section=("Log", f"Entry {index}"),
            parameters={"size": 512},
            flags=("short",),
        )
        for index, text in enumerate(texts)
    ]


def page(number: int, text: str) -> Page:
    return Page(number, text, PageOutcome.TEXT, "test", label=f"p{number}")


def cleaned(number: int, text: str) -> CleanedPage:
    whole = OffsetMap((0,), (0,), (len(text),))
    return CleanedPage(number, text, whole, f"p{number}", (Heading(1, "Log", 0),))


def digest_of(texts: Sequence[str] = TEXTS) -> bytes:
    """Return what the bytes of an upload with these texts hash to."""
    return hashlib.sha256("\n".join(texts).encode()).digest()


@dataclass(slots=True)
class Author:
    """One tenant's uploads."""

    store: IngestionStore
    catalogue: DocumentCatalogue
    tenant: UUID = field(default_factory=uuid4)

    def register(self, source: str = "log.txt", **options: Any) -> Registered:
        return self.catalogue.register(
            self.tenant, registration(source, **options), default_model=MODEL
        )

    def arrive(
        self,
        registered: Registered,
        *,
        sequencer: str | None = None,
        holder: str = "execution-1",
        object_version: str | None = None,
        content: bytes | ErrorReport | None = None,
    ) -> ClaimedWork | NothingToDo:
        """Claim what an upload event for this registration speaks of."""
        return self.store.claim(
            self.tenant,
            registered.document_id,
            stored=stored(
                self.tenant,
                registered.document_id,
                version=registered.version,
                object_version=object_version,
            ),
            sequencer=sequencer or f"{next(_sequencers):X}",
            holder=holder,
            content=content,
        )

    def started(self, source: str = "log.txt", **options: Any) -> Run:
        """Register and claim."""
        work = self.arrive(self.register(source, **options))
        assert isinstance(work, ClaimedWork)
        return work.run

    def ingest(self, source: str = "log.txt", texts: Sequence[str] = TEXTS, **options: Any) -> Run:
        """Bring a document from its registration to its publication."""
        run = self.started(source, **options)
        self.finish(run, texts)
        return run

    def finish(self, run: Run, texts: Sequence[str] = TEXTS) -> str | None:
        ended = self.put_pages(run, texts)
        if ended is not None:
            return ended
        self.clean(run, texts)
        self.split(run, texts)
        self.embed(run, texts)
        return self.publish(run)

    def put_pages(self, run: Run, texts: Sequence[str] = TEXTS) -> str | None:
        digest = digest_of(texts)

        def write(writer: StepWriter, pages: list[Page]) -> StoreResult:
            decision: ContentDecision = writer.accept_content(
                sha256=digest, size=100, pages=len(pages)
            )
            if decision.outcome is not None:
                writer.end(decision.outcome)
                return StoreResult(outcome=decision.outcome)
            writer.insert_pages(pages)
            writer.count_pages(len(pages))
            return StoreResult(outcome=None, duplicate_of=decision.duplicate_of)

        pages = [page(number, text) for number, text in enumerate(texts, 1)]
        return self.store.perform(run, StoreResult, plan=lambda: pages, write=write).outcome

    def clean(self, run: Run, texts: Sequence[str] = TEXTS) -> None:
        pages = [cleaned(number, text) for number, text in enumerate(texts, 1)]

        def write(writer: StepWriter, plan: list[CleanedPage]) -> CleanResult:
            writer.write_cleaned(plan)
            return CleanResult(pages=len(plan))

        self.store.perform(run, CleanResult, plan=lambda: pages, write=write)

    def split(self, run: Run, texts: Sequence[str] = TEXTS) -> None:
        def write(writer: StepWriter, plan: list[IdentifiedChunk]) -> ChunkResult:
            writer.insert_chunks(plan)
            return ChunkResult(chunks=len(plan))

        self.store.perform(run, ChunkResult, plan=lambda: chunks_of(run, texts), write=write)

    def embed(self, run: Run, texts: Sequence[str] = TEXTS, *, batch: int = 0) -> None:
        vectors = [(each.chunk_id, vector_of(each.chunk.text)) for each in chunks_of(run, texts)]

        def write(writer: StepWriter, plan: list[tuple[UUID, tuple[float, ...]]]) -> EmbedResult:
            writer.insert_embeddings(MODEL, plan)
            writer.record_usage(model=MODEL, input_tokens=len(plan), method="embed")
            return EmbedResult(embedded=len(plan))

        self.store.perform(run, EmbedResult, plan=lambda: vectors, write=write, batch=batch)

    def publish(self, run: Run) -> str | None:
        def write(writer: StepWriter, model: str) -> PublishResult:
            return PublishResult(outcome=writer.publish(model))

        return self.store.perform(run, PublishResult, plan=lambda: MODEL, write=write).outcome
