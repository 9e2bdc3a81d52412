"""The ingestion stages in one process: the real use cases and database, S3 and provider in memory.

It does what the state machine does: one step after another, each tried again after a crash or a
retryable error, and `fail_document` when a step gives up.
"""

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import partial
from itertools import count, islice
from typing import Any, TypeVar
from uuid import UUID

from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.memory.tokens import WhitespaceTokenCounter
from pulsedocs.bootstrap import providers
from pulsedocs.documents.ports import DocumentCatalogue
from pulsedocs.documents.register_document import register_document
from pulsedocs.embedding import parse_model_name
from pulsedocs.errors import PulseDocsError, RetryableError
from pulsedocs.extraction import Budgets
from pulsedocs.extraction.reading import open_file
from pulsedocs.ingestion.chunk_document import Chunker, chunk_document
from pulsedocs.ingestion.claim_upload import Claimed, claim_upload
from pulsedocs.ingestion.clean_document import clean_document
from pulsedocs.ingestion.embed_batch import embed_batch
from pulsedocs.ingestion.extract_document import extract_document
from pulsedocs.ingestion.fail_document import fail_document
from pulsedocs.ingestion.ports import IngestionStore, PageExtractor
from pulsedocs.ingestion.publish_document import publish_document
from pulsedocs.ingestion.sentence_distances import measure_sentences
from pulsedocs.ingestion.store_pages import store_pages
from pulsedocs.ingestion.store_vectors import store_vectors
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.documents import IngestOptions, Registration, Run
from pulsedocs.model.embeddings import EmbeddedBatch, EmbeddingBatchReference
from pulsedocs.model.object_keys import upload_key
from pulsedocs.model.pages import Page
from pulsedocs.pipeline import Outcome
from pulsedocs.ports.providers import Embedder

MODEL = "memory:hashing@384"
ATTEMPTS = 4
BATCH_SIZE = 2  # small, so that a short text makes several batches

Result = TypeVar("Result")
_OPTIONS = {option.name for option in fields(IngestOptions)}


class Crash(BaseException):
    """The process dies here: no handler of the product can catch it."""


class Clock:
    """The bucket's clock; the database's is moved by moving what it is compared with."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class CountingEmbedder(HashingEmbedder):
    """Counts the calls that a provider would send an invoice for."""

    def __init__(self, dimensions: int = 384) -> None:
        super().__init__(dimensions=dimensions)
        self.calls = 0

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        self.calls += 1
        return super().embed_passages(texts, deadline=deadline)


class InProcessExtractor:
    """Implements `ingestion.ports.PageExtractor` without the child process."""

    @contextmanager
    def open(
        self, body: bytes, *, content_type: str, first: int = 1, last: int | None = None
    ) -> Generator["InProcessFile"]:
        file = open_file(body, content_type=content_type, budgets=Budgets())
        pages = islice(file.pages(first), None if last is None else last - first + 1)
        yield InProcessFile(file.page_count, pages)


@dataclass(frozen=True, slots=True)
class InProcessFile:
    """Implements `ingestion.ports.OpenedFile`."""

    page_count: int
    pages: Iterator[Page]


@dataclass(frozen=True, slots=True)
class Event:
    """An `Object Created` event: what of it the claim reads."""

    key: str
    object_version: str
    sequencer: str


@dataclass(slots=True)
class Pipeline:
    store: IngestionStore
    catalogue: DocumentCatalogue
    objects: InMemoryObjectStore = field(default_factory=InMemoryObjectStore)
    embedder: Embedder = field(default_factory=HashingEmbedder)
    model: str = MODEL
    extractor: PageExtractor = field(default_factory=InProcessExtractor)
    executions: Iterator[int] = field(default_factory=count)
    sequencers: Iterator[int] = field(default_factory=lambda: count(0x61_7F08_2993))

    def upload(
        self,
        tenant_id: UUID,
        document_id: UUID | None,
        body: bytes,
        *,
        filename: str = "handbook.txt",
        content_type: str = "text/plain",
        **said: Any,
    ) -> Event:
        """Register, put the bytes where the form says, and return the event S3 would send.

        `said` are other fields of the registration and of its options.
        """
        options = {name: said.pop(name) for name in _OPTIONS & said.keys()}
        for name in ("title", "sha256", "content_date"):
            said.setdefault(name, None)
        announced = register_document(
            tenant_id,
            Registration(
                document_id=document_id,
                source=filename,
                content_type=content_type,
                size=max(1, len(body)),
                metadata=said.pop("metadata", {}),
                options=IngestOptions(**options),
                **said,
            ),
            catalogue=self.catalogue,
            objects=self.objects,
            default_model=self.model,
            max_bytes=50_000_000,
        )
        return self.put(tenant_id, announced.document_id, body, version=announced.version)

    def put(self, tenant_id: UUID, document_id: UUID, body: bytes, *, version: int) -> Event:
        """Put bytes under a registration, once more if wanted."""
        key = upload_key(tenant_id, document_id)
        stored = self.objects.put(
            key, body, content_type="text/plain", metadata={"version": str(version)}
        )
        return Event(key, stored.object_version, f"{next(self.sequencers):X}")

    def deliver(self, event: Event) -> str | None:
        """Run one execution for an event to its end; return its outcome."""
        claimed = self.claim(event)
        if not claimed.work or claimed.run is None:
            return None
        try:
            return self.run(claimed)
        except PulseDocsError as error:
            ended = retried(partial(self.fail, claimed, error))
            return None if ended is None else ended.value

    def fail(self, claimed: Claimed, error: PulseDocsError) -> Outcome | None:
        return fail_document(
            _run(claimed),
            name=type(error).__name__,
            cause=json.dumps({"errorMessage": error.message}),
            objects=self.objects,
            store=self.store,
        )

    def claim(self, event: Event) -> Claimed:
        execution = self.new_execution()
        return retried(lambda: self.claim_once(event, holder=execution))

    def claim_once(self, event: Event, *, holder: str | None = None) -> Claimed:
        return claim_upload(
            event.key,
            object_version=event.object_version,
            sequencer=event.sequencer,
            holder=holder or self.new_execution(),
            objects=self.objects,
            store=self.store,
            max_bytes=50_000_000,
        )

    def new_execution(self) -> str:
        return f"execution-{next(self.executions)}"

    def run(self, claimed: Claimed) -> str | None:
        """Run every step after the claim; return the outcome of the version."""
        outcome = None
        for step in self.steps(claimed):
            outcome = retried(step)
            if outcome is not None:
                break
        return outcome

    def run_from_chunk(self, claimed: Claimed) -> str | None:
        """Run what is left for a version whose collection has changed its model meanwhile."""
        outcome = None
        for step in self._from_chunk(_run(claimed), {}):
            outcome = retried(step)
        return outcome

    def steps(self, claimed: Claimed) -> Iterator[Callable[[], str | None]]:
        """Yield the steps in the state machine's order; each returns an outcome or None."""
        run, objects, store = _run(claimed), self.objects, self.store
        kept: dict[str, Any] = {}

        def extract() -> None:
            assert claimed.object is not None
            kept["extracted"] = extract_document(
                run,
                claimed.object,
                objects=objects,
                extractor=self.extractor,
                max_bytes=50_000_000,
            )

        def clean() -> str | None:
            kept["cleaned"] = clean_document(
                run,
                objects=objects,
                store=store,
                count_tokens=WhitespaceTokenCounter(),
                batch_size=BATCH_SIZE,
            )
            return kept["cleaned"].outcome

        yield extract
        yield lambda: store_pages(run, kept["extracted"], objects=objects, store=store).outcome
        yield clean
        for item in kept["cleaned"].sentences:
            yield partial(self._measure, run, item, kept)
        yield from self._from_chunk(run, kept)

    def _from_chunk(self, run: Run, kept: dict[str, Any]) -> Iterator[Callable[[], str | None]]:
        objects, store = self.objects, self.store

        def chunk() -> None:
            kept["chunked"] = chunk_document(
                run,
                objects=objects,
                store=store,
                chunker=Chunker(WhitespaceTokenCounter(), providers.plugin_chunker),
                batch_size=BATCH_SIZE,
                failure=kept.get("failure", ""),
            )

        yield chunk
        for item in kept["chunked"].batches:
            yield from self._batch(run, item, kept)
        yield lambda: publish_document(run, objects=objects, store=store).outcome

    def _measure(self, run: Run, batch: EmbeddingBatchReference, kept: dict[str, Any]) -> None:
        """Measure unless an earlier batch failed; a failure that stays leads on to chunking."""
        if "failure" in kept:
            return
        try:
            retried(
                lambda: measure_sentences(
                    run,
                    batch,
                    objects=self.objects,
                    embedder=self.embedder,
                    deadline=Deadline.after(60),
                )
            )
        except PulseDocsError as error:
            kept["failure"] = type(error).__name__

    def _batch(
        self, run: Run, batch: EmbeddingBatchReference, kept: dict[str, Any]
    ) -> Iterator[Callable[[], None]]:
        def embed() -> None:
            kept["vectors"] = embed_batch(
                run,
                batch,
                objects=self.objects,
                embedder=self._embedder(kept["chunked"].model),
                deadline=Deadline.after(60),
            )

        def store() -> None:
            store_vectors(
                run,
                model=kept["chunked"].model,
                batch=batch,
                vectors_key=kept["vectors"].vectors_key,
                objects=self.objects,
                store=self.store,
            )

        yield embed
        yield store

    def _embedder(self, model: str) -> Embedder:
        """Return the pipeline's own embedder, or one for the model that replaced its model."""
        if model in (self.model, self.embedder.model):
            return self.embedder
        return HashingEmbedder(dimensions=parse_model_name(model).dimensions)


def retried(step: Callable[[], Result]) -> Result:
    """Try again after a crash or a retryable error, as the machine and Lambda do."""
    for _ in range(ATTEMPTS - 1):
        try:
            return step()
        except (Crash, RetryableError):
            continue
    return step()


def _run(claimed: Claimed) -> Run:
    assert claimed.run is not None
    return claimed.run


PUBLISHED = Outcome.PUBLISHED.value
