"""Changes to documents that exist, and to the collections that hold them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID


class Strategy(StrEnum):
    REPLACE = "replace"
    APPEND = "append"
    DELETE = "delete"
    UPSERT = "upsert"
    METADATA = "metadata"


@dataclass(frozen=True, slots=True)
class Update:
    """One request to `POST /documents/update`. `collection` None means all of the tenant's."""

    strategy: Strategy
    collection: str | None = None
    filters: Mapping[str, Any] | None = None
    document_ids: tuple[UUID, ...] = ()
    new_document_ids: tuple[UUID, ...] = ()
    metadata_updates: Mapping[str, Any] = field(default_factory=dict[str, Any])
    reprocess_chunks: bool = False
    chunking: Mapping[str, Any] | None = None
    include_standalone: bool = False

    @property
    def has_targets(self) -> bool:
        return bool(self.filters or self.document_ids)

    @property
    def removes(self) -> bool:
        return self.strategy in {Strategy.REPLACE, Strategy.DELETE, Strategy.UPSERT}


@dataclass(frozen=True, slots=True)
class UpdateResult:
    """True counts of one committed update. `errors` names documents that were left as they were.

    `kept_document_ids` match the filters and stand alone: a cascade spares them.
    """

    documents_affected: int
    chunks_deleted: int
    chunks_added: int
    chunks_updated: int
    updated_document_ids: tuple[UUID, ...]
    deleted_document_ids: tuple[UUID, ...]
    receipt_ids: tuple[UUID, ...]
    reprocessed_document_ids: tuple[UUID, ...]
    errors: tuple[Mapping[str, Any], ...]
    kept_document_ids: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Description:
    """Fields of a document to change; those not in `given` stay. `metadata` is a merge patch."""

    given: frozenset[str]
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    title: str | None = None
    content_date: date | None = None


@dataclass(frozen=True, slots=True)
class CollectionChoices:
    """What a collection chooses for its documents and for questions about them.

    `ocr_languages` are those of words on pictures, the likeliest first: none for a collection whose
    pictures nobody reads, None for those of the stage.
    """

    model: str
    chunk_profile: str
    retrieval_profile: str
    language: str
    ocr_languages: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class StageDefaults:
    """What a stage's settings say for collections and documents that do not say it.

    `chunking` are the parameters of `chunk_profile`, empty for those it is built with.
    """

    chunk_profile: str = "classic"
    chunking: Mapping[str, Any] = field(default_factory=dict[str, Any])
    retrieval_profile: str = "default"

    def chunking_of(self, profile: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return how a document is cut; who asks for any number gives all: halves may not fit."""
        options = {"profile": profile, **asked}
        has_numbers = bool(set(asked) - {"profile", "context"})
        if has_numbers or options["profile"] != self.chunk_profile:
            return options
        return {**self.chunking, **options}


@dataclass(frozen=True, slots=True)
class Collection:
    name: str
    choices: CollectionChoices
    documents: int
    created_at: datetime


def merged(document: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Apply a JSON merge patch (RFC 7396): null removes a key, objects merge, all else replaces."""
    result = dict(document)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping):
            inside = result.get(key)
            result[key] = merged(inside if isinstance(inside, Mapping) else {}, value)  # pyright: ignore[reportUnknownArgumentType] -- JSON
        else:
            result[key] = value
    return result
