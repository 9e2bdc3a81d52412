"""Batches: the objects below a prefix, and what has become of each."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from pulsedocs.errors import ArtifactInvalid
from pulsedocs.model.requests import Choices, choices_from_json, choices_to_json


class BatchState(StrEnum):
    """How far a batch has come. INCOMPLETE: its execution has ended, and some is left to do."""

    QUEUED = "QUEUED"
    LISTING = "LISTING"
    RUNNING = "RUNNING"
    FINISHED = "FINISHED"
    INCOMPLETE = "INCOMPLETE"


@dataclass(frozen=True, slots=True)
class BatchReference:
    """A batch as it travels through its state machine; `holder` is the execution."""

    tenant_id: UUID
    batch_id: UUID
    holder: str


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """Which objects are meant, and what is said of each of them."""

    prefix: str
    choices: Choices


@dataclass(frozen=True, slots=True)
class BatchObject:
    """One object. `document_id` is None until a document version stands for it."""

    source: str
    etag: str
    size: int
    document_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class BatchFailure:
    source: str
    document_id: UUID | None
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """Counted from the rows of documents; `counts` has no zeros but for PENDING."""

    batch_id: UUID
    state: BatchState
    prefix: str
    total: int
    counts: Mapping[str, int]
    failures: Sequence[BatchFailure]
    created_at: datetime
    finished_at: datetime | None


def batch_request_text(request: BatchRequest) -> bytes:
    """Return what the batch's control object holds; a function without a database reads it."""
    kept = {"prefix": request.prefix, "choices": choices_to_json(request.choices)}
    return json.dumps(kept, sort_keys=True).encode()


def parse_batch_request(text: bytes) -> BatchRequest:
    try:
        kept = json.loads(text)
        return BatchRequest(kept["prefix"], choices_from_json(kept["choices"]))
    except (ValueError, KeyError, TypeError) as error:
        raise ArtifactInvalid("the request of a batch cannot be read") from error


def objects_text(objects: Sequence[BatchObject]) -> bytes:
    """Return a list of objects as the state machine's Map and `tally` read it."""
    return json.dumps([_object_json(each) for each in objects]).encode()


def parse_objects(text: bytes) -> list[BatchObject]:
    try:
        return [_object(item) for item in json.loads(text)]
    except (ValueError, KeyError, TypeError) as error:
        raise ArtifactInvalid("a listing of a batch cannot be read") from error


def _object_json(item: BatchObject) -> dict[str, Any]:
    named = None if item.document_id is None else str(item.document_id)
    return {"source": item.source, "etag": item.etag, "size": item.size, "document_id": named}


def _object(item: Mapping[str, Any]) -> BatchObject:
    named = item["document_id"]
    return BatchObject(
        item["source"], item["etag"], item["size"], None if named is None else UUID(named)
    )
