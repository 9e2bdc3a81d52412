"""Routes of conversations: which a person has, what is kept of them, and an end to it."""

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel

from functions.documents.api import api
from pulsedocs.bootstrap import databases
from pulsedocs.edge.api import READ, Path, caller
from pulsedocs.edge.parameters import Cursor, PageSize
from pulsedocs.model.conversations import Conversation
from pulsedocs.questions.list_conversations import ConversationListing, list_conversations

ConversationId = Annotated[UUID, Path()]


@api.on("GET /conversations", READ)
def conversations(
    limit: PageSize = 20,
    cursor: Cursor = None,
) -> ConversationListing:
    """List your own conversations, the last answered first."""
    who = caller(api)
    return list_conversations(
        who.tenant_id,
        subject=who.subject,
        store=databases.conversation_store(),
        cursor=cursor,
        limit=limit,
    )


@api.on("GET /conversations/{conversation_id}", READ)
def conversation(conversation_id: ConversationId) -> Conversation:
    """Show what is kept of a conversation of yours."""
    who = caller(api)
    return databases.conversation_store().conversation(
        who.tenant_id, conversation_id, subject=who.subject
    )


class ConversationIdView(BaseModel):
    conversation_id: UUID


@api.on("DELETE /conversations/{conversation_id}", READ)
def delete(conversation_id: ConversationId) -> ConversationIdView:
    """Forget a conversation of yours and all its turns, at once."""
    who = caller(api)
    databases.conversation_store().delete_conversation(
        who.tenant_id, conversation_id, subject=who.subject
    )
    return ConversationIdView(conversation_id=conversation_id)
