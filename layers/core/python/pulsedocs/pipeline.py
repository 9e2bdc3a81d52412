"""The order of the ingestion stages, the states they lead to, and the revision of their rules."""

from enum import StrEnum
from typing import Final

PIPELINE_REVISION: Final = "25"
"""Raise when extraction, cleaning or chunking would give other rows for the same bytes."""


class Step(StrEnum):
    """One Lambda of the state machine; the ledger keeps one row per (version, step, batch)."""

    CLAIM = "claim"
    EXTRACT = "extract"
    RECOGNISE = "recognise"
    STORE = "store"
    CLEAN = "clean"
    CHUNK = "chunk"
    EMBED = "embed"
    PUBLISH = "publish"
    FAIL = "fail"


class State(StrEnum):
    """How far a document version has come; never how well it can be found."""

    UPLOADED = "UPLOADED"
    PROCESSING = "PROCESSING"
    EXTRACTED = "EXTRACTED"
    CLEANED = "CLEANED"
    CHUNKED = "CHUNKED"
    EMBEDDED = "EMBEDDED"


class Outcome(StrEnum):
    """How a document version ended. Absent while it is on its way, or held unpublished."""

    PUBLISHED = "PUBLISHED"
    SUPERSEDED = "SUPERSEDED"
    DUPLICATE = "DUPLICATE"
    EMPTY = "EMPTY"
    REJECTED = "REJECTED"
    FAILED = "FAILED"
    PARKED = "PARKED"
    CANCELLED = "CANCELLED"
    DELETED = "DELETED"


STATE_BEFORE: Final = {
    Step.CLAIM: State.UPLOADED,
    Step.STORE: State.PROCESSING,
    Step.CLEAN: State.EXTRACTED,
    Step.CHUNK: State.CLEANED,
    Step.EMBED: State.CHUNKED,
    Step.PUBLISH: State.CHUNKED,
}
"""The state a version must be in for a step to write. `embed` is the storing of one batch."""

STATE_AFTER: Final = {
    Step.CLAIM: State.PROCESSING,
    Step.STORE: State.EXTRACTED,
    Step.CLEAN: State.CLEANED,
    Step.CHUNK: State.CHUNKED,
    Step.EMBED: State.CHUNKED,
    Step.PUBLISH: State.EMBEDDED,
}
