"""Documents, their versions and the run that works on one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

from pulsedocs.pipeline import Outcome, State


@dataclass(frozen=True, slots=True)
class Run:
    """One execution's right to write to one document version; `fence` says whose it is."""

    tenant_id: UUID
    document_id: UUID
    version: int
    fence: int


class OnDuplicate(StrEnum):
    SKIP = "skip"
    REJECT = "reject"
    REPLACE = "replace"


class DuplicateBy(StrEnum):
    CONTENT = "content"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """What the uploader chose; kept with the version so that a retry uses the same."""

    collection: str = "default"
    on_duplicate: OnDuplicate = OnDuplicate.SKIP
    duplicate_by: DuplicateBy = DuplicateBy.CONTENT
    hold: bool = False
    chunking: Mapping[str, Any] = field(default_factory=dict[str, Any])
    validate_chunks: bool = True


@dataclass(frozen=True, slots=True)
class Registration:
    """A document announced before its bytes arrive."""

    document_id: UUID | None
    source: str
    title: str | None
    content_type: str
    size: int
    sha256: bytes | None
    metadata: Mapping[str, Any]
    content_date: date | None
    options: IngestOptions


@dataclass(frozen=True, slots=True)
class Registered:
    """The answer to a registration. `duplicate_of` is set when the bytes need not travel."""

    document_id: UUID
    version: int
    duplicate_of: UUID | None


@dataclass(frozen=True, slots=True)
class StoredObject:
    """One version of one object, as the object store itself describes it (never the event)."""

    key: str
    object_version: str
    size: int
    content_type: str
    metadata: Mapping[str, str]
    last_modified: datetime


@dataclass(frozen=True, slots=True)
class ClaimedWork:
    """What a claim grants: the fence, and all that the steps without a database need to know."""

    run: Run
    object_key: str
    object_version: str
    content_type: str
    size: int
    source: str
    must_wait: bool = False
    """The same bytes are under way under another document: nothing may be read until that ends."""


@dataclass(frozen=True, slots=True)
class NothingToDo:
    """The event asks for work that is done, running elsewhere, too old, or refused.

    `ended` is the outcome that this very claim gave the version, None when it changed nothing.
    """

    reason: str
    ended: Outcome | None = None


@dataclass(frozen=True, slots=True)
class PageFailure:
    page: int
    code: str


@dataclass(frozen=True, slots=True)
class PageCounts:
    total: int
    text: int
    empty: int
    hidden_only: int
    failed: int
    failures: tuple[PageFailure, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorReport:
    code: str
    message: str
    context: Mapping[str, Any]
    guidance: str


@dataclass(frozen=True, slots=True)
class DocumentStatus:
    """Everything the status page of one document shows, for its newest version."""

    document_id: UUID
    collection: str
    source: str
    title: str | None
    content_type: str
    size: int
    sha256: bytes | None
    state: State
    outcome: Outcome | None
    version: int
    received_at: datetime | None
    pages: PageCounts
    chunks: int
    chunking: Mapping[str, Any]
    embeddings: Mapping[str, int]
    error: ErrorReport | None
    warnings: tuple[str, ...]
    metadata: Mapping[str, Any]
    content_date: date | None
    created_at: datetime
    updated_at: datetime
    history: tuple[tuple[str, datetime], ...]
    timings_ms: Mapping[str, int]
    stats: Mapping[str, int]
    duplicate_of: UUID | None
    published_version: int | None


def name_of(source: str) -> str:
    """Return what a file or an address is called, without folders and extension.

    "https://example.org/a/Annual_Report%202025.pdf?v=2" is "Annual Report 2025".
    """
    path = source.replace("\\", "/")
    if "://" in source:
        try:
            path = unquote(urlsplit(source).path)
        except ValueError:
            return ""
    name = PurePosixPath(path).stem.replace("_", " ")
    return " ".join("".join(filter(str.isprintable, name)).split())
