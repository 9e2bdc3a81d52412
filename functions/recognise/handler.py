"""Ingestion: words on scanned pages to text, in a child process, without database or internet."""

from pydantic import BaseModel

from pulsedocs import bootstrap
from pulsedocs.bootstrap import buckets, clients
from pulsedocs.edge.tasks import task
from pulsedocs.ingestion.claim_upload import ObjectReference
from pulsedocs.ingestion.extract_range import RangeRead
from pulsedocs.ingestion.recognise_range import recognise_range
from pulsedocs.model.documents import Run
from pulsedocs.model.page_ranges import PageRange


class RecogniseRequest(BaseModel):
    run: Run
    object: ObjectReference
    range: PageRange


@task(RecogniseRequest)
def handler(request: RecogniseRequest) -> RangeRead:
    return recognise_range(
        request.run,
        request.object,
        request.range,
        objects=buckets.object_store(),
        recognition=clients.recognition(
            request.object.ocr_languages, language=request.object.language
        ),
        max_bytes=bootstrap.settings().max_upload_bytes,
    )
