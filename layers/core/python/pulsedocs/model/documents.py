"""Documents, their versions and the run that works on one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any, Final
from unicodedata import normalize
from urllib.parse import unquote, urlsplit
from uuid import UUID

from pulsedocs.model.titles import is_legible, is_machine_made
from pulsedocs.pipeline import Outcome, State

MAX_METADATA_BYTES: Final = 16_384  # of a document, as JSON
KIND_OF_DOCUMENT: Final = (
    r"(?:documento?s?|dokument\w*|(?:jahres)?bericht\w*|reports?|rapporto?|informe|relat\u00f3rio"
    r"|relazione|verslag|paper|pdf|file|datei|fichier|archivo|manual\w*|manuel|handbooks?"
    r"|handbuch\w*|handleiding|guide|books?|booklet|brochure|leaflet|newsletter|presentation|deck"
    r"|slides|letter|memo|contract|agreement|lease|policy|terms|regulations|vertrag\w*|contrato"
    r"|contrat|contratto|invoice|minutes|transcript|article|study|thesis|text|(?:e-?)?mails?"
    r"|messages?|nachricht|courriel|correo|messaggio|mensagem)"
)
"""What readers call a document, as a pattern, in the languages in which questions name pages."""


@dataclass(frozen=True, slots=True)
class Run:
    """One execution's right to write to one document version; `fence` says whose it is."""

    tenant_id: UUID
    document_id: UUID
    version: int
    fence: int


@dataclass(frozen=True, slots=True)
class ContentDecision:
    """`outcome` is None for new content, else DUPLICATE or REJECTED with the original's id."""

    outcome: Outcome | None
    duplicate_of: UUID | None


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


UNKNOWN_ACTOR: Final = "ingestion"
"""Who sent a document whose request was written down before requests named their caller."""


def composed(source: str) -> str:
    """Return a name as most systems write it: "\u00e9" as one character; a Mac writes two."""
    return normalize("NFC", source)


class SourceType(StrEnum):
    """Where a document came from; the Python client also tells `binary`."""

    FILE = "file"
    TEXT = "text"
    WEBSITE = "website"


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
    actor: str = UNKNOWN_ACTOR
    source_type: SourceType | None = None
    """What the metadata says under this name where it says nothing itself."""


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
    upload_orders: Mapping[str, int] = field(default_factory=dict[str, int])
    """Its place and its siblings', by object version, where asked for: see `ports.objects`."""

    @property
    def upload_order(self) -> int | None:
        return self.upload_orders.get(self.object_version)


@dataclass(frozen=True, slots=True)
class UploadForm:
    """A POST form: the client sends `fields`, then `file`, to `url` before `expires_at`."""

    url: str
    fields: Mapping[str, str]
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ClaimedWork:
    """What a claim grants: the fence, and all that the steps without a database need to know."""

    run: Run
    object_key: str
    object_version: str
    content_type: str
    size: int
    source: str
    ocr_languages: Sequence[str] | None = None
    language: str | None = None
    must_wait: bool = False
    """Another run reads the same bytes: nothing may be read until that ends."""


@dataclass(frozen=True, slots=True)
class NothingToDo:
    """The event asks for work that is done, running elsewhere, too old, or refused.

    `ended` is the outcome that this very claim gave the version, None when it changed nothing.
    """

    reason: str
    ended: Outcome | None = None
    is_surplus: bool = False
    """Nothing will ever stand for the object: its form had stored one before."""
    is_gone: bool = False
    """The document is deleted, or was never there: what has come for it may have to go."""


@dataclass(frozen=True, slots=True)
class PageFailure:
    page: int
    code: str


@dataclass(frozen=True, slots=True)
class PageCounts:
    """`furniture_lines` are the running headers and footers that cleaning left out.

    `low_confidence` of the `ocr` pages were recognised with little certainty.
    """

    total: int
    text: int
    ocr: int
    low_confidence: int
    empty: int
    hidden_only: int
    failed: int
    furniture_lines: int
    failures: tuple[PageFailure, ...]


@dataclass(frozen=True, slots=True)
class ErrorReport:
    code: str
    message: str
    context: Mapping[str, Any]
    guidance: str


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """What was sent of a document once, how it ended, and the version that took its place.

    `is_stored` says whether its pages can still be read.
    """

    version: int
    state: str
    outcome: str | None
    content_type: str
    size: int
    pages: int
    is_published: bool
    replaced_by: int | None
    is_stored: bool
    registered_at: datetime
    received_at: datetime | None
    updated_at: datetime


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


@dataclass(frozen=True, slots=True)
class Title:
    """What a document is called: `is_given` by a person or the file, else lent by its source.

    `indexed` is what its chunks are embedded and matched with. A file's own title may be that of
    its maker, and the same in all files: what the file is called stands before it.
    """

    text: str
    is_given: bool
    indexed: str


@dataclass(frozen=True, slots=True)
class RunChoices:
    """What a version was registered with, and what its document is called now.

    `chunking` is its chunk profile with the overrides, `{"profile": …, …}`; `sha256` is None until
    its bytes were read; `model` is the one that its collection is searched with now.
    """

    chunking: Mapping[str, Any]
    sha256: bytes | None
    model: str
    title: Title


def titled(given: str | None, by_file: str | None, source: str) -> Title:
    """Return what a document is called by a person, by its file and by where it comes from."""
    name = name_of(source)
    if given is not None or by_file is None:
        return Title(given or name, is_given=given is not None, indexed=given or name)
    words, others = by_file.casefold().split(), name.casefold().split()
    if set(others) <= set(words):
        return Title(by_file, is_given=True, indexed=by_file)
    indexed = name if set(words) <= set(others) else f"{name}: {by_file}"
    return Title(by_file, is_given=True, indexed=indexed)


def name_of(source: str) -> str:
    """Return what a file or an address is called, without folders and extension.

    "https://example.org/a/Annual_Report%202025.pdf?v=2" is "Annual Report 2025". A name that only
    a machine can tell from others, such as a digest, is none.
    """
    path = source.replace("\\", "/")
    if "://" in source:
        try:
            path = unquote(urlsplit(source).path)
        except ValueError:
            return ""
    name = PurePosixPath(path).stem.replace("_", " ")
    words = " ".join("".join(filter(is_legible, name)).split())
    return "" if is_machine_made(words) else words
