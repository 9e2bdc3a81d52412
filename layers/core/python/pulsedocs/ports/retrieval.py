"""What a question needs of the database."""

from collections.abc import Mapping, Sequence
from typing import Protocol
from uuid import UUID

from pulsedocs.model.budgets import Amounts
from pulsedocs.model.conversations import NewTurn
from pulsedocs.model.retrieval import CandidateQuery, Candidates, Prepared, Profile, Scope, Usage
from pulsedocs.model.standings import PageQuery, PageStanding
from pulsedocs.ports.files import PageLocator


class DatabaseProbe(Protocol):
    def ping(self, tenant_id: UUID) -> None:
        """Ask the database for nothing; raises what its stores raise. It wakes a paused one."""
        ...


class RetrievalStore(Protocol):
    """The database side of a question: a few calls, each one transaction."""

    def prepare(
        self, scope: Scope, *, model: str | None, method: str, conversation_id: UUID | None = None
    ) -> Prepared: ...

    def reserve(self, tenant_id: UUID, reservation_id: UUID, amounts: Amounts) -> None:
        """Hold what the question may cost at most, until it is settled; raise BudgetExceeded."""
        ...

    def search(self, query: CandidateQuery) -> Candidates: ...

    def settle(
        self,
        tenant_id: UUID,
        reservation_id: UUID | None,
        usage: Usage,
        *,
        turn: NewTurn | None = None,
    ) -> None: ...

    def page_texts(
        self, tenant_id: UUID, pages: Sequence[tuple[UUID, int, int]]
    ) -> Mapping[tuple[UUID, int, int], tuple[str, str | None]]:
        """Return cleaned text and printed label by (document, version, page)."""
        ...

    def standing(self, asked: PageQuery) -> PageStanding | None:
        """Return what is stored of a page, None where its document is not there."""
        ...

    def defined_profile(self, tenant_id: UUID, collection: str, name: str) -> Profile | None:
        """Return the newest revision of a policy that a collection has defined."""
        ...


class RetrievalDatabase(RetrievalStore, PageLocator, DatabaseProbe, Protocol):
    """The store where it lies: what `query` asks through it when an answer was too large."""

    def candidate_texts(
        self, tenant_id: UUID, chunks: Sequence[tuple[UUID, int, UUID]]
    ) -> Mapping[UUID, str]:
        """Return the texts of chunks named by (document, version, chunk)."""
        ...
