"""Gives a model's vectors their index once there are so many that exact scans become slow."""

from functools import partial
from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import value_of

SCANNED_VECTORS: Final = 20_000
"""Up to here a partition has no index; decision 0111 has the measurements."""

_NO_TENANT: Final = UUID(int=0)  # models belong to the stage


class PostgresVectorIndexes:
    """Implements `ports.models.VectorIndexes`."""

    def __init__(self, database: Database, *, scanned_vectors: int = SCANNED_VECTORS) -> None:
        self._database = database
        self._scanned_vectors = scanned_vectors

    def build_due(self) -> list[str]:
        """Index what has outgrown scanning, each model in a transaction of its own."""
        return [
            model for model in self._due() if self._database.run(_NO_TENANT, partial(_build, model))
        ]

    def _due(self) -> list[str]:
        wanted = {"vectors": self._scanned_vectors}
        rows = self._database.run(
            _NO_TENANT,
            lambda tx: tx.execute(query("vector_indexes_due"), wanted).fetchall(),
            read_only=True,
        )
        return [row[0] for row in rows]


def _build(model: str, tx: Connection[Any]) -> bool:
    tx.execute(query("allow_long_statement"))
    return bool(value_of(tx, "build_vector_index", {"model": model}))
