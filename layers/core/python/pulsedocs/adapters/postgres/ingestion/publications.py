"""Make a version the one that is found."""

from typing import Any

from psycopg import Connection

from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key, VersionRow
from pulsedocs.errors import EmbeddingError


def replace_published(tx: Connection[Any], key: Key, version: VersionRow) -> None:
    """Point the locked document to this locked version; what was published makes way."""
    tx.execute(query("retire_publication"), key)
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
