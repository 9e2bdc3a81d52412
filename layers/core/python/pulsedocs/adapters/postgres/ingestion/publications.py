"""Make a version the one that is found."""

from typing import Any

from psycopg import Connection
from psycopg.errors import UniqueViolation

from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key, VersionRow, value_of
from pulsedocs.errors import EmbeddingError


def replace_published(tx: Connection[Any], key: Key, version: VersionRow) -> None:
    """Point the locked document to this locked version; what was published makes way."""
    tx.execute(query("retire_publication"), key)
    tx.execute(query("show_version"), key | {"sequencer": version.sequencer or ""})
    describe_document(tx, key)


def describe_document(tx: Connection[Any], key: Key) -> None:
    """Say of the locked document what was announced with the version that it shows."""
    source: str | None = value_of(tx, "describe_document", key)
    if source is None:
        return
    try:
        with tx.transaction():
            tx.execute(query("rename_document"), key | {"source": source})
    except UniqueViolation:
        text = f"the name {source!r} is another document's by now; this one keeps its own"
        tx.execute(query("warn"), key | {"texts": [text]})


def refuse_unfinished(tx: Connection[Any], of_model: Key) -> None:
    """Raise EmbeddingError unless each chunk has a vector of the model, or a recorded refusal."""
    row = tx.execute(query("chunks_without_vector"), of_model).fetchone()
    missing, total = row or (0, 0)
    if missing or not total:
        raise EmbeddingError(
            f"{missing} of {total} chunks have neither a vector nor a recorded refusal",
            model=of_model["model"],
        )
