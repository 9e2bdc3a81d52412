"""Conversations that are kept between questions: what was asked, and what was answered."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pulsedocs.model.feedback import AnswerPlace, Verdict

MOST_TURNS = 50
"""Of one conversation; older ones are forgotten. A question sees the last five at most."""
MOST_CHARACTERS = 8000
"""Of a question or an answer that is kept; what is beyond is cut."""
MOST_OF_A_TITLE = 200
"""Characters of its first question, by which a conversation is listed."""


@dataclass(frozen=True, slots=True)
class Turn:
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """Where the words of marker `[n]` stand: `text[start:end]` of one page of one version."""

    n: int
    document_id: UUID
    version: int
    page: int
    start: int
    end: int
    ocr: bool | None = None
    """Were they recognised on a picture? None of turns that an older release kept."""
    markers: tuple[int, ...] = ()
    """As in a citation; none of turns that an older release kept."""


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn to keep. `document_ids` are those whose passages its answer was written from.

    `subject` is the person whose conversation it is, empty where a token names nobody.
    """

    conversation_id: UUID
    question: str
    answer: str
    document_ids: tuple[UUID, ...]
    subject: str = ""
    citations: tuple[CitedPlace, ...] = ()
    refused_for: str | None = None


@dataclass(frozen=True, slots=True)
class KeptCitation:
    """Words of a page of one version; `quote` is null once that version is no longer stored.

    `markers` are as in a citation; there are none in turns that an older release kept.
    """

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
    markers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OwnFeedback:
    """What the person said of an answer; of a wrong one also where the right one stands."""

    verdict: Verdict
    reason: str
    expected: tuple[AnswerPlace, ...] | None


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """`refused_for` is the reason where `answer` is a refusal; `feedback` is the caller's own."""

    question: str
    answer: str
    trace_id: str
    asked_at: datetime
    refused_for: str | None
    citations: tuple[KeptCitation, ...]
    feedback: OwnFeedback | None


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """A conversation by its first question that may be shown, and the number of its turns."""

    conversation_id: UUID
    title: str
    turns: int
    created_at: datetime
    answered_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation with its 50 newest turns, without those whose documents were deleted."""

    conversation_id: UUID
    created_at: datetime
    expires_at: datetime
    turns: tuple[KeptTurn, ...]
