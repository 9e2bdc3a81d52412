"""Ingestion: what came from outside (pages, vectors), validated, from S3 into rows."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, RootModel

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import RunReference, task
from pulsedocs.model.page_ranges import PageRange
from pulsedocs.ports import StepResult
from pulsedocs.usecases.embed_batch import BatchReference
from pulsedocs.usecases.extract_document import Extracted
from pulsedocs.usecases.store_pages import store_pages
from pulsedocs.usecases.store_vectors import store_vectors


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


class StoreVectors(BaseModel):
    kind: Literal["vectors"]
    run: RunReference
    model: str
    batch: Batch
    embedded: WrittenVectors


class StoreRequest(RootModel[Annotated[StorePages | StoreVectors, Field(discriminator="kind")]]):
    """One of the two things that `store` takes in."""

    @property
    def run(self) -> RunReference:
        return self.root.run


@task(StoreRequest)
def handler(request: StoreRequest) -> StepResult:
    wanted = request.root
    if isinstance(wanted, StorePages):
        return store_pages(
            wanted.run.to_run(),
            wanted.extracted.to_extracted(),
            objects=bootstrap.object_store(),
            store=bootstrap.ingestion_store(),
        )
    return store_vectors(
        wanted.run.to_run(),
        model=wanted.model,
        batch=BatchReference(wanted.batch.index, wanted.batch.hash),
        vectors_key=wanted.embedded.vectors_key,
        objects=bootstrap.object_store(),
        store=bootstrap.ingestion_store(),
    )
