"""Routes of conversations: what is kept of them, and an end to it."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel

from functions.documents.api import api
from pulsedocs.bootstrap import databases
from pulsedocs.edge.api import READ, WRITE, Path, caller
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


@api.on("GET /conversations/{conversation_id}", READ)
def conversation(conversation_id: ConversationId) -> ConversationView:
    """Show what is kept of a conversation."""
    tenant_id = caller(api).tenant_id
    found = databases.conversation_store().conversation(tenant_id, conversation_id)
    return ConversationView.model_validate(to_json(found))


@api.on("DELETE /conversations/{conversation_id}", WRITE)
def delete(conversation_id: ConversationId) -> dict[str, Any]:
    """Forget a conversation and all its turns, at once."""
    who = caller(api)
    databases.conversation_store().delete_conversation(
        who.tenant_id, conversation_id, actor=who.subject
    )
    return {"conversation_id": str(conversation_id)}
