"""A version of the bytes that are published, to be made into rows once more."""

from collections.abc import Mapping
from typing import Any

from psycopg import Connection
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key, value_of
from pulsedocs.model.changes import StageDefaults
from pulsedocs.pipeline import PIPELINE_REVISION


def reprocess_published(
    tx: Connection[Any],
    document: Key,
    *,
    defaults: StageDefaults,
    chunking: Mapping[str, Any] | None = None,
) -> bool:
    """Announce a version of a published document; False while another is on its way.

    It is cut as `chunking` says, else as its upload said, else as its collection is by now.
    """
    found = tx.execute(query("profile_to_reprocess_with"), document).fetchone()
    if found is None:
        return False
    inherited = found[0] if chunking is None else None
    cut = chunking if inherited is None else defaults.chunking_of(inherited, {})
    # Of the same object version: a copy of the object would get a newer sequencer, and win over an
    # upload that came between.
    made = {
        **document,
        "pipeline_revision": PIPELINE_REVISION,
        "chunking": None if cut is None else Jsonb(dict(cut)),
        "inherits_profile": inherited is not None,
    }
    version = value_of(tx, "add_reprocessed_version", made)
    tx.execute(query("count_version"), {**document, "version": version})
    return True
