"""What came from outside (pages, vectors, a model's probe), validated, from S3 into rows."""

from functools import singledispatch
from typing import Annotated, Literal

from pydantic import BaseModel, Field, RootModel

from pulsedocs.bootstrap import buckets, databases
from pulsedocs.edge.events import CaughtError, S3Event
from pulsedocs.edge.tasks import task
from pulsedocs.embedding_models.backfill_model import VectorsAdded, store_more_vectors
from pulsedocs.embedding_models.probe_model import (
    Probed,
    ProbeRecorded,
    record_probe,
    record_refusal,
)
from pulsedocs.ingestion.embed_batch import VectorsWritten
from pulsedocs.ingestion.extract_document import Extracted
from pulsedocs.ingestion.store_pages import StoreResult, store_pages
from pulsedocs.ingestion.store_vectors import EmbedResult, store_vectors
from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import EmbeddingBatchReference


class StorePages(BaseModel):
    kind: Literal["pages"]
    run: Run
    extracted: Extracted


class StoreVectors(BaseModel):
    kind: Literal["vectors"]
    run: Run
    model: str
    batch: EmbeddingBatchReference
    embedded: VectorsWritten


class StoreMoreVectors(BaseModel):
    """Of a model beside the one that the document was ingested for."""

    kind: Literal["more_vectors"]
    run: Run
    model: str
    embedded: VectorsWritten


class StoreProbe(BaseModel):
    kind: Literal["probe"]
    event: S3Event
    probed: Probed


class StoreRefusal(BaseModel):
    kind: Literal["probe_refused"]
    event: S3Event
    error: CaughtError


Result = StoreResult | EmbedResult | VectorsAdded | ProbeRecorded
Stored = StorePages | StoreVectors | StoreMoreVectors | StoreProbe | StoreRefusal


class StoreRequest(RootModel[Annotated[Stored, Field(discriminator="kind")]]):
    """One of the things that `store` takes in."""

    @property
    def run(self) -> Run | None:
        return getattr(self.root, "run", None)


@task(StoreRequest)
def handler(request: StoreRequest) -> Result:
    return _store(request.root)


@singledispatch
def _store(wanted: BaseModel) -> Result:
    raise NotImplementedError(type(wanted).__name__)


@_store.register
def _(wanted: StorePages) -> StoreResult:
    return store_pages(
        wanted.run,
        wanted.extracted,
        objects=buckets.object_store(),
        store=databases.ingestion_store(),
    )


@_store.register
def _(wanted: StoreVectors) -> EmbedResult:
    return store_vectors(
        wanted.run,
        model=wanted.model,
        batch=wanted.batch,
        vectors_key=wanted.embedded.vectors_key,
        paid_tokens=wanted.embedded.input_tokens,
        objects=buckets.object_store(),
        store=databases.ingestion_store(),
    )


@_store.register
def _(wanted: StoreMoreVectors) -> VectorsAdded:
    return store_more_vectors(
        wanted.run,
        model=wanted.model,
        vectors_key=wanted.embedded.vectors_key,
        objects=buckets.object_store(),
        store=databases.backfill_store(),
    )


@_store.register
def _(wanted: StoreProbe) -> ProbeRecorded:
    return record_probe(wanted.event.key, wanted.probed, store=databases.backfill_store())


@_store.register
def _(wanted: StoreRefusal) -> ProbeRecorded:
    return record_refusal(
        wanted.event.key,
        name=wanted.error.name,
        cause=wanted.error.cause,
        store=databases.backfill_store(),
    )
