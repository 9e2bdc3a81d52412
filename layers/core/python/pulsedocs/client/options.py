"""What operations take beside their subject: fields of the contract, which explains them."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final, Literal, TypedDict
from uuid import UUID

CONFIGURED: Final = "configured"
"""The profile that a collection is given where a configuration's numbers are no profile's."""
Filters = Mapping[str, Any]
"""Conditions on metadata: `{"user_id": "al", "year": {"$gte": 2020}}`, `$and`, `$or`, `$not`."""
Strategy = Literal["replace", "append", "delete", "upsert", "metadata"]


class DocumentOptions(TypedDict, total=False):
    """Fields of `POST /documents` for all documents of a call."""

    collection: str
    title: str | None
    document_id: UUID | str | None
    on_duplicate: Literal["skip", "reject", "replace"]
    duplicate_by: Literal["content", "source"]
    hold: bool
    chunking: Mapping[str, Any]
    validate_chunks: bool
    metadata: Mapping[str, Any]
    content_date: date | str | None


class Turn(TypedDict):
    """One message of a conversation that the caller keeps."""

    role: Literal["user", "assistant"]
    content: str


class ScopeOptions(TypedDict, total=False):
    """What a question may be about: `collection` or `collections`, and of them which documents."""

    collection: str | None
    collections: Sequence[str] | None
    document_ids: Sequence[UUID | str] | None
    filters: Filters | None


class QuestionOptions(ScopeOptions, total=False):
    """Fields of `POST /search` and of `POST /ask`; what is left out is the profile's."""

    profile: str | None
    model: str | None
    top_k: int | None
    enable_reranking: bool | None
    enable_keyword_search: bool | None
    enable_hyde: bool | None
    rewrite: bool | None
    score_threshold: float | None
    deduplicate: bool | None
    return_full_chunks: bool
    history: Sequence[Turn]
    conversation_id: UUID | str | None
    debug: bool


class UpdateOptions(TypedDict, total=False):
    """Fields of `POST /documents/update`."""

    collection: str | None
    filters: Filters | None
    document_ids: Sequence[UUID | str]
    new_document_ids: Sequence[UUID | str]
    metadata_updates: Mapping[str, Any]
    reprocess_chunks: bool
    chunking: Mapping[str, Any] | None
    include_standalone: bool


class CollectionOptions(TypedDict, total=False):
    """What a collection chooses; what is left out is the stage's default."""

    model: str | None
    chunk_profile: str | None
    retrieval_profile: str | None
    language: str
    ocr_languages: Sequence[str] | None


class OtherPolicy(TypedDict, total=False):
    """Fields of `POST /traces/{id}/what-if`; `values` are fields of a profile."""

    profile: str | None
    collection: str
    top_k: int | None
    enable_reranking: bool | None
    enable_keyword_search: bool | None
    enable_hyde: bool | None
    score_threshold: float | None
    deduplicate: bool | None
    values: Mapping[str, Any]
