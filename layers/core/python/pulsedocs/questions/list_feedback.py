"""What a tenant's people said of answers, a page at a time."""

from dataclasses import dataclass
from uuid import UUID

from pulsedocs.documents.cursors import cursor_behind, place_in_time
from pulsedocs.model.feedback import KeptFeedback
from pulsedocs.questions.ports import FeedbackStore


@dataclass(frozen=True, slots=True)
class FeedbackListing:
    feedback: list[KeptFeedback]
    cursor: str | None


def list_feedback(
    tenant_id: UUID,
    *,
    store: FeedbackStore,
    collection: str | None,
    cursor: str | None,
    limit: int,
) -> FeedbackListing:
    """Return feedback newest first. Raises InvalidRequest for a cursor that is none."""
    found = store.feedback(
        tenant_id, collection=collection, before=place_in_time(cursor), limit=limit + 1
    )
    page = found[:limit]
    last = page[-1] if len(found) > limit else None
    behind = None if last is None else cursor_behind(last.changed_at, UUID(last.trace_id))
    return FeedbackListing(page, behind)
