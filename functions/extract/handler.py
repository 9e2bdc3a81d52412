"""Ingestion: an uploaded file to pages, in a child process, without database or internet."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, RootModel

from pulsedocs import bootstrap
from pulsedocs.bootstrap import buckets, clients
from pulsedocs.edge.tasks import task
from pulsedocs.ingestion.claim_upload import ObjectReference
from pulsedocs.ingestion.extract_document import Extracted, extract_document
from pulsedocs.ingestion.extract_range import RangeRead, extract_range
from pulsedocs.ingestion.gather_ranges import gather_ranges
from pulsedocs.model.documents import Run
from pulsedocs.model.page_ranges import PageRange


class ExtractDocument(BaseModel):
    kind: Literal["document"]
    run: Run
    object: ObjectReference


class ExtractRange(BaseModel):
    kind: Literal["range"]
    run: Run
    object: ObjectReference
    range: PageRange


class GatherRanges(BaseModel):
    kind: Literal["gather"]
    run: Run
    extracted: Extracted
    read: list[RangeRead]


class ExtractRequest(
    RootModel[Annotated[ExtractDocument | ExtractRange | GatherRanges, Field(discriminator="kind")]]
):
    """A whole document, or the parts of a large one."""

    @property
    def run(self) -> Run:
        return self.root.run


@task(ExtractRequest)
def handler(request: ExtractRequest) -> Extracted | RangeRead:
    match request.root:
        case ExtractDocument(run=run, object=uploaded):
            return extract_document(
                run,
                uploaded,
                objects=buckets.object_store(),
                extractor=clients.page_extractor(),
                max_bytes=bootstrap.settings().max_upload_bytes,
            )
        case ExtractRange(run=run, object=uploaded, range=part):
            return extract_range(
                run,
                uploaded,
                part,
                objects=buckets.object_store(),
                extractor=clients.page_extractor(),
                max_bytes=bootstrap.settings().max_upload_bytes,
            )
        case GatherRanges(run=run, extracted=extracted, read=read):
            return gather_ranges(run, extracted, read, objects=buckets.object_store())
