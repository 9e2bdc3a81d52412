"""Decide whether an object version is new work, and take the fence if so."""

import re
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from pulsedocs.adapters.postgres.ingestion.copies import decide, name_original
from pulsedocs.adapters.postgres.ingestion.endings import (
    MISMATCH,
    REJECTED_AS_DUPLICATE,
    end_version,
    wrong_size,
)
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import (
    DocumentRow,
    Key,
    VersionRow,
    lock_document,
    lock_version,
    value_of,
)
from pulsedocs.errors import DuplicateInProgress, InvalidRequest
from pulsedocs.faults import fault_point
from pulsedocs.model.documents import (
    ClaimedWork,
    ErrorReport,
    NothingToDo,
    Run,
    StoredObject,
)
from pulsedocs.model.object_keys import upload_key
from pulsedocs.pipeline import PIPELINE_REVISION, Outcome, State, Step

_SEQUENCER_LENGTH: Final = 64
_DIGITS: Final = len("999999999")  # of a version's number
_SEQUENCER: Final = re.compile(r"[0-9A-F]{1,64}")
_REOPENABLE: Final = frozenset({Outcome.FAILED, Outcome.PARKED})
_OWN_BYTES: Final = "the same bytes are published already"
_BYTES_OF_ANOTHER: Final = "the same bytes are published under another document"


@dataclass(frozen=True, slots=True)
class Request:
    """Who asks for which work; `stored` is None when a control request asks to go on."""

    tenant_id: UUID
    document_id: UUID
    stored: StoredObject | None
    sequencer: str | None
    holder: str
    content: bytes | ErrorReport | None = None
    """The SHA-256 of the stored bytes, or why they are refused."""


def claim(request: Request, tx: Connection[Any]) -> ClaimedWork | NothingToDo:
    """Do what `ingestion.ports.IngestionStore.claim` promises, in one transaction."""
    key: Key = {"tenant_id": request.tenant_id, "document_id": request.document_id}
    document = lock_document(tx, key)
    if request.stored is not None:
        # The places among the uploads of the key, as their listing has them.
        orders = request.stored.upload_orders
        learnt = key | {"object_versions": list(orders), "orders": list(orders.values())}
        if tx.execute(query("learn_orders"), learnt).rowcount:
            document = lock_document(tx, key)
    if document is None or document.deleted_at is not None:
        return NothingToDo("no such document", is_gone=True)
    chosen = _choose_version(tx, key, document, request)
    if isinstance(chosen, NothingToDo):
        return chosen
    key |= {"version": chosen}
    version = lock_version(tx, key)
    assert version is not None  # noqa: S101 -- found or made under the document's lock
    fault_point("claim.locked")
    obstacle = _obstacle(version, request)
    if obstacle is not None:
        return NothingToDo(obstacle)
    if version.is_older_than_published(document):
        reason = "a newer upload is published already"
        has_ended = version.outcome is not None
        return NothingToDo(reason) if has_ended else _end(tx, key, Outcome.SUPERSEDED, reason)
    if version.outcome is not None:
        tx.execute(query("reopen_version"), key)
    try:
        ended = _end_by_content(tx, key, version, request.content)
    except DuplicateInProgress:
        # Committed with the fence: rolled back, an upload that waits in vain would be lost.
        work = _take_fence(tx, key, version, holder=request.holder)
        return replace(work, must_wait=True)
    return ended or _take_fence(tx, key, version, holder=request.holder)


def comparable(sequencer: str | None) -> str | None:
    """Return S3's sequencer so that text order is upload order: upper case, zeros on the right."""
    if sequencer is None:
        return None
    # https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
    upper = sequencer.upper()
    if not _SEQUENCER.fullmatch(upper):
        raise InvalidRequest("the event's sequencer is not a hexadecimal number")
    return upper.ljust(_SEQUENCER_LENGTH, "0")


def _choose_version(
    tx: Connection[Any], key: Key, document: DocumentRow, request: Request
) -> int | NothingToDo:
    """Return the version that stands for the object, which is added if nobody announced it."""
    stored = request.stored
    if stored is None:
        held = value_of(tx, "leased_run", key | {"holder": request.holder})
        resumable = held or value_of(tx, "resumable_version", key)
        return resumable or NothingToDo("no version of this document waits for a run")
    named = _named_version(stored)
    if named is not None and value_of(tx, "is_of_used_form", key | named):
        return NothingToDo("the form has stored an object before this one", is_surplus=True)
    arrived = key | {
        "object_version": stored.object_version,
        "pipeline_revision": PIPELINE_REVISION,
        "content_type": stored.content_type,
        "size": stored.size,
        "sequencer": comparable(request.sequencer),
        "upload_order": stored.upload_order,
    }
    known = value_of(tx, "version_of_object", arrived)
    if known is not None:
        tx.execute(query("learn_sequencer"), arrived | {"version": known})
        if known == document.published_version and arrived["sequencer"] is not None:
            tx.execute(query("raise_sequencer"), arrived)
        return known
    number = None if named is None else value_of(tx, "awaited_version", key | named)
    if number is None:
        number = document.latest_version + 1
        tx.execute(query("add_received_version"), arrived | {"version": number})
        tx.execute(query("count_version"), key | {"version": number})
    tx.execute(query("receive_version"), arrived | {"version": number})
    return number


def _named_version(stored: StoredObject) -> Key | None:
    """Return the registration that the object's signed form was made for, as a key of queries."""
    named = stored.metadata.get("version", "")
    if not named.isascii() or not named.isdigit() or len(named) > _DIGITS:
        return None
    return {"version": int(named), "named": int(named), "object_version": stored.object_version}


def _obstacle(version: VersionRow, request: Request) -> str | None:
    """Say why there is nothing to do with a version as it is."""
    may_reopen = request.stored is None and version.outcome in _REOPENABLE
    if version.outcome is not None and not may_reopen:
        return f"this version has ended {version.outcome}"
    if version.outcome is None and version.state == State.EMBEDDED:
        return "this version is held unpublished"
    if version.has_live_lease and version.lease_holder != request.holder:
        return "another execution works on this version"
    return None


def _end_by_content(
    tx: Connection[Any], key: Key, version: VersionRow, content: bytes | ErrorReport | None
) -> NothingToDo | None:
    """End a version whose bytes are refused or known; None leaves it to a run.

    Asked at every claim: whoever failed gave its bytes back, and another document may have them.
    Raises DuplicateInProgress.
    """
    if isinstance(content, ErrorReport):
        return _end(tx, key, Outcome.REJECTED, content.message, error=content)
    if version.declared_size not in (None, version.size):
        error = wrong_size(version.size, announced=version.declared_size)
        return _end(tx, key, Outcome.REJECTED, error.message, error=error)
    if version.sha256 is None and content is not None:
        declared = value_of(tx, "record_sha256", key | {"sha256": content})
        if declared not in (None, content):
            return _end(tx, key, Outcome.REJECTED, MISMATCH.message, error=MISMATCH)
    elif version.sha256 is None:
        return None
    decision = decide(tx, key, version)
    if decision.outcome is None:
        name_original(tx, key, decision)
        return None
    error = REJECTED_AS_DUPLICATE if decision.outcome is Outcome.REJECTED else None
    is_own = decision.duplicate_of == key["document_id"]
    reason = _OWN_BYTES if is_own else _BYTES_OF_ANOTHER
    return _end(tx, key, decision.outcome, reason, error=error, duplicate_of=decision.duplicate_of)


def _end(
    tx: Connection[Any],
    key: Key,
    outcome: Outcome,
    reason: str,
    *,
    error: ErrorReport | None = None,
    duplicate_of: UUID | None = None,
) -> NothingToDo:
    end_version(tx, key, outcome, error=error, duplicate_of=duplicate_of, step=Step.CLAIM.value)
    fault_point("claim.before_commit")
    return NothingToDo(reason, ended=outcome)


def _take_fence(tx: Connection[Any], key: Key, version: VersionRow, *, holder: str) -> ClaimedWork:
    # An execution that asks again, because the answer was lost, keeps its fence: as another one it
    # would find its own lease taken, and the document would wait 15 minutes for that to end.
    takes_over = version.outcome is not None or version.lease_holder != holder
    taken = tx.execute(query("take_fence"), key | {"holder": holder, "takes_over": takes_over})
    [(fence, ocr_languages, language, source)] = taken.fetchall()
    tenant_id, document_id = key["tenant_id"], key["document_id"]
    fault_point("claim.before_commit")
    return ClaimedWork(
        run=Run(tenant_id, document_id, version.version, fence),
        object_key=upload_key(tenant_id, document_id),
        object_version=version.object_version or "",
        content_type=version.content_type,
        size=version.size,
        source=source,
        ocr_languages=ocr_languages,
        language=language,
    )
