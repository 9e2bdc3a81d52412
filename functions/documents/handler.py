"""The documents API: register an upload, follow it, read what was made of it."""

from collections.abc import Callable
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated, Any, Literal, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from functions.documents import (
    audit,
    changes,
    collections,
    conversations,
    feedback,
    profiles,
    usage,
)
from functions.documents.api import api
from pulsedocs import bootstrap
from pulsedocs.bootstrap import buckets, databases, providers
from pulsedocs.documents.cancel_document import cancel_document
from pulsedocs.documents.read_documents import (
    ChunkListing,
    VersionListing,
    link_to_file,
    list_chunks,
    list_documents,
    list_versions,
)
from pulsedocs.documents.redrive import Redriven, redrive
from pulsedocs.documents.register_document import register_document, sign_form
from pulsedocs.documents.retry_document import retry_document
from pulsedocs.edge.api import (
    READ,
    WRITE,
    Header,
    Query,
    Response,
    caller,
    lambda_handler,
)
from pulsedocs.edge.json_text import parse_json
from pulsedocs.edge.parameters import Cursor, DocumentId, PageSize, PathPage, Version
from pulsedocs.edge.requests import FILTERS_ARE, WHOLE, DocumentChoices, Written
from pulsedocs.edge.tasks import to_json
from pulsedocs.edge.views import AnnouncedView, DocumentView, UploadFormView, document_view
from pulsedocs.errors import InvalidRequest
from pulsedocs.ingestion.check_chunking import check_chunking
from pulsedocs.model.documents import Registration
from pulsedocs.model.pages import Heading
from pulsedocs.model.shown import SHOWN
from pulsedocs.model.sweeps import RedriveFilter, Stopped
from pulsedocs.pipeline import Outcome, State

_SECONDS_OF = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


class UploadRequest(DocumentChoices):
    """What is announced of a file before its bytes travel."""

    filename: Annotated[
        str, Field(min_length=1, max_length=255, json_schema_extra={"pattern": SHOWN})
    ]
    content_type: Annotated[str, Field(max_length=255)] = "application/octet-stream"
    size: Annotated[int, Field(ge=0, json_schema_extra={"minimum": 1}, strict=True), WHOLE]
    sha256: (
        Annotated[str, Written(r"^[0-9a-f]{64}$", "must be 64 of the digits 0-9 and a-f")] | None
    ) = None

    def registration(self, subject: str) -> Registration:
        return self.choices(subject).registration(
            source=self.filename,
            content_type=self.content_type,
            size=self.size,
            sha256=None if self.sha256 is None else bytes.fromhex(self.sha256),
        )


def _with_new_form(announced: AnnouncedView, request: UploadRequest) -> AnnouncedView:
    """Return a remembered answer with a form that still works: one holds for minutes."""
    who = caller(api)
    form = sign_form(
        who.tenant_id,
        request.registration(who.subject),
        announced.document_id,
        announced.version,
        objects=buckets.object_store(),
    )
    return announced.model_copy(update={"upload": UploadFormView.model_validate(to_json(form))})


@api.on(
    "POST /document/upload",
    WRITE,
    status=HTTPStatus.CREATED,
    same_as="POST /documents",
    renew=_with_new_form,
)
@api.on("POST /documents", WRITE, status=HTTPStatus.CREATED, renew=_with_new_form)
def upload(request: UploadRequest) -> AnnouncedView:
    """Register a document and return the form to upload it with."""
    who = caller(api)
    check_chunking(request.chunking, plugin_chunker=providers.plugin_chunker)
    announced = register_document(
        who.tenant_id,
        request.registration(who.subject),
        catalogue=databases.document_catalogue(),
        objects=buckets.object_store(),
        default_model=bootstrap.settings().embedding_model,
        max_bytes=bootstrap.settings().max_upload_bytes,
    )
    return AnnouncedView.model_validate(to_json(announced))


class DocumentsView(BaseModel):
    documents: list[DocumentView]
    cursor: str | None


@api.on("GET /documents", READ)
def documents(
    collection: Annotated[str | None, Query(max_length=128)] = None,
    state: State | Outcome | None = None,
    filter: Annotated[  # noqa: A002 -- the contract's name
        str | None, Query(max_length=8192, description=FILTERS_ARE)
    ] = None,
    limit: PageSize = 20,
    cursor: Cursor = None,
) -> DocumentsView:
    """List documents, newest first."""
    filters: Any = {} if filter is None else parse_json(filter, called="the filter")
    if not isinstance(filters, dict):  # `null` is none either, though it reads like no filter
        raise InvalidRequest("the filter is not a JSON object")
    found = list_documents(
        caller(api).tenant_id,
        catalogue=databases.document_catalogue(),
        collection=collection,
        state=state,
        filters=cast("dict[str, Any]", filters),
        cursor=cursor,
        limit=limit,
    )
    event: dict[str, Any] = api.current_event.raw_event
    return DocumentsView(
        documents=[document_view(status, event=event) for status in found.documents],
        cursor=found.cursor,
    )


@api.on("GET /documents/{document_id}", READ)
def document(document_id: DocumentId) -> DocumentView:
    """Show how far a document has come and what was made of it."""
    return document_view(
        databases.document_catalogue().status(caller(api).tenant_id, document_id),
        event=api.current_event.raw_event,
    )


class PageView(BaseModel):
    """`furniture` are running headers and footers that are in `raw_text` and not in `text`.

    `ocr_source` says who recognised the text of a page whose outcome is OCR: `embedded` is the
    program that made the file, `recognised` the stage itself, with its `confidence`, 0 to 1.
    """

    page: int
    label: str | None
    text: str
    raw_text: str
    outcome: str
    ocr_source: Literal["embedded", "recognised"] | None
    confidence: float | None
    furniture: list[str]
    sections: list[Heading]


@api.on("GET /documents/{document_id}/pages/{page}", READ)
def page(
    document_id: DocumentId,
    page: PathPage,
    version: Version = None,
) -> PageView:
    """Show one page as cleaned and as read; citations count characters of `text`."""
    tenant_id = caller(api).tenant_id
    return PageView.model_validate(
        databases.document_catalogue().page(tenant_id, document_id, page, version=version)
    )


@api.on("GET /documents/{document_id}/versions", READ)
def versions(
    document_id: DocumentId,
    limit: PageSize = 20,
    cursor: Cursor = None,
) -> VersionListing:
    """List the versions of a document, newest first."""
    return list_versions(
        caller(api).tenant_id,
        document_id,
        catalogue=databases.document_catalogue(),
        cursor=cursor,
        limit=limit,
    )


@api.on("GET /documents/{document_id}/chunks", READ)
def chunks(
    document_id: DocumentId,
    limit: PageSize = 50,
    cursor: Cursor = None,
) -> ChunkListing:
    """List the chunks of a document in reading order."""
    return list_chunks(
        caller(api).tenant_id,
        document_id,
        catalogue=databases.document_catalogue(),
        cursor=cursor,
        limit=limit,
    )


class FileView(BaseModel):
    url: str


@api.on(
    "GET /documents/{document_id}/file",
    READ,
    responses={
        HTTPStatus.OK: {
            "description": "The link, where JSON is accepted.",
            "content": {"application/json": {"model": FileView}},
        },
        HTTPStatus.FOUND: {"description": "To the file, by a link that holds for minutes."},
    },
)
def file(
    document_id: DocumentId, accept: Annotated[str | None, Header()] = None
) -> Response[FileView]:
    """Redirect to the uploaded bytes, or name the link where JSON is accepted."""
    url = link_to_file(
        caller(api).tenant_id,
        document_id,
        catalogue=databases.document_catalogue(),
        objects=buckets.object_store(),
    )
    status, headers = HTTPStatus.OK, {}
    if "application/json" not in (accept or ""):
        status, headers = HTTPStatus.FOUND, {"Location": url}
    return Response(
        status, content_type="application/json", body=FileView(url=url), headers=headers
    )


class RedriveRequest(BaseModel):
    """Which documents that stopped are meant; all of them, a hundred at a time, by default."""

    model_config = ConfigDict(extra="forbid")

    code: (
        Annotated[str, Written(r"^[A-Z][A-Z0-9_]{0,63}$", "must be a code such as `TIMED_OUT`")]
        | None
    ) = None
    older_than: Annotated[
        str, Written(r"^[0-9]{1,6}[smhd]$", "must be a number and s, m, h or d, such as `90m`")
    ] = "0s"
    limit: Annotated[int, Field(ge=1, le=100, strict=True), WHOLE] = 100
    dry_run: Annotated[bool, Field(strict=True)] = False

    def to_filter(self) -> RedriveFilter:
        seconds = int(self.older_than[:-1]) * _SECONDS_OF[self.older_than[-1]]
        return RedriveFilter(self.code, timedelta(seconds=seconds), self.limit)


@api.on("POST /documents/{document_id}/cancel", WRITE)
def cancel(document_id: DocumentId) -> Stopped:
    """Stop what is under way; what is published stays. Asked again it answers the same."""
    return _operate(cancel_document, document_id)


@api.on("POST /documents/{document_id}/retry", WRITE, status=HTTPStatus.ACCEPTED)
def retry(document_id: DocumentId) -> Stopped:
    """Run a FAILED or PARKED document again, from the last step that was recorded."""
    return _operate(retry_document, document_id)


def _operate(operation: Callable[..., Stopped], document_id: UUID) -> Stopped:
    who = caller(api)
    return operation(
        who.tenant_id,
        document_id,
        actor=who.subject,
        operations=databases.document_operations(),
        objects=buckets.object_store(),
    )


@api.on("POST /operations/redrive", WRITE)
def redrive_documents(request: RedriveRequest) -> Redriven:
    """Run the tenant's FAILED and PARKED documents again; each once, however often it is asked."""
    who = caller(api)
    return redrive(
        who.tenant_id,
        request.to_filter(),
        dry_run=request.dry_run,
        actor=who.subject,
        operations=databases.document_operations(),
        objects=buckets.object_store(),
    )


# These modules add their routes.
__all__ = [
    "api",
    "audit",
    "changes",
    "collections",
    "conversations",
    "feedback",
    "handler",
    "profiles",
    "usage",
]

handler = lambda_handler(api)
