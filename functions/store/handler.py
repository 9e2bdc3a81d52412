"""What came from outside (pages, vectors, a model's probe), validated, from S3 into rows."""

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
from pulsedocs.ingestion.extract_range import RangeRead
from pulsedocs.ingestion.store_pages import StoreResult, store_pages
from pulsedocs.ingestion.store_vectors import EmbedResult, store_vectors
from pulsedocs.model.documents import Run
from pulsedocs.model.embeddings import EmbeddingBatchReference


class StorePages(BaseModel):
    kind: Literal["pages"]
    run: Run
    extracted: Extracted
    recognised: list[RangeRead] = []


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
    match request.root:
        case StorePages(run=run, extracted=extracted, recognised=recognised):
            return store_pages(
                run,
                extracted,
                recognised,
                objects=buckets.object_store(),
                store=databases.ingestion_store(),
            )
        case StoreVectors(run=run, model=model, batch=batch, embedded=embedded):
            return store_vectors(
                run,
                model=model,
                batch=batch,
                vectors_key=embedded.vectors_key,
                paid_tokens=embedded.input_tokens,
                objects=buckets.object_store(),
                store=databases.ingestion_store(),
            )
        case StoreMoreVectors(run=run, model=model, embedded=embedded):
            return store_more_vectors(
                run,
                model=model,
                vectors_key=embedded.vectors_key,
                objects=buckets.object_store(),
                store=databases.backfill_store(),
            )
        case StoreProbe(event=event, probed=probed):
            return record_probe(event.key, probed, store=databases.backfill_store())
        case StoreRefusal(event=event, error=error):
            return record_refusal(
                event.key, name=error.name, cause=error.cause, store=databases.backfill_store()
            )
