"""What a question becomes before it is searched."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Inputs:
    """A question and what an input stage made of it; None where it was left as asked."""

    asked: str
    rewritten: str | None = None
    """The question as it reads without the conversation or the story before it."""
    standard: str | None = None
    """What is searched instead of the question."""
    hyde: str | None = None
    """A passage that could answer: searched by meaning beside the question."""
    on_pages: str | None = None
    """The question without the pages that it names, where only these are searched."""

    @property
    def standalone(self) -> str:
        return self.on_pages or self.rewritten or self.asked

    @property
    def searched(self) -> str:
        return self.standard or self.standalone


@dataclass(frozen=True, slots=True)
class QueryKey:
    """What a remembered result was made from; of one tenant, so that it serves no other."""

    tenant_id: UUID
    model: str
    purpose: str
    text: str
