"""Conversations: continued by a question; listed, shown and deleted by whose they are."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from psycopg import Connection
from psycopg.rows import class_row, dict_row
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.audits import record_audit
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import place_json, storable
from pulsedocs.errors import ConversationNotFound, ConversationTaken
from pulsedocs.model.conversations import (
    MOST_CHARACTERS,
    MOST_OF_A_TITLE,
    MOST_TURNS,
    Conversation,
    KeptCitation,
    KeptTurn,
    ListedConversation,
    NewTurn,
    OwnFeedback,
    Turn,
)
from pulsedocs.model.feedback import AnswerPlace, Verdict

_TURNS_IN_A_HISTORY: Final = 5  # ten messages, which is what a prompt takes at most


class PostgresConversationStore:
    """Implements `questions.ports.ConversationStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def conversations(
        self,
        tenant_id: UUID,
        *,
        subject: str,
        before: tuple[datetime, UUID] | None,
        limit: int,
    ) -> list[ListedConversation]:
        at, conversation_id = before or (None, None)
        wanted = {
            "tenant_id": tenant_id,
            "subject": storable(subject),
            "at": at,
            "conversation_id": conversation_id,
            "most": MOST_OF_A_TITLE,
            "limit": limit,
        }

        def read(tx: Connection[Any]) -> list[ListedConversation]:
            cursor = tx.cursor(row_factory=class_row(ListedConversation))
            return cursor.execute(query("conversations"), wanted).fetchall()

        return self._database.run(tenant_id, read, read_only=True)

    def conversation(self, tenant_id: UUID, conversation_id: UUID, *, subject: str) -> Conversation:
        key = _Key(tenant_id, conversation_id, subject).values

        def read(tx: Connection[Any]) -> Conversation:
            row = tx.cursor(row_factory=dict_row).execute(query("conversation"), key).fetchone()
            if row is None:
                raise _not_found(conversation_id)
            with tx.cursor(row_factory=dict_row) as cursor:
                turns = cursor.execute(query("conversation_turns"), key).fetchall()
            return Conversation(**row, turns=tuple(map(_turn, turns)))

        return self._database.run(tenant_id, read, read_only=True, snapshot=True)

    def delete_conversation(self, tenant_id: UUID, conversation_id: UUID, *, subject: str) -> None:
        key = _Key(tenant_id, conversation_id, subject).values

        def delete(tx: Connection[Any]) -> None:
            if not tx.execute(query("delete_conversation"), key).rowcount:
                raise _not_found(conversation_id)
            record_audit(tx, tenant_id, subject, "delete_conversation", str(conversation_id))

        self._database.run(tenant_id, delete)


@dataclass(frozen=True, slots=True)
class _Key:
    tenant_id: UUID
    conversation_id: UUID
    subject: str

    @property
    def values(self) -> dict[str, Any]:
        return asdict(self) | {"subject": storable(self.subject)}


def _turn(row: dict[str, Any]) -> KeptTurn:
    """Return a row with what it holds as JSON in the model's types."""
    citations: list[dict[str, Any]] = row.pop("citations")
    feedback = _own(row.pop("feedback"))
    typed = tuple(
        replace(kept, document_id=UUID(str(kept.document_id)), markers=tuple(kept.markers))
        for kept in (KeptCitation(**citation) for citation in citations)
    )
    return KeptTurn(**row, citations=typed, feedback=feedback)


def _own(stored: dict[str, Any] | None) -> OwnFeedback | None:
    if stored is None:
        return None
    verdict, reason = Verdict(stored["verdict"]), stored["reason"]
    named: list[dict[str, Any]] | None = stored["expected"]
    if named is None:
        return OwnFeedback(verdict, reason, None)
    places = (AnswerPlace(**place) for place in named)
    typed = (replace(each, document_id=UUID(str(each.document_id))) for each in places)
    return OwnFeedback(verdict, reason, tuple(typed))


def _not_found(conversation_id: UUID) -> ConversationNotFound:
    return ConversationNotFound(
        f"no conversation {str(conversation_id)!r}", conversation_id=str(conversation_id)
    )


def history(
    tx: Connection[Any], tenant_id: UUID, conversation_id: UUID | None, *, subject: str
) -> tuple[Turn, ...]:
    """Return the newest turns of a conversation, oldest first; raise ConversationTaken."""
    if conversation_id is None:
        return ()
    key = _Key(tenant_id, conversation_id, subject).values | {"turns": _TURNS_IN_A_HISTORY}
    cursor = tx.cursor(row_factory=class_row(Turn))
    newest = cursor.execute(query("conversation_history"), key).fetchall()
    if not newest and tx.execute(query("is_of_another"), key).fetchone():
        raise ConversationTaken(
            f"conversation {str(conversation_id)!r} was begun by somebody else",
            conversation_id=str(conversation_id),
        )
    return tuple(newest[::-1])


def append(tx: Connection[Any], parameters: Mapping[str, Any], turn: NewTurn, *, days: int) -> None:
    """Add a turn to its conversation, which begins with its first one; to nobody else's."""
    values = {
        "tenant_id": parameters["tenant_id"],
        "trace_id": parameters["trace_id"],
        "conversation_id": turn.conversation_id,
        "subject": storable(turn.subject),
        "question": storable(turn.question)[:MOST_CHARACTERS],
        "answer": storable(turn.answer)[:MOST_CHARACTERS],
        "document_ids": list(turn.document_ids),
        "citations": Jsonb([place_json(place) for place in turn.citations]),
        "refused_for": turn.refused_for,
        "days": days,
        "most": MOST_TURNS,
    }
    tx.execute(query("end_expired_conversation"), values)
    if tx.execute(query("open_conversation"), values).rowcount:
        tx.execute(query("append_turn"), values)
        tx.execute(query("trim_conversation"), values)
