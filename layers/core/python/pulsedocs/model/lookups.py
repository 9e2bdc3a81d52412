"""What the database is asked before a question is searched, and of a citation's page."""

from uuid import UUID

from pydantic import BaseModel, ConfigDict

from pulsedocs.model.retrieval import NamedPages, Scope


class PrepareQuery(BaseModel):
    """A question before its search; `doubtful` are words of it that may be misspelt."""

    model_config = ConfigDict(frozen=True)

    scope: Scope
    model: str | None = None
    method: str
    conversation_id: UUID | None = None
    subject: str = ""
    doubtful: tuple[str, ...] = ()
    pages: NamedPages | None = None


class PlaceQuery(BaseModel):
    """`text[start:end]` of a page: of the published version, where none is named."""

    model_config = ConfigDict(frozen=True)

    tenant_id: UUID
    document_id: UUID
    page: int
    start: int
    end: int
    version: int | None = None
