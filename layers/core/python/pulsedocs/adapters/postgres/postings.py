"""What documents share in the keyword index: postings are merged, and words taken out of them.

A segment has up to 4,096 places for chunks of one collection. A merge locks the blocks that it
moves: they are published, so nobody removes their words, and whoever hides one waits. Words are
removed of what is hidden for good, under the lock of their segment. Every transaction leaves the
postings of a block in one form, whole.
"""

from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key
from pulsedocs.faults import fault_point

FEWEST_CHUNKS: Final = 512
"""A merge of fewer is not worth its transaction."""


def take_words_out(database: Database, key: Key, *, version: int | None, rows: int) -> int:
    """Remove some of a document's words, of one version or all; return 0 when none are left."""
    wanted: Key = key | {"version": version, "rows": rows}
    return database.run(key["tenant_id"], lambda tx: take_some_out(tx, wanted))


def take_some_out(tx: Connection[Any], key: Key) -> int:
    """Remove up to `rows` postings of a document, and its blocks from a segment without any."""
    locked = tx.execute(query("lock_segment"), key).fetchone()
    if locked is None:
        return 0
    segment: Key = key | {"segment": locked[0]}
    # A statement of its own: it sees what others have committed before the lock was free.
    found, gone = tx.execute(query("take_words_out"), segment).fetchone() or (0, 0)
    is_last = found == gone < key["rows"]
    if is_last:
        tx.execute(query("detach_blocks"), segment)
        tx.execute(query("drop_segments"), key | {"segments": [locked[0]]})
    fault_point("postings.before_commit")
    return gone + is_last


def merge_segments(
    database: Database, tenant_id: UUID, collection_id: UUID, *, fewest: int = FEWEST_CHUNKS
) -> int:
    """Make one segment of several of a collection; return its chunks, 0 where none is due."""
    key: Key = {"tenant_id": tenant_id, "collection_id": collection_id, "fewest": fewest}
    chunks = database.run(tenant_id, lambda tx: merge_some(tx, key))
    fault_point("merge.after_commit")
    return chunks


def merge_some(tx: Connection[Any], key: Key) -> int:
    """Make one segment of several blocks, of at least `fewest` chunks together."""
    chosen = [block for (block,) in tx.execute(query("blocks_to_merge"), key)]
    locked = [block for (block,) in tx.execute(query("lock_blocks"), key | {"blocks": chosen})]
    # Statements of their own, for the same reason.
    parts = tx.execute(query("locked_parts"), key | {"blocks": locked}).fetchall()
    due: Key = key | {
        "blocks": [block for block, _ in parts],
        "segments": sorted({segment for _, segment in parts if segment is not None}),
    }
    if sum(segment is None for _, segment in parts) + len(due["segments"]) <= 1:
        return 0
    fault_point("merge.locked")
    tx.execute(query("sort_in_memory"))
    [chunks] = tx.execute(query("merge_blocks"), due).fetchone() or (0,)
    fault_point("merge.written")
    tx.execute(query("drop_own_postings"), due)
    tx.execute(query("drop_segments"), due)
    fault_point("merge.before_commit")
    return chunks
