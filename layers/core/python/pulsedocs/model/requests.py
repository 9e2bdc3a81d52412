"""What is written down of a request to ingest, before anything reaches the database.

The record lies in the bucket under the hash of its own text, and the object it speaks of names that
hash in its metadata: whoever finds the object finds exactly the choices it was sent with.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from pulsedocs.errors import ArtifactInvalid
from pulsedocs.model.content_types import in_charset_of, kind_of
from pulsedocs.model.documents import (
    UNKNOWN_ACTOR,
    DuplicateBy,
    IngestOptions,
    OnDuplicate,
    Registration,
    SourceType,
    composed,
)

RECORD_FIELD: Final = "request"
"""Of an object's metadata: the hash of its record."""
S3_ADDRESS: Final = re.compile(
    r"s3://(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])/(?P<key>.{1,1024})"
)


@dataclass(frozen=True, slots=True)
class Choices:
    """What a caller may say of a document, whichever way its bytes come."""

    document_id: UUID | None
    title: str | None
    metadata: Mapping[str, Any]
    content_date: date | None
    options: IngestOptions
    actor: str = UNKNOWN_ACTOR

    def registration(
        self,
        *,
        source: str,
        content_type: str,
        size: int,
        sha256: bytes | None = None,
        source_type: SourceType = SourceType.FILE,
    ) -> Registration:
        return Registration(
            document_id=self.document_id,
            source=composed(source),
            title=self.title,
            content_type=in_charset_of(kind_of(content_type), content_type),
            size=size,
            sha256=sha256,
            metadata=self.metadata,
            content_date=self.content_date,
            options=self.options,
            actor=self.actor,
            source_type=source_type,
        )


@dataclass(frozen=True, slots=True)
class IngestRecord:
    """A registration that waits in the bucket. Without an id it is for whoever has its source."""

    registration: Registration
    requested_at: datetime
    batch_id: UUID | None = None
    """The batch that brought the object, whose row is bound to the version it becomes."""


@dataclass(frozen=True, slots=True)
class ObjectAddress:
    """An object of any bucket."""

    bucket: str
    key: str

    @property
    def uri(self) -> str:
        return f"s3://{self.bucket}/{self.key}"


@dataclass(frozen=True, slots=True)
class FoundObject:
    """An object that exists; `etag` pins its bytes until they are copied."""

    address: ObjectAddress
    size: int
    content_type: str
    etag: str


@dataclass(frozen=True, slots=True)
class SeenObject:
    """A small object as it was read; `etag` lets it be replaced only while it is still that."""

    body: bytes
    etag: str
    last_modified: datetime


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """What an address on the web gave, under the address that gave it in the end."""

    url: str
    content_type: str
    body: bytes


def record_text(record: IngestRecord) -> bytes:
    registration, options = record.registration, record.registration.options
    document_id, sha256 = registration.document_id, registration.sha256
    batch = {} if record.batch_id is None else {"batch_id": str(record.batch_id)}
    return json.dumps(
        {
            **batch,
            "document_id": None if document_id is None else str(document_id),
            "source": registration.source,
            "title": registration.title,
            "content_type": registration.content_type,
            "size": registration.size,
            "sha256": None if sha256 is None else sha256.hex(),
            "metadata": dict(registration.metadata),
            "content_date": _iso(registration.content_date),
            "options": _options_to_json(options),
            "actor": registration.actor,
            "source_type": registration.source_type,
            "requested_at": record.requested_at.isoformat(),
        },
        sort_keys=True,
    ).encode()


def source_text(registration: Registration) -> bytes:
    """Return what names a document where no id is given: its source within its collection."""
    return name_text(registration.options.collection, registration.source)


def name_text(collection: str, source: str) -> bytes:
    return json.dumps([collection, source]).encode()


def record_hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def parse_record(text: bytes, *, expected_hash: str) -> IngestRecord:
    """Read a record; raise ArtifactInvalid for one that is not what was written."""
    if record_hash(text) != expected_hash:
        raise ArtifactInvalid("a request record is not the one that its object names")
    try:
        stored = json.loads(text)
        batch_id = stored.get("batch_id")
        return IngestRecord(
            _registration(stored),
            datetime.fromisoformat(stored["requested_at"]),
            None if batch_id is None else UUID(batch_id),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ArtifactInvalid("a request record cannot be read") from error


def _registration(stored: Mapping[str, Any]) -> Registration:
    document_id, sha256, day = stored["document_id"], stored["sha256"], stored["content_date"]
    source_type = stored.get("source_type")
    return Registration(
        document_id=None if document_id is None else UUID(document_id),
        source=stored["source"],
        title=stored["title"],
        content_type=stored["content_type"],
        size=stored["size"],
        sha256=None if sha256 is None else bytes.fromhex(sha256),
        metadata=stored["metadata"],
        content_date=None if day is None else date.fromisoformat(day),
        options=_options_from_json(stored["options"]),
        actor=stored.get("actor", UNKNOWN_ACTOR),
        source_type=None if source_type is None else SourceType(source_type),
    )


def choices_to_json(choices: Choices) -> dict[str, Any]:
    """Return the choices for documents that get their ids later."""
    return {
        "title": choices.title,
        "metadata": dict(choices.metadata),
        "content_date": _iso(choices.content_date),
        "options": _options_to_json(choices.options),
        "actor": choices.actor,
    }


def choices_from_json(stored: Mapping[str, Any]) -> Choices:
    day = stored["content_date"]
    return Choices(
        document_id=None,
        title=stored["title"],
        metadata=stored["metadata"],
        content_date=None if day is None else date.fromisoformat(day),
        options=_options_from_json(stored["options"]),
        actor=stored.get("actor", UNKNOWN_ACTOR),
    )


def _options_to_json(options: IngestOptions) -> dict[str, Any]:
    return {item.name: getattr(options, item.name) for item in fields(options)}


def _options_from_json(stored: Mapping[str, Any]) -> IngestOptions:
    named: dict[str, Any] = {
        "on_duplicate": OnDuplicate(stored["on_duplicate"]),
        "duplicate_by": DuplicateBy(stored["duplicate_by"]),
    }
    return IngestOptions(**{**stored, **named})


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
