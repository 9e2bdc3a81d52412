"""What came from outside (pages, vectors, a model's probe), validated, from S3 into rows."""

from functools import singledispatch
from typing import Annotated, Literal

from pydantic import BaseModel, Field, RootModel

from pulsedocs import bootstrap
from pulsedocs.edge.events import CaughtError, S3Event
from pulsedocs.edge.tasks import RunReference, task
from pulsedocs.embedding_models.backfill_model import store_more_vectors
from pulsedocs.embedding_models.probe_model import Probed, record_probe, record_refusal
from pulsedocs.ingestion.embed_batch import EmbeddingBatchReference
from pulsedocs.ingestion.extract_document import Extracted
from pulsedocs.ingestion.ports import StepResult
from pulsedocs.ingestion.store_pages import store_pages
from pulsedocs.ingestion.store_vectors import store_vectors
from pulsedocs.model.page_ranges import PageRange


class ExtractedPages(BaseModel):
    pages: int
    parts: list[PageRange]
    ranges: list[PageRange]
    complete: Literal[True]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    size: int
    elapsed_ms: Annotated[int, Field(ge=0)]

    def to_extracted(self) -> Extracted:
        return Extracted(**{name: getattr(self, name) for name in ExtractedPages.model_fields})


class StorePages(BaseModel):
    kind: Literal["pages"]
    run: RunReference
    extracted: ExtractedPages


class Batch(BaseModel):
    index: int
    hash: str


class WrittenVectors(BaseModel):
    vectors_key: str
    input_tokens: Annotated[int, Field(ge=0)] = 0


class StoreVectors(BaseModel):
    kind: Literal["vectors"]
    run: RunReference
    model: str
    batch: Batch
    embedded: WrittenVectors


class StoreMoreVectors(BaseModel):
    """Of a model beside the one that the document was ingested for."""

    kind: Literal["more_vectors"]
    run: RunReference
    model: str
    embedded: WrittenVectors


class ProbedModel(BaseModel):
    model: str
    dimensions: Annotated[int, Field(ge=0)]
    length: float


class StoreProbe(BaseModel):
    kind: Literal["probe"]
    event: S3Event
    probed: ProbedModel


class StoreRefusal(BaseModel):
    kind: Literal["probe_refused"]
    event: S3Event
    error: CaughtError


Stored = StorePages | StoreVectors | StoreMoreVectors | StoreProbe | StoreRefusal


class StoreRequest(RootModel[Annotated[Stored, Field(discriminator="kind")]]):
    """One of the things that `store` takes in."""

    @property
    def run(self) -> RunReference | None:
        return getattr(self.root, "run", None)


@task(StoreRequest)
def handler(request: StoreRequest) -> StepResult:
    return _stored(request.root)


@singledispatch
def _stored(wanted: BaseModel) -> StepResult:
    raise NotImplementedError(type(wanted).__name__)


@_stored.register
def _(wanted: StorePages) -> StepResult:
    return store_pages(
        wanted.run.to_run(),
        wanted.extracted.to_extracted(),
        objects=bootstrap.object_store(),
        store=bootstrap.ingestion_store(),
    )


@_stored.register
def _(wanted: StoreVectors) -> StepResult:
    return store_vectors(
        wanted.run.to_run(),
        model=wanted.model,
        batch=EmbeddingBatchReference(wanted.batch.index, wanted.batch.hash),
        vectors_key=wanted.embedded.vectors_key,
        paid_tokens=wanted.embedded.input_tokens,
        objects=bootstrap.object_store(),
        store=bootstrap.ingestion_store(),
    )


@_stored.register
def _(wanted: StoreMoreVectors) -> StepResult:
    return store_more_vectors(
        wanted.run.to_run(),
        model=wanted.model,
        vectors_key=wanted.embedded.vectors_key,
        objects=bootstrap.object_store(),
        store=bootstrap.backfill_store(),
    )


@_stored.register
def _(wanted: StoreProbe) -> StepResult:
    probed = Probed(**wanted.probed.model_dump())
    key, store = wanted.event.key, bootstrap.backfill_store()
    return {"recorded": record_probe(key, probed, store=store)}


@_stored.register
def _(wanted: StoreRefusal) -> StepResult:
    key, store = wanted.event.key, bootstrap.backfill_store()
    error = wanted.error
    return {"recorded": record_refusal(key, name=error.name, cause=error.cause, store=store)}
