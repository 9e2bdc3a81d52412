"""What clients see and change of documents, collections and what they use."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from pulsedocs.deletion.ports import Deletions
from pulsedocs.model.audits import AuditEvent
from pulsedocs.model.budgets import Budget, Limits
from pulsedocs.model.changes import Collection, CollectionChoices, Description, Update, UpdateResult
from pulsedocs.model.documents import (
    DocumentStatus,
    DocumentVersion,
    Registered,
    Registration,
    StoredObject,
)
from pulsedocs.model.policies import DefinedProfile
from pulsedocs.model.retrieval import Profile
from pulsedocs.model.spending import UsageQuery, UsageReport
from pulsedocs.model.sweeps import (
    Redrivable,
    RedriveFilter,
    Stopped,
)


class RequestLog(Protocol):
    """Remembers requests by their Idempotency-Key for a day."""

    def remember(
        self, tenant_id: UUID, key: str, *, request_hash: bytes, seconds: float = 60.0
    ) -> Mapping[str, Any] | None:
        """Start an idempotent request; return the recorded response of a finished one.

        Raises IdempotencyKeyReused (another body) and RequestInProgress, until the first request
        has run for longer than `seconds`: then it has died.
        """
        ...

    def record_response(
        self, tenant_id: UUID, key: str, *, status: int, body: Mapping[str, Any]
    ) -> None: ...

    def forget(self, tenant_id: UUID, key: str) -> None:
        """Release a key whose request failed, so that the same request can be tried again."""
        ...


class DocumentCatalogue(RequestLog, Protocol):
    """What the documents API reads and writes, always within one tenant."""

    def register(
        self,
        tenant_id: UUID,
        registration: Registration,
        *,
        default_model: str,
    ) -> Registered:
        """Register; the default is that of a collection that this makes."""
        ...

    def status(self, tenant_id: UUID, document_id: UUID) -> DocumentStatus: ...

    def list_documents(
        self,
        tenant_id: UUID,
        *,
        collection: str | None,
        state: str | None,
        filters: Mapping[str, Any] | None,
        after: tuple[datetime, UUID] | None,
        limit: int,
    ) -> list[DocumentStatus]: ...

    def page(
        self, tenant_id: UUID, document_id: UUID, number: int, *, version: int | None = None
    ) -> Mapping[str, Any]: ...

    def versions(
        self, tenant_id: UUID, document_id: UUID, *, before: int | None, limit: int
    ) -> list[DocumentVersion]:
        """Return them newest first. Raises DocumentNotFound."""
        ...

    def chunks(
        self,
        tenant_id: UUID,
        document_id: UUID,
        *,
        after: int,
        limit: int,
        version: int | None = None,
    ) -> list[Mapping[str, Any]]: ...

    def object_of(self, tenant_id: UUID, document_id: UUID) -> StoredObject: ...


class DocumentOperations(Protocol):
    """What people do about documents that run, stopped or wait; audited under `actor`."""

    def cancel(self, tenant_id: UUID, document_id: UUID, *, actor: str) -> Stopped:
        """End every version under way; raise DocumentNotFound, NothingToCancel."""
        ...

    def retry(self, tenant_id: UUID, document_id: UUID, *, actor: str) -> Stopped:
        """Allow the version that failed or is parked to go on; raise NothingToRetry."""
        ...

    def redrivable(self, tenant_id: UUID, wanted: RedriveFilter) -> list[Redrivable]: ...

    def redrive(self, tenant_id: UUID, wanted: RedriveFilter, *, actor: str) -> list[Redrivable]:
        """Allow all that `redrivable` lists to go on; return them."""
        ...


class DocumentChanges(Deletions, Protocol):
    """Changes to documents that exist, each one transaction that leaves all or nothing."""

    def describe(
        self, tenant_id: UUID, document_id: UUID, description: Description, *, actor: str
    ) -> DocumentStatus:
        """Return what this change made of the document, whatever another made of it since."""
        ...

    def update(self, tenant_id: UUID, update: Update, *, actor: str) -> UpdateResult:
        """Raise CollectionNotFoundError, NoDocumentsFoundError, DocumentNotReady."""
        ...


class CollectionStore(Protocol):
    """Collections by name, always within one tenant; audited under `actor`."""

    def list_collections(self, tenant_id: UUID) -> list[Collection]: ...

    def collection(self, tenant_id: UUID, name: str) -> Collection: ...

    def create(
        self, tenant_id: UUID, name: str, choices: CollectionChoices, *, actor: str
    ) -> Collection:
        """Raise CollectionExists, and InvalidRequest for a language that PostgreSQL lacks."""
        ...

    def change(
        self, tenant_id: UUID, name: str, changed: Mapping[str, Any], *, actor: str
    ) -> Collection:
        """Raise CollectionNotEmpty when documents were indexed by what would change."""
        ...

    def delete(
        self, tenant_id: UUID, name: str, *, is_cascading: bool, actor: str
    ) -> Mapping[UUID, UUID]:
        """Give the name away; return the documents deleted with it, each with its receipt."""
        ...


class ProfileStore(Protocol):
    """Retrieval policies of collections; revisions are added and never change."""

    def profiles(
        self, tenant_id: UUID, collection: str, name: str | None = None
    ) -> list[DefinedProfile]:
        """Return all revisions, newest first by name; raise CollectionNotFoundError."""
        ...

    def define(
        self, tenant_id: UUID, collection: str, profile: Profile, *, actor: str
    ) -> DefinedProfile:
        """Add a revision unless the newest is equal; raise CollectionNotFoundError, Conflict."""
        ...


class UsageLedger(Protocol):
    """What calls took and what is kept, always within one tenant."""

    def report(self, tenant_id: UUID, asked: UsageQuery) -> UsageReport: ...


class AuditTrail(Protocol):
    def events(
        self, tenant_id: UUID, *, before: tuple[datetime, UUID] | None, limit: int
    ) -> list[AuditEvent]:
        """Return what was done in one tenant, newest first, from a time and an id on."""
        ...


class BudgetStore(Protocol):
    """What a tenant may take in a day, and what it has taken."""

    def budget(self, tenant_id: UUID) -> Budget: ...

    def choose(self, tenant_id: UUID, limits: Limits | None, *, actor: str) -> Budget:
        """Give a tenant limits of its own, or with None those of the stage."""
        ...
