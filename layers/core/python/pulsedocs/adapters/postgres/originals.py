"""Which document holds some bytes in a collection, and what that means for another one."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg import Connection
from psycopg.errors import UniqueViolation

from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key, VersionRow, value_of
from pulsedocs.errors import DuplicateInProgress
from pulsedocs.model.documents import DuplicateBy, OnDuplicate
from pulsedocs.pipeline import Outcome


@dataclass(frozen=True, slots=True)
class Decision:
    """Implements `ports.ingestion.ContentDecision`."""

    outcome: Outcome | None
    duplicate_of: UUID | None


NEW = Decision(outcome=None, duplicate_of=None)


def decide(tx: Connection[Any], key: Key, version: VersionRow) -> Decision:
    """Say whether a version whose bytes are known is new content; make it the original if so.

    Raises DuplicateInProgress while the original may still fail: answering DUPLICATE then could
    leave the collection without the bytes.
    """
    if value_of(tx, "is_own_repetition", key):
        tx.execute(query("raise_sequencer"), key | {"sequencer": version.sequencer or ""})
        return _repetition(tx, key, Outcome.DUPLICATE, key["document_id"])
    if version.duplicate_by == DuplicateBy.SOURCE:
        claim_bytes(tx, key)
        return NEW
    return _compare(tx, key, OnDuplicate(version.on_duplicate))


def claim_bytes(tx: Connection[Any], key: Key) -> bool:
    """Become the original of the bytes; False when another document is.

    The unique index decides between two at once: the second waits for the first to commit.
    """
    try:
        with tx.transaction():
            tx.execute(query("become_original"), key)
    except UniqueViolation:
        return False
    return True


def original_elsewhere(tx: Connection[Any], key: Key) -> tuple[UUID, int, bool] | None:
    """Return document, version and whether it has been ingested, of who holds the same bytes."""
    return tx.execute(query("original_elsewhere"), key).fetchone()


def _compare(tx: Connection[Any], key: Key, on_duplicate: OnDuplicate) -> Decision:
    if claim_bytes(tx, key):
        return NEW
    original = original_elsewhere(tx, key)
    if original is None or not original[2]:
        raise DuplicateInProgress("the same bytes are being ingested under another document")
    if on_duplicate is OnDuplicate.REPLACE:
        return Decision(outcome=None, duplicate_of=original[0])
    refused = on_duplicate is OnDuplicate.REJECT
    outcome = Outcome.REJECTED if refused else Outcome.DUPLICATE
    return _repetition(tx, key, outcome, original[0])


def _repetition(tx: Connection[Any], key: Key, outcome: Outcome, duplicate_of: UUID) -> Decision:
    tx.execute(query("name_original"), key | {"duplicate_of": duplicate_of})
    return Decision(outcome=outcome, duplicate_of=duplicate_of)
