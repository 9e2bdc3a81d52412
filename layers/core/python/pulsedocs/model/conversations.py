"""Conversations that are kept between questions: what was asked, and what was answered."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

MOST_TURNS = 50
"""Of one conversation; older ones are forgotten. A question sees the last five at most."""
MOST_CHARACTERS = 8000
"""Of a question or an answer that is kept; what is beyond is cut."""


@dataclass(frozen=True, slots=True)
class Turn:
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn to keep. `document_ids` are those whose passages its answer was written from."""

    conversation_id: UUID
    question: str
    answer: str
    document_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class KeptTurn:
    question: str
    answer: str
    trace_id: str
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class Conversation:
    conversation_id: UUID
    created_at: datetime
    expires_at: datetime
    turns: tuple[KeptTurn, ...]
