"""Routes of conversations: what is kept of them, and an end to it."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel

from functions.documents.api import api
from pulsedocs import bootstrap
from pulsedocs.edge.api import READ, WRITE, Path, caller
from pulsedocs.edge.idempotency import IdempotencyKey, once
from pulsedocs.edge.tasks import to_json

ConversationId = Annotated[UUID, Path()]


class TurnView(BaseModel):
    question: str
    answer: str
    trace_id: str
    asked_at: datetime


class ConversationView(BaseModel):
    """A conversation with its turns, without those whose documents were deleted."""

    conversation_id: UUID
    created_at: datetime
    expires_at: datetime
    turns: list[TurnView]


@api.get("/conversations/<conversation_id>")
def conversation(conversation_id: ConversationId) -> ConversationView:
    """Show what is kept of a conversation."""
    tenant_id = caller(api, scope=READ).tenant_id
    found = bootstrap.conversation_store().conversation(tenant_id, conversation_id)
    return ConversationView.model_validate(to_json(found))


@api.delete("/conversations/<conversation_id>")
def delete(
    conversation_id: ConversationId, idempotency_key: IdempotencyKey = None
) -> dict[str, Any]:
    """Forget a conversation and all its turns, at once."""
    tenant_id = caller(api, scope=WRITE).tenant_id
    return once(
        tenant_id,
        idempotency_key,
        route="DELETE /conversations",
        body={"conversation_id": str(conversation_id)},
        status=HTTPStatus.OK,
        respond=lambda: _delete(tenant_id, conversation_id),
    )


def _delete(tenant_id: UUID, conversation_id: UUID) -> dict[str, Any]:
    bootstrap.conversation_store().delete_conversation(tenant_id, conversation_id)
    return {"conversation_id": str(conversation_id)}
