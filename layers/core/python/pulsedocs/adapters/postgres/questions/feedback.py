"""What people say of answers: kept once for each person and answer, shown as questions."""

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import Connection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import (
    place_json,
    refuse_unknown_collection,
    storable,
    value_of,
)
from pulsedocs.errors import DocumentNotFound, PageNotFound
from pulsedocs.model.evaluations import Expected
from pulsedocs.model.feedback import Feedback, KeptFeedback, Verdict


class PostgresFeedbackStore:
    """Implements `questions.ports.FeedbackStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def feedback(
        self,
        tenant_id: UUID,
        *,
        collection: str | None,
        before: tuple[datetime, UUID] | None,
        limit: int,
    ) -> list[KeptFeedback]:
        at, trace_id = before or (None, None)
        wanted = {
            "tenant_id": tenant_id,
            "collection": collection,
            "at": at,
            "trace_id": None if trace_id is None else trace_id.hex,
            "limit": limit,
        }

        def read(tx: Connection[Any]) -> list[KeptFeedback]:
            cursor = tx.cursor(row_factory=class_row(KeptFeedback))
            rows = cursor.execute(query("feedback"), wanted).fetchall()
            if not rows:
                refuse_unknown_collection(tx, tenant_id, collection)
            return rows

        rows = self._database.run(tenant_id, read, read_only=True)
        return [_typed(row) for row in rows]


def keep_feedback(tenant_id: UUID, feedback: Feedback, tx: Connection[Any]) -> None:
    """Keep it in place of the same person's earlier word.

    Raises CollectionNotFoundError, DocumentNotFound and PageNotFound.
    """
    for name in feedback.collections:
        refuse_unknown_collection(tx, tenant_id, name)
    places = feedback.places
    values = {
        "tenant_id": tenant_id,
        "trace_id": feedback.trace_id,
        "subject": storable(feedback.subject),
        "verdict": feedback.verdict.value,
        "reason": storable(feedback.reason),
        "question": storable(feedback.question),
        "collections": list(feedback.collections),
        "places": None if places is None else Jsonb([place_json(each) for each in places]),
        "document_ids": list(feedback.document_ids),
    }
    if not tx.execute(query("keep_feedback"), values).rowcount:
        raise DocumentNotFound("a document that the answer cites, or that is named, is not there")
    beyond = value_of(tx, "place_beyond_its_document", values)
    if beyond is not None:
        raise PageNotFound(f"document {beyond} has fewer pages than are named")


def _typed(row: KeptFeedback) -> KeptFeedback:
    """Return a row with what it holds as JSON and text in the model's types."""
    stored: Any = row.expected
    return replace(
        row,
        verdict=Verdict(row.verdict),
        collections=tuple(row.collections),
        expected=None if stored is None else tuple(Expected(**place) for place in stored),
    )
