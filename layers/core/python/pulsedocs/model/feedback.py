"""What people say of answers: whether one helped, and where the right one stands."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from pulsedocs.model.evaluations import Expected

MOST_CHARACTERS = 2000
"""Of what a person says in words of their own."""


class Verdict(StrEnum):
    HELPFUL = "helpful"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class AnswerPlace:
    """Where an answer stands; `text[start:end]` of the page of a version, as far as it is known."""

    document_id: UUID
    page: int | None = None
    version: int | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Feedback:
    """One person's word on one answer.

    `places` is None where nobody said where the right answer stands, and empty where the documents
    do not have it. `document_ids` are those that the answer cites and those that are named.
    """

    trace_id: str
    subject: str
    verdict: Verdict
    reason: str
    question: str
    collections: tuple[str, ...]
    places: tuple[AnswerPlace, ...] | None
    document_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class KeptFeedback:
    """What is kept of it: with `expected`, which is not None, it is a question to evaluate with."""

    trace_id: str
    subject: str
    verdict: Verdict
    reason: str
    question: str
    collections: tuple[str, ...]
    expected: tuple[Expected, ...] | None
    changed_at: datetime
