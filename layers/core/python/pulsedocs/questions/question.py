"""A question, and what was found for it."""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from pulsedocs.answering.languages import language_of
from pulsedocs.model.answers import Abstained, ChatMessage
from pulsedocs.model.conversations import Turn
from pulsedocs.model.queries import Inputs
from pulsedocs.model.retrieval import Abstention, Candidate, Candidates, Prepared, Profile, Scope
from pulsedocs.questions.journal import Journal
from pulsedocs.questions.refusal_texts import RefusalTexts
from pulsedocs.retrieval.evidence import Evidence
from pulsedocs.retrieval.profiles import Overrides
from pulsedocs.retrieval.rules.rule import Decision
from pulsedocs.retrieval.selection import Selection

_TURN_CHARACTERS = 600  # of 2,000 that a history may have: the turn before always fits


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, where, by whom, and how the policy is to differ from the collection's."""

    text: str
    scope: Scope
    subject: str | None = None
    profile: str | None = None
    model: str | None = None
    overrides: Overrides = field(default_factory=Overrides)
    history: tuple[ChatMessage, ...] = ()
    conversation_id: UUID | None = None
    """A kept conversation that this question goes on with; its turns become the history."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A question with everything that its answer and its trace are made from."""

    question: Question
    inputs: Inputs
    trace_id: str
    asked_at: datetime
    profile: Profile
    prepared: Prepared | None
    found: Candidates
    evidence: Evidence
    selection: Selection
    models: Mapping[str, str | None]
    journal: Journal
    language: str | None = None

    @property
    def selected(self) -> list[tuple[Decision, Candidate]]:
        by_id = {candidate.chunk_id: candidate for candidate in self.found.candidates}
        return [
            (decision, by_id[decision.passage.chunk_id])
            for decision in self.selection.decisions
            if decision.rank is not None
        ]

    @property
    def timings_ms(self) -> dict[str, float]:
        """Return how long each part took; those of the database are within `search`."""
        return {**self.found.timings_ms, **self.journal.timings_ms}

    def abstained(self, texts: RefusalTexts) -> Abstained | None:
        """Return why nothing is answered; None where passages were selected."""
        refusal = self.selection.refusal
        return None if refusal is None else self.refused(refusal.reason, refusal.detail, texts)

    def refused(self, reason: Abstention, detail: str, texts: RefusalTexts) -> Abstained:
        """Return a refusal that says where the answer may be there all the same."""
        texts = texts.in_language(language_of(self.question.text))
        unsure = texts.language_unknown if "language" in self.journal.failures else ""
        if self.prepared is not None and self.prepared.coverage:
            unsure = texts.not_found
        return texts.abstention(reason, detail, unsure=unsure)


def tenant_key(secret: bytes, tenant_id: UUID) -> bytes:
    """Return the key of one tenant's hashes; no two tenants' traces can be compared."""
    return hmac.digest(secret, f"trace\0{tenant_id}".encode(), "sha256")


def continued(question: Question, turns: Sequence[Turn]) -> Question:
    """Return the question after the turns of its conversation; long ones are cut, not dropped."""
    if not turns:
        return question
    said = [
        ChatMessage(role, text[:_TURN_CHARACTERS])
        for turn in turns
        for role, text in (("user", turn.question), ("assistant", turn.answer))
    ]
    return replace(question, history=tuple(said))
