"""What a version whose bytes are known repeats, and whether somebody reads them at this moment."""

from typing import Any
from uuid import UUID

from psycopg import Connection
from psycopg.errors import UniqueViolation

from pulsedocs.adapters.postgres.ingestion.publications import describe_document
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key, VersionRow, value_of
from pulsedocs.errors import DuplicateInProgress
from pulsedocs.model.documents import ContentDecision, DuplicateBy, OnDuplicate
from pulsedocs.pipeline import Outcome

NEW = ContentDecision(outcome=None, duplicate_of=None)


def decide(tx: Connection[Any], key: Key, version: VersionRow) -> ContentDecision:
    """Decide whether a version whose bytes are known is to be read, and whose copy it is.

    A document's own published bytes are no new version. The same bytes under another document are:
    only `reject` turns them away. Raises DuplicateInProgress while another run reads the same
    bytes, as both would buy their vectors.
    """
    if value_of(tx, "is_own_repetition", key):
        # The published version now stands for this upload too: one from between the two is older.
        tx.execute(query("raise_sequencer"), key | {"sequencer": version.sequencer or ""})
        if not version.hold:
            describe_document(tx, key)
        return ContentDecision(Outcome.DUPLICATE, key["document_id"])
    found: tuple[UUID, bool, bool] | None = tx.execute(query("published_twin"), key).fetchone()
    twin, is_neighbour, is_alike = found or (None, False, False)
    is_by_content = version.duplicate_by == DuplicateBy.CONTENT
    rejects = is_by_content and version.on_duplicate == OnDuplicate.REJECT
    if twin is not None and is_neighbour and rejects:
        return ContentDecision(Outcome.REJECTED, twin)
    if not is_alike:
        # A unique index decides between two at once: the second waits for the first to commit.
        try:
            with tx.transaction():
                tx.execute(query("become_original"), key)
        except UniqueViolation as error:
            raise DuplicateInProgress("the same bytes are being ingested in another run") from error
    return NEW if twin is None else ContentDecision(None, twin)


def name_original(tx: Connection[Any], key: Key, decision: ContentDecision) -> None:
    """Note whose copy a version is, where it goes on."""
    if decision.duplicate_of is not None:
        tx.execute(query("name_original"), key | {"duplicate_of": decision.duplicate_of})
