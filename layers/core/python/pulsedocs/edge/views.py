"""What clients see of a document, field by field as the contract names them."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, PlainSerializer, WithJsonSchema

from pulsedocs.edge import german
from pulsedocs.edge.tasks import to_json
from pulsedocs.model.documents import DocumentStatus, ErrorReport, PageCounts
from pulsedocs.pipeline import Outcome, State

Moment = Annotated[
    datetime,
    PlainSerializer(datetime.isoformat),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""As it was always sent where a version begins, `+00:00` in place of `Z`."""


class UploadFormView(BaseModel):
    """Post `fields` and, last, `file` as multipart/form-data to `url`."""

    url: str
    fields: dict[str, str]
    expires_at: Moment


class AnnouncedView(BaseModel):
    document_id: UUID
    version: int
    state: State
    upload: UploadFormView
    duplicate_of: UUID | None


class AcceptedView(BaseModel):
    """A status `received_at` an earlier moment than `accepted_at` is of an earlier version."""

    document_id: UUID
    source: str
    accepted_at: Moment


class HistoryView(BaseModel):
    state: str
    at: datetime


class DocumentView(BaseModel):
    document_id: UUID
    collection: str
    source: str
    title: str | None
    content_type: str
    size: int
    sha256: str | None
    state: State
    outcome: Outcome | None
    version: int
    published_version: int | None
    duplicate_of: UUID | None
    received_at: datetime | None
    pages: PageCounts
    chunks: int
    chunking: dict[str, Any]
    embeddings: dict[str, int]
    error: ErrorReport | None
    warnings: list[str]
    metadata: dict[str, Any]
    content_date: date | None
    created_at: datetime
    updated_at: datetime
    history: list[HistoryView]
    timings_ms: dict[str, int]
    stats: dict[str, int]


def document_view(status: DocumentStatus, *, event: Mapping[str, Any]) -> DocumentView:
    """Return what the sender of a request sees of a status, in the language that it asks for."""
    fields = to_json(status)
    if german.is_asked_for(event):
        fields["warnings"] = [german.in_german(text) for text in status.warnings]
        if error := fields["error"]:
            message, guidance = german.error_in_german(
                error["code"], message=error["message"], guidance=error["guidance"]
            )
            fields["error"] = {**error, "message": message, "guidance": guidance}
    return DocumentView.model_validate(
        fields
        | {
            "sha256": None if status.sha256 is None else status.sha256.hex(),
            "history": [{"state": state, "at": at} for state, at in status.history],
        }
    )
