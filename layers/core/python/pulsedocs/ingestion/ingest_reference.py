"""Ingest what a caller refers to: a text, an object or an address. No database is asked.

A request is two objects: its record, then the bytes, which name the record and start the pipeline.
`claim` makes the rows from both. A record without bytes is no document; bytes come after it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Final
from uuid import UUID, uuid4

from pulsedocs.documents.register_document import check_content, check_registration
from pulsedocs.errors import (
    Conflict,
    DocumentNotFound,
    InvalidRequest,
    ObjectNotFound,
    UnsupportedContentType,
)
from pulsedocs.extraction import SUPPORTED_TYPES, format_of
from pulsedocs.faults import fault_point
from pulsedocs.ingestion.ports import Intake, WebFetcher
from pulsedocs.model.content_types import in_charset_of, kind_of
from pulsedocs.model.documents import Registration, SourceType
from pulsedocs.model.object_keys import (
    deleted_prefix,
    ingest_control_key,
    request_key,
    source_key,
    upload_key,
)
from pulsedocs.model.requests import (
    RECORD_FIELD,
    S3_ADDRESS,
    Choices,
    FoundObject,
    IngestRecord,
    ObjectAddress,
    record_hash,
    record_text,
    source_text,
)
from pulsedocs.model.shown import is_shown

_JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Accepted:
    """What will become a document; its status exists as soon as the pipeline has claimed it.

    A status that was `received_at` an earlier moment than `accepted_at` is of an earlier version.
    """

    document_id: UUID
    source: str
    accepted_at: datetime


@dataclass(frozen=True, slots=True)
class PlacedCopy:
    """A copy where its document lies, among the other uploads of the same document."""

    accepted: Accepted
    object_version: str


def ingest_text(
    tenant_id: UUID,
    text: str,
    choices: Choices,
    *,
    source: str,
    content_type: str,
    intake: Intake,
    max_bytes: int,
) -> Accepted:
    body = text.encode()
    registration = choices.registration(
        source=source,
        content_type=kind_of(content_type),  # the text is in hand, whatever it was written in
        size=len(body),
        sha256=hashlib.sha256(body).digest(),
        source_type=SourceType.TEXT,
    )
    check_registration(registration, max_bytes=max_bytes)
    kind = format_of(registration.content_type, source)
    if not kind.is_text:
        message = f"{kind.name} is no text; upload the file, or name it by `s3_uri`"
        raise UnsupportedContentType(message)
    return place_bytes(tenant_id, registration, body, intake=intake)


def ingest_object(
    tenant_id: UUID,
    uri: str,
    choices: Choices,
    *,
    content_type: str | None,
    prefixes: Sequence[str],
    intake: Intake,
    max_bytes: int,
) -> Accepted:
    """Copy an object from where this tenant's objects may lie; any other one does not exist.

    A copy starts nothing by itself, or a batch could not bound how many run: the run is asked for.
    """
    found = intake.find(address_within(tenant_id, uri, prefixes))
    registration = choices.registration(
        source=uri, content_type=content_type or type_of_object(found), size=found.size
    )
    check_registration(registration, max_bytes=max_bytes)
    accepted = place_copy(tenant_id, registration, found, intake=intake).accepted
    # The bucket's rule passes over events of copies, so this object speaks for the copy.
    control = ingest_control_key(tenant_id, accepted.document_id)
    intake.put(control, b"{}", content_type=_JSON, metadata={})
    return accepted


def ingest_url(
    tenant_id: UUID, url: str, choices: Choices, *, web: WebFetcher, intake: Intake
) -> Accepted:
    """Fetch a page now, so that the caller hears at once why it cannot be had."""
    page = web.fetch(url, content_types=sorted(SUPPORTED_TYPES))
    registration = choices.registration(
        source=page.url,
        content_type=page.content_type,
        size=len(page.body),
        sha256=hashlib.sha256(page.body).digest(),
        source_type=SourceType.WEBSITE,
    )
    check_content(registration, max_bytes=len(page.body))
    return place_bytes(tenant_id, registration, page.body, intake=intake)


def place_bytes(
    tenant_id: UUID, registration: Registration, body: bytes, *, intake: Intake
) -> Accepted:
    """Start the ingestion of bytes in hand; the registration has been checked."""
    accepted, named = _record(tenant_id, registration, intake=intake)
    key = upload_key(tenant_id, accepted.document_id)
    intake.put(key, body, content_type=registration.content_type, metadata=named)
    fault_point("ingest.placed")
    return accepted


def place_copy(
    tenant_id: UUID,
    registration: Registration,
    found: FoundObject,
    *,
    intake: Intake,
    batch_id: UUID | None = None,
) -> PlacedCopy:
    """Put an object in its place by a copy inside S3; the registration has been checked."""
    accepted, named = _record(tenant_id, registration, intake=intake, batch_id=batch_id)
    key = upload_key(tenant_id, accepted.document_id)
    version = intake.copy(found, key, content_type=registration.content_type, metadata=named)
    fault_point("ingest.placed")
    return PlacedCopy(accepted, version)


def document_of(tenant_id: UUID, registration: Registration, *, intake: Intake) -> UUID:
    """Return the document that a source names: the same source again, the same document.

    The id of a deleted document is never used again: its source gets a new one. The database that
    knows what was deleted is not at hand, but each deletion leaves its mark in the bucket. Raises
    DocumentNotFound for an id that was deleted.
    """
    named = registration.document_id
    if named is not None:
        if _was_deleted(tenant_id, named, intake=intake):
            raise DocumentNotFound(f"no document {named}", document_id=str(named))
        return named
    key = source_key(tenant_id, hashlib.sha256(source_text(registration)).hexdigest())
    seen = intake.peek(key)
    if seen is None:  # not made from the source: after a purge it would name what was deleted
        intake.swap(key, _pointer(uuid4()), expected=None)
        seen = intake.peek(key)
    if seen is None:
        raise Conflict("the source's document is being chosen elsewhere; send the request again")
    current = UUID(json.loads(seen.body)["document_id"])
    if not _was_deleted(tenant_id, current, intake=intake):
        return current
    fresh = uuid4()
    if not intake.swap(key, _pointer(fresh), expected=seen):
        raise Conflict("the source's document is being chosen elsewhere; send the request again")
    return fresh


def _was_deleted(tenant_id: UUID, document_id: UUID, *, intake: Intake) -> bool:
    return intake.has_any(deleted_prefix(tenant_id, document_id))


def _pointer(document_id: UUID) -> bytes:
    return json.dumps({"document_id": str(document_id)}).encode()


def address_within(tenant_id: UUID, uri: str, prefixes: Sequence[str]) -> ObjectAddress:
    """Return the address of an object that this tenant may name.

    Another tenant's object, another bucket's and a missing one read alike: ObjectNotFound.
    """
    address = _address(tenant_id, uri, prefixes)
    if not {"", ".", ".."}.isdisjoint(address.key.split("/")):
        raise missing(uri)
    return address


def prefix_within(tenant_id: UUID, uri: str, prefixes: Sequence[str]) -> ObjectAddress:
    """Return the prefix of objects that this tenant may name; it may end in a slash or not."""
    address = _address(tenant_id, uri, prefixes)
    if not {"", ".", ".."}.isdisjoint(address.key.removesuffix("/").split("/")):
        raise missing(uri)
    return address


def _address(tenant_id: UUID, uri: str, prefixes: Sequence[str]) -> ObjectAddress:
    parts = S3_ADDRESS.fullmatch(uri)
    if parts is None or not is_shown(uri):
        raise InvalidRequest("an address in S3 has the form s3://bucket/key")
    allowed = tuple(prefix.replace("{tenant}", str(tenant_id)) for prefix in prefixes)
    if not uri.startswith(allowed):
        raise missing(uri)
    return ObjectAddress(parts["bucket"], parts["key"])


def type_of_object(found: FoundObject) -> str:
    """Return the type that an object's name says, or else its own declaration.

    Tools that copy to S3 declare `binary/octet-stream`; the bytes are checked when they are read.
    """
    suffix = PurePosixPath(found.address.key).suffix.lower()
    named = (kind for kind, suffixes in SUPPORTED_TYPES.items() if suffix in suffixes)
    return in_charset_of(next(named, kind_of(found.content_type)), found.content_type)


def missing(uri: str) -> ObjectNotFound:
    return ObjectNotFound(f"there is no object {uri!r} that this tenant may ingest", uri=uri)


def _record(
    tenant_id: UUID, registration: Registration, *, intake: Intake, batch_id: UUID | None = None
) -> tuple[Accepted, Mapping[str, str]]:
    """Write the request's record; return what is accepted, and what its bytes are to name."""
    document_id = document_of(tenant_id, registration, intake=intake)
    accepted_at = datetime.now(UTC)
    text = record_text(IngestRecord(registration, accepted_at, batch_id))
    digest = record_hash(text)
    record_key = request_key(tenant_id, document_id, digest)
    intake.put(record_key, text, content_type=_JSON, metadata={})
    # The bytes last: their event starts the pipeline, and the claim then looks for the record.
    fault_point("ingest.recorded")
    return Accepted(document_id, registration.source, accepted_at), {RECORD_FIELD: digest}
