"""A person's conversations, a page at a time."""

from dataclasses import dataclass
from uuid import UUID

from pulsedocs.documents.cursors import cursor_behind, place_in_time
from pulsedocs.model.conversations import ListedConversation
from pulsedocs.questions.ports import ConversationStore


@dataclass(frozen=True, slots=True)
class ConversationListing:
    conversations: list[ListedConversation]
    cursor: str | None


def list_conversations(
    tenant_id: UUID,
    *,
    subject: str,
    store: ConversationStore,
    cursor: str | None,
    limit: int,
) -> ConversationListing:
    """Return the last answered first. Raises InvalidRequest for a cursor that is none."""
    found = store.conversations(
        tenant_id, subject=subject, before=place_in_time(cursor), limit=limit + 1
    )
    page = found[:limit]
    last = page[-1] if len(found) > limit else None
    behind = None if last is None else cursor_behind(last.answered_at, last.conversation_id)
    return ConversationListing(page, behind)
