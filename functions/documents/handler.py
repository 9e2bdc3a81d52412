"""The documents API: register an upload, follow it, read what was made of it."""

import json
from datetime import date
from http import HTTPStatus
from typing import Annotated, Any, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from pulsedocs import bootstrap
from pulsedocs.edge.api import (
    READ,
    WRITE,
    Header,
    Path,
    Query,
    Response,
    caller,
    create_api,
    lambda_handler,
    parse_json,
)
from pulsedocs.edge.tasks import to_json
from pulsedocs.edge.views import DocumentView, document_view
from pulsedocs.errors import InvalidRequest
from pulsedocs.model.documents import DuplicateBy, IngestOptions, OnDuplicate, Registration
from pulsedocs.usecases.idempotent_request import idempotent_request
from pulsedocs.usecases.read_documents import link_to_file, list_chunks, list_documents
from pulsedocs.usecases.register_document import register_document

api = create_api()

_MAX_METADATA_BYTES = 16_384

Name = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[^\x00-\x1f]+$")]
DocumentId = Annotated[UUID, Path()]
PageSize = Annotated[int, Query(ge=1, le=100)]


class UploadRequest(BaseModel):
    """What is announced of a file before its bytes travel."""

    model_config = ConfigDict(extra="forbid")

    filename: Annotated[str, Field(min_length=1, max_length=255)]
    content_type: Annotated[str, Field(min_length=1, max_length=255)]
    size: Annotated[int, Field(ge=0, strict=True)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    title: Annotated[str, Field(min_length=1, max_length=1024)] | None = None
    collection: Name = "default"
    document_id: UUID | None = None
    on_duplicate: OnDuplicate = OnDuplicate.SKIP
    duplicate_by: DuplicateBy = DuplicateBy.CONTENT
    hold: Annotated[bool, Field(strict=True)] = False
    chunking: dict[str, Any] = Field(default_factory=dict)
    validate_chunks: Annotated[bool, Field(strict=True)] = True
    metadata: dict[str, Any] = Field(default_factory=dict)
    content_date: date | None = None

    def to_registration(self) -> Registration:
        if len(json.dumps(self.metadata)) > _MAX_METADATA_BYTES:
            message = f"metadata is larger than {_MAX_METADATA_BYTES} bytes"
            raise InvalidRequest(message)
        return Registration(
            document_id=self.document_id,
            source=self.filename,
            title=self.title,
            content_type=self.content_type.partition(";")[0].strip().lower(),
            size=self.size,
            sha256=None if self.sha256 is None else bytes.fromhex(self.sha256),
            metadata=self.metadata,
            content_date=self.content_date,
            options=IngestOptions(
                collection=self.collection,
                on_duplicate=self.on_duplicate,
                duplicate_by=self.duplicate_by,
                hold=self.hold,
                chunking=self.chunking,
                validate_chunks=self.validate_chunks,
            ),
        )


@api.post("/document/upload")
@api.post("/documents")
def upload(
    request: UploadRequest, idempotency_key: Annotated[str | None, Header()] = None
) -> Response[dict[str, Any]]:
    """Register a document and return the form to upload it with."""
    tenant_id = caller(api, scope=WRITE).tenant_id
    body = idempotent_request(
        tenant_id,
        idempotency_key,
        route="POST /documents",
        body=request.model_dump(mode="json"),
        status=HTTPStatus.CREATED,
        catalogue=bootstrap.document_catalogue(),
        respond=lambda: _register(tenant_id, request),
    )
    return Response(status_code=HTTPStatus.CREATED, content_type="application/json", body=body)


def _register(tenant_id: UUID, request: UploadRequest) -> dict[str, Any]:
    announced = register_document(
        tenant_id,
        request.to_registration(),
        catalogue=bootstrap.document_catalogue(),
        objects=bootstrap.object_store(),
        default_model=bootstrap.settings().embedding_model,
        default_profile=bootstrap.settings().chunk_profile,
        max_bytes=bootstrap.settings().max_upload_bytes,
    )
    return to_json(announced)


class DocumentsView(BaseModel):
    documents: list[DocumentView]
    cursor: str | None


@api.get("/documents")
def documents(
    collection: Annotated[str | None, Query(max_length=128)] = None,
    state: Annotated[str | None, Query(max_length=32)] = None,
    filter: Annotated[str | None, Query(max_length=8192)] = None,  # noqa: A002 -- the contract's name
    limit: PageSize = 20,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
) -> DocumentsView:
    """List documents, oldest first."""
    found = list_documents(
        caller(api, scope=READ).tenant_id,
        catalogue=bootstrap.document_catalogue(),
        collection=collection,
        state=state,
        filters=None if filter is None else _filters(filter),
        cursor=cursor,
        limit=limit,
    )
    return DocumentsView(
        documents=[document_view(status) for status in found.documents], cursor=found.cursor
    )


def _filters(text: str) -> dict[str, Any]:
    filters = parse_json(text)
    if not isinstance(filters, dict):
        raise InvalidRequest("the filter is not a JSON object")
    return cast("dict[str, Any]", filters)


@api.get("/documents/<document_id>")
def document(document_id: DocumentId) -> DocumentView:
    """Show how far a document has come and what was made of it."""
    return document_view(
        bootstrap.document_catalogue().status(caller(api, scope=READ).tenant_id, document_id)
    )


class SectionView(BaseModel):
    level: int
    title: str
    start: int


class PageView(BaseModel):
    page: int
    label: str | None
    text: str
    raw_text: str
    outcome: str
    sections: list[SectionView]


@api.get("/documents/<document_id>/pages/<page>")
def page(document_id: DocumentId, page: Annotated[int, Path(ge=1, le=100_000)]) -> PageView:
    """Show one page as cleaned and as read; citations count characters of `text`."""
    tenant_id = caller(api, scope=READ).tenant_id
    return PageView.model_validate(
        bootstrap.document_catalogue().page(tenant_id, document_id, page)
    )


class ChunksView(BaseModel):
    chunks: list[dict[str, Any]]
    cursor: str | None


@api.get("/documents/<document_id>/chunks")
def chunks(
    document_id: DocumentId,
    limit: PageSize = 50,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
) -> ChunksView:
    """List the chunks of a document in reading order."""
    found = list_chunks(
        caller(api, scope=READ).tenant_id,
        document_id,
        catalogue=bootstrap.document_catalogue(),
        cursor=cursor,
        limit=limit,
    )
    return ChunksView(chunks=to_json(found.chunks), cursor=found.cursor)


@api.get("/documents/<document_id>/file")
def file(
    document_id: DocumentId, accept: Annotated[str | None, Header()] = None
) -> Response[dict[str, str]]:
    """Redirect to the uploaded bytes, or name the link where JSON is accepted."""
    url = link_to_file(
        caller(api, scope=READ).tenant_id,
        document_id,
        catalogue=bootstrap.document_catalogue(),
        objects=bootstrap.object_store(),
    )
    status, headers = HTTPStatus.OK, {}
    if "application/json" not in (accept or ""):
        status, headers = HTTPStatus.FOUND, {"Location": url}
    return Response(status, content_type="application/json", body={"url": url}, headers=headers)


handler = lambda_handler(api)
