"""Gives a model's vectors their index once there are so many that exact scans become slow."""

import select
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any, Final, NamedTuple

from psycopg import Connection, sql
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus
from psycopg.rows import class_row

from pulsedocs.adapters.postgres.connection import translated
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.upkeep.migrations import connected
from pulsedocs.model.sweeps import IndexBuild

SCANNED_VECTORS: Final = 20_000
"""Up to here a partition has no index; decision 0017 has the measurements."""


class DueIndex(NamedTuple):
    model_id: int
    model: str
    dimensions: int


class PostgresVectorIndexes:
    """Implements `upkeep.ports.VectorIndexes`, as the role that owns nothing but the partitions.

    The server builds, whether or not anybody waits: a build that outlasts its caller goes on. One
    that is cut short leaves an index that no search takes, and that the next call makes anew.
    """

    def __init__(
        self,
        url: str,
        *,
        password: Callable[[], str] | None = None,
        scanned_vectors: int = SCANNED_VECTORS,
    ) -> None:
        self._url = url
        self._password = password
        self._scanned_vectors = scanned_vectors

    def build_due(self, *, seconds: float) -> list[IndexBuild]:
        """Index what has outgrown scanning; the last one may go on when the time is up.

        Nothing is begun while another build is under way.
        """
        end = time.monotonic() + seconds
        built: list[IndexBuild] = []
        with translated(), closing(connected(self._url, self._password)) as connection:
            # The turn first: what was due before it, somebody else may have built since.
            if connection.execute(query("take_turn_to_index")).fetchone() != (True,):
                return built
            cursor = connection.cursor(row_factory=class_row(DueIndex))
            wanted = {"vectors": self._scanned_vectors}
            for due in cursor.execute(query("vector_indexes_due"), wanted).fetchall():
                drop, create = vector_index(due)
                limits = connection.execute(
                    query("index_without_limits"), {"model_id": due.model_id}
                )
                [(graph, memory, *_)] = limits.fetchall()
                connection.execute(drop)
                is_done = _run_until(connection, create.as_bytes(connection), end=end)
                built.append(IndexBuild(due.model, graph, memory, is_done))
                if not is_done:
                    break
        return built


def vector_index(due: DueIndex) -> tuple[sql.Composed, sql.Composed]:
    """Return what drops a partition's index, and what makes it."""
    parts = {
        "index": sql.Identifier(f"chunk_embedding_{due.model_id}_hnsw"),
        "partition": sql.Identifier(f"chunk_embedding_{due.model_id}"),
        "width": sql.Literal(due.dimensions),
    }
    drop, create = (sql.SQL(query(n)) for n in ("drop_vector_index", "create_vector_index"))
    return drop.format(**parts), create.format(**parts)


def _run_until(connection: Connection[Any], statement: bytes, *, end: float) -> bool:
    """Run a statement and say whether it ended in time; if not, the server goes on with it."""
    server = connection.pgconn
    server.send_query(statement)
    while server.is_busy():
        ready, _, _ = select.select([server.socket], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return False
        server.consume_input()
    while (result := server.get_result()) is not None:
        if result.status == ExecStatus.FATAL_ERROR:
            raise error_from_result(result)
    return True
