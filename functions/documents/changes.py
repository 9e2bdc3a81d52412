"""Routes that change and delete documents, and show what a deletion has come to."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.config import JsonDict

from functions.documents.api import api
from pulsedocs.bootstrap import buckets, databases, providers
from pulsedocs.deletion.delete_document import delete_document
from pulsedocs.deletion.verify_deletion import ask_for_shingles
from pulsedocs.documents.update_documents import (
    ADDS,
    NEEDS_TARGETS,
    describe_document,
    update_documents,
)
from pulsedocs.edge.api import READ, WRITE, Path, caller
from pulsedocs.edge.parameters import DocumentId
from pulsedocs.edge.requests import Day, Filters, Title, has, never
from pulsedocs.edge.tasks import to_json
from pulsedocs.edge.views import DocumentView, document_view
from pulsedocs.ingestion.check_chunking import check_chunking
from pulsedocs.model.changes import Description, Strategy, Update
from pulsedocs.model.deletions import Receipt
from pulsedocs.model.shingles import MAX_ASKED

ReceiptId = Annotated[UUID, Path()]


class DescriptionRequest(BaseModel):
    """What is left out stays; null clears a field, and in the metadata removes a key (RFC 7396)."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"minProperties": 1})

    metadata: dict[str, Any] = Field(default_factory=dict)
    title: Title | None = None
    content_date: Day | None = None

    def to_description(self) -> Description:
        given = frozenset(self.model_fields_set)
        return Description(given, self.metadata, self.title, self.content_date)


@api.on("PATCH /documents/{document_id}", WRITE)
def describe(document_id: DocumentId, request: DescriptionRequest) -> DocumentView:
    """Change metadata, title or date; text and vectors stay, so nothing is embedded anew."""
    who = caller(api)
    status = describe_document(
        who.tenant_id,
        document_id,
        request.to_description(),
        actor=who.subject,
        changes=databases.document_changes(),
    )
    return document_view(status, event=api.current_event.raw_event)


def _is(strategies: Iterable[Strategy]) -> JsonDict:
    return {"properties": {"strategy": {"enum": [each.value for each in sorted(strategies)]}}}


def _filled(*names: str) -> JsonDict:
    """Return the shape of a body in which one of these lists and objects has something in it."""
    something: JsonDict = {"minItems": 1, "minProperties": 1, "not": {"type": "null"}}
    return {"anyOf": [{"required": [name], "properties": {name: something}} for name in names]}


_TARGETS: Final = _filled("filters", "document_ids")
_REPROCESSES: Final[JsonDict] = {
    "properties": {"reprocess_chunks": {"const": True}},
    "required": ["reprocess_chunks"],
}


class UpdateRequest(BaseModel):
    """Which documents, and what becomes of them; new ones were uploaded with `hold: true`."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra=never(
            {"allOf": [_is(ADDS), {"not": _filled("new_document_ids")}]},
            {"allOf": [_is(set(Strategy) - ADDS), _filled("new_document_ids")]},
            {"allOf": [_is(NEEDS_TARGETS), {"not": _TARGETS}]},
            {"allOf": [_is({Strategy.APPEND}), _TARGETS]},
            {"allOf": [_is({Strategy.DELETE}), _filled("metadata_updates")]},
            {"allOf": [_is(set(Strategy) - {Strategy.METADATA}), _REPROCESSES]},
            {
                "allOf": [
                    _is({Strategy.METADATA}),
                    {"not": {"anyOf": [_filled("metadata_updates"), _REPROCESSES]}},
                ]
            },
            {"allOf": [has("chunking"), {"not": _REPROCESSES}]},
        ),
    )

    strategy: Strategy
    collection: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    filters: Filters = None
    document_ids: Annotated[list[UUID], Field(max_length=1000)] = Field(default_factory=list)
    new_document_ids: Annotated[list[UUID], Field(max_length=200)] = Field(default_factory=list)
    metadata_updates: dict[str, Any] = Field(
        default_factory=dict,
        description="Merged into the metadata (RFC 7396): null removes a key.",
    )
    reprocess_chunks: Annotated[
        bool,
        Field(strict=True, description="With `metadata`: also cut and embed the documents anew."),
    ] = False
    chunking: Annotated[
        dict[str, Any] | None, Field(description="With `reprocess_chunks`: how to cut them.")
    ] = None
    include_standalone: Annotated[
        bool,
        Field(
            strict=True,
            description="What `replace`, `delete` and `upsert` remove by filters on `user_id` or"
            " `template_id` leaves documents whose metadata has `is_standalone: true`; true removes"
            " these too. Those that stay are the answer's `kept_document_ids`.",
        ),
    ] = False

    def to_update(self) -> Update:
        return Update(
            strategy=self.strategy,
            collection=self.collection,
            filters=self.filters,
            document_ids=tuple(dict.fromkeys(self.document_ids)),
            new_document_ids=tuple(dict.fromkeys(self.new_document_ids)),
            metadata_updates=self.metadata_updates,
            reprocess_chunks=self.reprocess_chunks,
            chunking=self.chunking,
            include_standalone=self.include_standalone,
        )


class LeftAloneView(BaseModel):
    document_id: UUID
    code: str
    message: str


class UpdateView(BaseModel):
    success: bool
    strategy_used: str
    documents_affected: int
    chunks_deleted: int
    chunks_added: int
    chunks_updated: int
    updated_document_ids: list[UUID]
    deleted_document_ids: list[UUID]
    reprocessed_document_ids: list[UUID]
    receipt_ids: list[UUID]
    kept_document_ids: list[UUID]
    errors: list[LeftAloneView]


@api.on("POST /documents/update", WRITE)
def update(request: UpdateRequest) -> UpdateView:
    """Replace, append, delete, upsert or describe documents, all of it or nothing."""
    who, wanted = caller(api), request.to_update()
    if request.chunking is not None:
        check_chunking(request.chunking, plugin_chunker=providers.plugin_chunker)
    result = update_documents(
        who.tenant_id,
        wanted,
        actor=who.subject,
        changes=databases.document_changes(),
        objects=buckets.object_store(),
    )
    named = {"success": True, "strategy_used": wanted.strategy.value}
    return UpdateView.model_validate(named | to_json(result))


class ReceiptIdView(BaseModel):
    """`GET /deletions/{receipt_id}` says how far it is."""

    receipt_id: UUID


@api.on("DELETE /documents/{document_id}", WRITE, status=HTTPStatus.ACCEPTED)
def delete(document_id: DocumentId) -> ReceiptIdView:
    """Delete a document: no query that starts after the answer finds it; the purge follows."""
    who = caller(api)
    receipt_id = delete_document(
        who.tenant_id,
        document_id,
        actor=who.subject,
        changes=databases.document_changes(),
        objects=buckets.object_store(),
    )
    return ReceiptIdView(receipt_id=receipt_id)


@api.on("GET /deletions/{receipt_id}", READ)
def deletion(receipt_id: ReceiptId) -> Receipt:
    """Show a receipt: what there was, what is left, and what was done to be sure."""
    tenant_id = caller(api).tenant_id
    return databases.document_changes().receipt(tenant_id, receipt_id)


Shingle = Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class VerifyRequest(BaseModel):
    """Rows of eight words from a copy of one's own; hashes of them are kept, they are not."""

    model_config = ConfigDict(extra="forbid")

    shingles: Annotated[list[Shingle], Field(min_length=1, max_length=MAX_ASKED)]


@api.on("POST /deletions/{receipt_id}/verify", WRITE, status=HTTPStatus.ACCEPTED)
def verify(receipt_id: ReceiptId, request: VerifyRequest) -> ReceiptIdView:
    """Look for a client's own shingles in everything the tenant has; the receipt will say."""
    ask_for_shingles(
        caller(api).tenant_id,
        receipt_id,
        request.shingles,
        changes=databases.document_changes(),
        objects=buckets.object_store(),
    )
    return ReceiptIdView(receipt_id=receipt_id)
