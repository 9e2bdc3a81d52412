"""Ingestion: a stranger's file to pages, in a child process, without database or internet."""

from pydantic import BaseModel

from pulsedocs import bootstrap
from pulsedocs.edge.tasks import RunReference, task
from pulsedocs.usecases.claim_upload import ObjectReference
from pulsedocs.usecases.extract_document import Extracted, extract_document


class UploadedObject(BaseModel):
    key: str
    version: str
    content_type: str
    size: int


class ExtractRequest(BaseModel):
    run: RunReference
    object: UploadedObject


@task(ExtractRequest)
def handler(request: ExtractRequest) -> Extracted:
    return extract_document(
        request.run.to_run(),
        ObjectReference(**request.object.model_dump()),
        objects=bootstrap.object_store(),
        extractor=bootstrap.page_extractor(),
        max_bytes=bootstrap.settings().max_upload_bytes,
    )
