"""Our own store behind the plug-ins' interface of a vector database: a point is a document.

Each point goes through the steps of ingestion, with their fences and locks, in this process: what
searches, deletes and counts documents sees points as well.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from pulsedocs.chunking import identify
from pulsedocs.embedding import estimate_tokens, normalise, parse_model_name
from pulsedocs.errors import CollectionExists, FencedOut, InvalidRequest, NoDocumentsFoundError
from pulsedocs.model.changes import CollectionChoices, Description, Strategy, Update
from pulsedocs.model.chunks import Chunk, IdentifiedChunk, PageSpan
from pulsedocs.model.documents import (
    ClaimedWork,
    DuplicateBy,
    IngestOptions,
    OnDuplicate,
    Registered,
    Registration,
    Run,
    StoredObject,
)
from pulsedocs.model.object_keys import upload_key
from pulsedocs.model.pages import CleanedPage, OffsetMap, Page, PageOutcome
from pulsedocs.model.retrieval import Candidate, CandidateQuery, Leg, Scope
from pulsedocs.pipeline import Outcome, Step
from pulsedocs.plugins import Match, Point
from pulsedocs.ports.documents import CollectionStore, DocumentCatalogue, DocumentChanges
from pulsedocs.ports.ingestion import IngestionStore, StepResult, StepWriter
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.ports.retrieval import RetrievalStore
from pulsedocs.usecases.delete_document import ask_for_purge

_METHOD: Final = "points"
_TYPE: Final = "application/vnd.pulsedocs.point+json"
_LONGEST_TEXT: Final = 8_000


@dataclass(frozen=True, slots=True)
class PointStore:
    """Implements `pulsedocs.plugins.BaseVectorDB` for one tenant, over the ports of the product.

    Filters are those of a search: equal values, and the operators that a search knows.
    """

    tenant_id: UUID
    collections: CollectionStore
    catalogue: DocumentCatalogue
    ingestion: IngestionStore
    changes: DocumentChanges
    retrieval: RetrievalStore
    objects: ObjectStore

    def create_collection(self, name: str, dimensions: int) -> None:
        model = str(parse_model_name(f"points:given@{dimensions}"))
        choices = CollectionChoices(model, "classic", "default", "english")
        try:
            self.collections.create(self.tenant_id, name, choices)
        except CollectionExists:
            found = self._model(name)
            if found != model:
                raise InvalidRequest(f"the collection {name!r} is indexed by {found!r}") from None

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        model = self._model(collection)
        dimensions = parse_model_name(model).dimensions
        for point in points:
            _check(point, dimensions=dimensions)
        for point in points:
            self._write(collection, point, model=model)

    def search(
        self,
        collection: str,
        query_vector: Sequence[float],
        filters: Mapping[str, Any] | None = None,
        limit: int = 10,
    ) -> list[Match]:
        model = self._model(collection)
        asked = CandidateQuery(
            scope=Scope(self.tenant_id, collections=(collection,), filters=filters or None),
            model=model,
            dimensions=parse_model_name(model).dimensions,
            vectors={Leg.VECTOR: normalise(query_vector)},
            words=None,
            vector_candidates=limit,
            keyword_candidates=0,
        )
        found = map(_match, self.retrieval.search(asked).candidates)
        return sorted(found, key=lambda match: (-match.score, match.id))

    def delete(self, collection: str, filters: Mapping[str, Any]) -> int:
        """Delete and ask for the purge; the points are unsearchable from the commit on."""
        if not filters:
            raise InvalidRequest("filters are empty; to delete all, delete the collection")
        update = Update(Strategy.DELETE, collection=collection, filters=filters)
        try:
            result = self.changes.update(self.tenant_id, update, actor=_METHOD)
        except NoDocumentsFoundError:
            return 0
        ask_for_purge(self.tenant_id, result.receipt_ids, objects=self.objects)
        return len(result.deleted_document_ids)

    def _model(self, collection: str) -> str:
        return self.collections.collection(self.tenant_id, collection).choices.model

    def _write(self, collection: str, point: Point, *, model: str) -> None:
        body = json.dumps([point.id, point.text, point.vector], sort_keys=True).encode()
        registered = self.catalogue.register(
            self.tenant_id, _registration(collection, point, size=len(body)), default_model=model
        )
        run = self._claim(registered, body)
        _Steps(run, self.ingestion, point, body, model).perform()
        self._describe(registered.document_id, point)

    def _claim(self, registered: Registered, body: bytes) -> Run:
        digest = hashlib.sha256(body).hexdigest()
        stored = StoredObject(
            key=upload_key(self.tenant_id, registered.document_id),
            object_version=f"{registered.version}-{digest}",
            size=len(body),
            content_type=_TYPE,
            metadata={"version": str(registered.version)},
            last_modified=datetime.now(UTC),
        )
        work = self.ingestion.claim(
            self.tenant_id,
            registered.document_id,
            stored=stored,
            sequencer=f"{registered.version:016X}",
            holder=f"points-{digest[:16]}",
        )
        if not isinstance(work, ClaimedWork):
            raise FencedOut(f"another write of this point came first: {work.reason}")
        return work.run

    def _describe(self, document_id: UUID, point: Point) -> None:
        """Give a replaced point the metadata it was sent with, and none of what it had."""
        known = self.catalogue.status(self.tenant_id, document_id).metadata
        if known != point.metadata:
            patch = dict.fromkeys(known) | dict(point.metadata)
            description = Description(frozenset({"metadata"}), metadata=patch)
            self.changes.describe(self.tenant_id, document_id, description)


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps of ingestion for one point, whose text is one page and one chunk."""

    run: Run
    store: IngestionStore
    point: Point
    body: bytes
    model: str

    def perform(self) -> None:
        if self._step(Step.STORE, self._page)["outcome"] is not None:
            return  # the same point is there already
        self._step(Step.CLEAN, self._cleaned)
        self._step(Step.CHUNK, self._chunk)
        self._step(Step.EMBED, self._vector)
        self._step(Step.PUBLISH, lambda writer: writer.publish(self.model))

    def _step(self, step: Step, write: Callable[[StepWriter], Outcome | None]) -> StepResult:
        def recorded(writer: StepWriter, _plan: None) -> StepResult:
            outcome = write(writer)
            return {"outcome": None if outcome is None else outcome.value}

        return self.store.perform(self.run, step, plan=lambda: None, write=recorded)

    def _page(self, writer: StepWriter) -> Outcome | None:
        digest = hashlib.sha256(self.body).digest()
        decision = writer.accept_content(sha256=digest, size=len(self.body), pages=1)
        if decision.outcome is not None:
            writer.end(decision.outcome)
            return decision.outcome
        writer.insert_pages([Page(1, self.point.text, PageOutcome.TEXT, _METHOD)])
        return None

    def _cleaned(self, writer: StepWriter) -> None:
        text = self.point.text
        writer.write_cleaned([CleanedPage(1, text, OffsetMap((0,), (0,), (len(text),)))])

    def _chunk(self, writer: StepWriter) -> None:
        writer.insert_chunks([self._identified])

    def _vector(self, writer: StepWriter) -> None:
        vector = normalise(self.point.vector)
        writer.insert_embeddings(self.model, [(self._identified.chunk_id, vector)])
        writer.record_usage(model=self.model, input_tokens=0, method="embed")

    @property
    def _identified(self) -> IdentifiedChunk:
        text = self.point.text
        chunk = Chunk(
            index=0,
            text=text,
            spans=(PageSpan(1, 0, len(text)),),
            section=(),
            tokens=estimate_tokens(text),
            profile=_METHOD,
            method=_METHOD,
            parameters={},
        )
        return identify(self.run.document_id, hashlib.sha256(self.body).digest(), chunk)


def _registration(collection: str, point: Point, *, size: int) -> Registration:
    return Registration(
        document_id=None,
        source=point.id,
        title=None,
        content_type=_TYPE,
        size=size,
        sha256=None,
        metadata=dict(point.metadata),
        content_date=None,
        options=IngestOptions(
            collection=collection,
            on_duplicate=OnDuplicate.REPLACE,
            duplicate_by=DuplicateBy.SOURCE,
        ),
    )


def _check(point: Point, *, dimensions: int) -> None:
    if len(point.vector) != dimensions:
        raise InvalidRequest(
            f"the vector of {point.id[:50]!r} has {len(point.vector)} dimensions, not {dimensions}"
        )
    if not point.text.strip() or len(point.text) > _LONGEST_TEXT:
        raise InvalidRequest(f"the text of {point.id[:50]!r} is blank or above {_LONGEST_TEXT}")
    normalise(point.vector)


def _match(candidate: Candidate) -> Match:
    score = -1.0 if candidate.similarity is None else candidate.similarity
    return Match(candidate.source, score, candidate.text, dict(candidate.metadata))
