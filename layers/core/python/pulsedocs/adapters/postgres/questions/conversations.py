"""Conversations: read and continued with a question, shown and deleted by their tenant."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from psycopg import Connection
from psycopg.rows import class_row, dict_row

from pulsedocs.adapters.postgres.audits import record_audit
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import storable
from pulsedocs.errors import ConversationNotFound
from pulsedocs.model.conversations import (
    MOST_CHARACTERS,
    MOST_TURNS,
    Conversation,
    KeptTurn,
    NewTurn,
    Turn,
)

_TURNS_IN_A_HISTORY: Final = 5  # ten messages, which is what a prompt takes at most


class PostgresConversationStore:
    """Implements `questions.ports.ConversationStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def conversation(self, tenant_id: UUID, conversation_id: UUID) -> Conversation:
        key = {"tenant_id": tenant_id, "conversation_id": conversation_id}

        def read(tx: Connection[Any]) -> Conversation:
            row = tx.cursor(row_factory=dict_row).execute(query("conversation"), key).fetchone()
            if row is None:
                raise _not_found(conversation_id)
            with tx.cursor(row_factory=class_row(KeptTurn)) as cursor:
                turns = cursor.execute(query("conversation_turns"), key).fetchall()
            return Conversation(**row, turns=tuple(turns))

        return self._database.run(tenant_id, read, read_only=True, snapshot=True)

    def delete_conversation(self, tenant_id: UUID, conversation_id: UUID, *, actor: str) -> None:
        key = {"tenant_id": tenant_id, "conversation_id": conversation_id}

        def delete(tx: Connection[Any]) -> None:
            if not tx.execute(query("delete_conversation"), key).rowcount:
                raise _not_found(conversation_id)
            record_audit(tx, tenant_id, actor, "delete_conversation", str(conversation_id))

        self._database.run(tenant_id, delete)


def _not_found(conversation_id: UUID) -> ConversationNotFound:
    return ConversationNotFound(
        f"no conversation {str(conversation_id)!r}", conversation_id=str(conversation_id)
    )


def history(tx: Connection[Any], tenant_id: UUID, conversation_id: UUID | None) -> tuple[Turn, ...]:
    """Return the newest turns of a conversation, oldest first; an unknown one has none."""
    if conversation_id is None:
        return ()
    key = {
        "tenant_id": tenant_id,
        "conversation_id": conversation_id,
        "turns": _TURNS_IN_A_HISTORY,
    }
    newest = tx.cursor(row_factory=class_row(Turn)).execute(query("conversation_history"), key)
    return tuple(newest.fetchall()[::-1])


def append(tx: Connection[Any], parameters: Mapping[str, Any], turn: NewTurn, *, days: int) -> None:
    """Add a turn to its conversation, which begins with its first one."""
    values = {
        "tenant_id": parameters["tenant_id"],
        "trace_id": parameters["trace_id"],
        "conversation_id": turn.conversation_id,
        "question": storable(turn.question)[:MOST_CHARACTERS],
        "answer": storable(turn.answer)[:MOST_CHARACTERS],
        "document_ids": list(turn.document_ids),
        "days": days,
        "most": MOST_TURNS,
    }
    for step in (
        query("end_expired_conversation"),
        query("open_conversation"),
        query("append_turn"),
        query("trim_conversation"),
    ):
        tx.execute(step, values)
