"""Routes of conversations: which a person has, what is kept of them, and an end to it."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel

from functions.documents.api import api
from pulsedocs.bootstrap import databases
from pulsedocs.edge.api import READ, Path, Query, caller
from pulsedocs.edge.tasks import to_json
from pulsedocs.questions.list_conversations import list_conversations

ConversationId = Annotated[UUID, Path()]


class ListedConversationView(BaseModel):
    """A conversation by its first question, and the number of its turns."""

    conversation_id: UUID
    title: str
    turns: int
    created_at: datetime
    answered_at: datetime
    expires_at: datetime


class ConversationsView(BaseModel):
    conversations: list[ListedConversationView]
    cursor: str | None


class KeptCitationView(BaseModel):
    """Words of a page of one version; `quote` is null once that version is no longer stored."""

    n: int
    document_id: UUID
    version: int
    source: str
    title: str | None
    page: int
    page_label: str | None
    start: int
    end: int
    quote: str | None
    ocr: bool


class TurnView(BaseModel):
    """`refused_for` is the reason where `answer` is a refusal."""

    question: str
    answer: str
    trace_id: str
    asked_at: datetime
    refused_for: str | None
    citations: list[KeptCitationView]


class ConversationView(BaseModel):
    """A conversation with its turns, without those whose documents were deleted."""

    conversation_id: UUID
    created_at: datetime
    expires_at: datetime
    turns: list[TurnView]


@api.on("GET /conversations", READ)
def conversations(
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
) -> ConversationsView:
    """List your own conversations, the last answered first."""
    who = caller(api)
    found = list_conversations(
        who.tenant_id,
        subject=who.subject,
        store=databases.conversation_store(),
        cursor=cursor,
        limit=limit,
    )
    return ConversationsView.model_validate(to_json(found))


@api.on("GET /conversations/{conversation_id}", READ)
def conversation(conversation_id: ConversationId) -> ConversationView:
    """Show what is kept of a conversation of yours."""
    who = caller(api)
    found = databases.conversation_store().conversation(
        who.tenant_id, conversation_id, subject=who.subject
    )
    return ConversationView.model_validate(to_json(found))


@api.on("DELETE /conversations/{conversation_id}", READ)
def delete(conversation_id: ConversationId) -> dict[str, Any]:
    """Forget a conversation of yours and all its turns, at once."""
    who = caller(api)
    databases.conversation_store().delete_conversation(
        who.tenant_id, conversation_id, subject=who.subject
    )
    return {"conversation_id": str(conversation_id)}
