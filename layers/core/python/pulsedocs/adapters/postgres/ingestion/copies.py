"""What a version whose bytes are known repeats, and whether somebody reads them at this moment."""

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
class CopyDecision:
    """Implements `ports.ingestion.ContentDecision`."""

    outcome: Outcome | None
    duplicate_of: UUID | None


NEW = CopyDecision(outcome=None, duplicate_of=None)


def decide(tx: Connection[Any], key: Key, version: VersionRow) -> CopyDecision:
    """Say whether a version whose bytes are known is to be read.

    A document's own published bytes are no new version. The same bytes under another document are:
    only `reject` turns them away. Raises DuplicateInProgress while another run reads the same
    bytes, as both would buy their vectors.
    """
    if value_of(tx, "is_own_repetition", key):
        tx.execute(query("raise_sequencer"), key | {"sequencer": version.sequencer or ""})
        return _named(tx, key, Outcome.DUPLICATE, key["document_id"])
    found: tuple[UUID, bool, bool] | None = tx.execute(query("published_twin"), key).fetchone()
    twin, is_neighbour, is_alike = found or (None, False, False)
    if twin is not None and is_neighbour and _refuses_copies(version):
        return _named(tx, key, Outcome.REJECTED, twin)
    if not is_alike and not _is_first(tx, key):
        raise DuplicateInProgress("the same bytes are being ingested in another run")
    return NEW if twin is None else _named(tx, key, None, twin)


def _refuses_copies(version: VersionRow) -> bool:
    is_by_content = version.duplicate_by == DuplicateBy.CONTENT
    return is_by_content and version.on_duplicate == OnDuplicate.REJECT


def _is_first(tx: Connection[Any], key: Key) -> bool:
    """Become the one who reads the bytes; False while another run does.

    The unique index decides between two at once: the second waits for the first to commit.
    """
    try:
        with tx.transaction():
            tx.execute(query("become_original"), key)
    except UniqueViolation:
        return False
    return True


def _named(
    tx: Connection[Any], key: Key, outcome: Outcome | None, duplicate_of: UUID
) -> CopyDecision:
    tx.execute(query("name_original"), key | {"duplicate_of": duplicate_of})
    return CopyDecision(outcome, duplicate_of)
