"""Make a version the one that is found, and settle who holds its bytes."""

from typing import Any

from psycopg import Connection

from pulsedocs.adapters.postgres.originals import claim_bytes, original_elsewhere
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key, VersionRow, lock_document
from pulsedocs.errors import EmbeddingError
from pulsedocs.model.documents import DuplicateBy, OnDuplicate


def replace_published(tx: Connection[Any], key: Key, version: VersionRow) -> None:
    """Point the locked document to this locked version; what was published makes way."""
    tx.execute(query("retire_publication"), key)
    if version.sha256 is not None:
        _settle_bytes(tx, key, version)
    tx.execute(query("show_version"), key | {"sequencer": version.sequencer or ""})


def refuse_unfinished(tx: Connection[Any], of_model: Key) -> None:
    """Raise EmbeddingError unless each chunk has a vector of the model, or a recorded refusal."""
    row = tx.execute(query("chunks_without_vector"), of_model).fetchone()
    missing, total = row or (0, 0)
    if missing or not total:
        raise EmbeddingError(
            f"{missing} of {total} chunks have neither a vector nor a recorded refusal",
            model=of_model["model"],
        )


def _settle_bytes(tx: Connection[Any], key: Key, version: VersionRow) -> None:
    """Hold the bytes from now on: the previous version, or a replaced document, made way."""
    replaces = (
        version.on_duplicate == OnDuplicate.REPLACE and version.duplicate_by == DuplicateBy.CONTENT
    )
    original = original_elsewhere(tx, key) if replaces else None
    if original is not None:
        other = key | {"document_id": original[0]}
        lock_document(tx, other)
        tx.execute(query("retire_publication"), other)
        tx.execute(query("hide_document"), other)
    claim_bytes(tx, key)
