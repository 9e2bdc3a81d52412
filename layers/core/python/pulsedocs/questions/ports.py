"""What a question needs of the world: candidates, traces, conversations, boxes."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeVar
from uuid import UUID

from pulsedocs.documents.ports import RequestLog
from pulsedocs.model.budgets import Amounts
from pulsedocs.model.conversations import Conversation, ListedConversation, NewTurn
from pulsedocs.model.feedback import Feedback, KeptFeedback
from pulsedocs.model.highlights import Highlight, PagePlace, WordsOnPage
from pulsedocs.model.lookups import PlaceQuery, PrepareQuery
from pulsedocs.model.page_status import PageQuery, PageStatus
from pulsedocs.model.proofs import CitedWords, Mark, Signature
from pulsedocs.model.queries import QueryKey
from pulsedocs.model.retrieval import (
    CandidateQuery,
    Candidates,
    Prepared,
    Profile,
    StoredText,
    Usage,
)

Made = TypeVar("Made")


class ConversationStore(Protocol):
    """Kept conversations of people, each of `subject`.

    Raises ConversationNotFound, also for one that expired or is somebody else's.
    """

    def conversations(
        self,
        tenant_id: UUID,
        *,
        subject: str,
        before: tuple[datetime, UUID] | None,
        limit: int,
    ) -> list[ListedConversation]:
        """Return those that have turns to show, the last answered first."""
        ...

    def conversation(self, tenant_id: UUID, conversation_id: UUID, *, subject: str) -> Conversation:
        """Return it with its turns, without those written from documents that are deleted."""
        ...

    def delete_conversation(self, tenant_id: UUID, conversation_id: UUID, *, subject: str) -> None:
        """Delete it with its turns, and record who did."""
        ...


class FeedbackKeeper(Protocol):
    """Keeps one word of each person on each answer."""

    def keep_feedback(self, tenant_id: UUID, feedback: Feedback) -> None:
        """Keep it in place of an earlier one. Raises CollectionNotFoundError, DocumentNotFound."""
        ...

    def withdraw_feedback(self, tenant_id: UUID, trace_id: str, *, subject: str) -> bool:
        """Forget it; return whether there was any."""
        ...


class FeedbackStore(Protocol):
    """What a tenant's people said of answers."""

    def feedback(
        self,
        tenant_id: UUID,
        *,
        collection: str | None,
        before: tuple[datetime, UUID] | None,
        limit: int,
    ) -> list[KeptFeedback]:
        """Return it newest first, without that on answers from documents that are deleted."""
        ...


class PageLocator(Protocol):
    def place(self, asked: PlaceQuery) -> PagePlace:
        """Return where in the stored file the words of a page's text lie, of one version.

        Raises DocumentNotFound, PageNotFound, InvalidRequest and NoBoxes.
        """
        ...


class BoxFinder(Protocol):
    def find(self, place: PagePlace) -> Highlight:
        """Return the rectangles of the words. Raises NoBoxes and ObjectNotFound."""
        ...


class BoxReader(Protocol):
    """Measures an untrusted file within budgets. Raises NoBoxes."""

    def boxes(self, body: bytes, words: WordsOnPage) -> Highlight: ...


class CitationReader(Protocol):
    def cited_words(self, tenant_id: UUID, marks: Sequence[Mark]) -> tuple[CitedWords | None, ...]:
        """Return what is stored at each mark, None where its document or version is gone."""
        ...


class Signer(Protocol):
    """Signs in the stage's name; `key_id` names its key to people."""

    @property
    def key_id(self) -> str: ...

    def sign(self, body: bytes) -> Signature: ...


class TraceStore(Protocol):
    """Where one request's traces lie. Raises ObjectNotFound, ObjectStoreUnavailable, TimedOut."""

    def exists(self, key: str) -> bool: ...

    def read(self, key: str) -> bytes: ...

    def write(self, key: str, body: bytes) -> None: ...


class QueryCache(Protocol):
    """What was made of a question lately, in this process; bounded in number and in age."""

    def remember(self, key: QueryKey, make: Callable[[], Made]) -> Made:
        """Return what was made for the same key before, or make it; errors are not kept."""
        ...


class DatabaseProbe(Protocol):
    def ping(self, tenant_id: UUID) -> None:
        """Ask the database for nothing; raises what its stores raise. It wakes a paused one."""
        ...


class RetrievalStore(Protocol):
    """The database side of a question: a few calls, each one transaction."""

    def prepare(self, asked: PrepareQuery) -> Prepared:
        """Look at the scope; also for words that may be misspelt, where all of it is English.

        Raises ConversationTaken for a conversation that somebody else has begun.
        """
        ...

    def reserve(self, tenant_id: UUID, reservation_id: UUID, amounts: Amounts) -> None:
        """Reserve what the question may cost at most, until it is settled; raise BudgetExceeded."""
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
    ) -> Mapping[tuple[UUID, int, int], StoredText]:
        """Return cleaned text and printed label by (document, version, page)."""
        ...

    def page_status(self, asked: PageQuery) -> PageStatus | None:
        """Return what is stored of a page, None where its document is not there."""
        ...

    def defined_profile(self, tenant_id: UUID, collection: str, name: str) -> Profile | None:
        """Return the newest revision of a policy that a collection has defined."""
        ...


class RetrievalDatabase(
    RetrievalStore,
    PageLocator,
    CitationReader,
    FeedbackKeeper,
    DatabaseProbe,
    RequestLog,
    Protocol,
):
    """The store where it lies: what `query` asks through it when an answer was too large."""

    def candidate_texts(
        self, tenant_id: UUID, chunks: Sequence[tuple[UUID, int, UUID]]
    ) -> Mapping[UUID, str]:
        """Return the texts of chunks named by (document, version, chunk)."""
        ...
