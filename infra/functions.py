"""The functions: one table for CDK, the local stage and the tests.

Free of CDK on purpose: the local stage reads it on a machine without Node.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """One Lambda. `database_role` None means it cannot reach the database at all."""

    name: str
    memory_mb: int
    timeout_seconds: int
    database_role: str | None = None
    internet: bool = False
    streams: bool = False
    """Runs as an HTTP server behind the Lambda Web Adapter, and answers while it works."""
    started_by: str | None = None
    """The prefix of the objects that start it as they appear; what fails waits in the queue."""
    recognises: bool = False
    """Gets the layer with the engine that recognises words on pictures."""

    @property
    def handler(self) -> str:
        if self.streams:
            return f"functions/{self.name}/run.sh"
        return f"functions.{self.name}.handler.handler"


MIGRATOR: Final = "pulsedocs_migrate"
"""Owns the database. The data stack makes this role; it makes the others as migrations ask."""

FUNCTIONS: Final = {
    spec.name: spec
    for spec in (
        FunctionSpec("authorize", memory_mb=256, timeout_seconds=10, internet=True),
        FunctionSpec("migrate", memory_mb=512, timeout_seconds=840, database_role=MIGRATOR),
        FunctionSpec("documents", memory_mb=512, timeout_seconds=28, database_role="pulsedocs_api"),
        FunctionSpec("ingest", memory_mb=512, timeout_seconds=28, internet=True),
        FunctionSpec("batches", memory_mb=512, timeout_seconds=28, database_role="pulsedocs_api"),
        # Lists, and copies inside S3: an object of 5 GB takes minutes.
        FunctionSpec("collect", memory_mb=512, timeout_seconds=300, internet=True),
        FunctionSpec("tally", memory_mb=512, timeout_seconds=120, database_role="pulsedocs_ingest"),
        FunctionSpec("claim", memory_mb=512, timeout_seconds=60, database_role="pulsedocs_ingest"),
        FunctionSpec("extract", memory_mb=2048, timeout_seconds=600),
        # Twenty pages at 1.3 to 12 CPU-seconds each; 2,048 MB are 1.2 of a CPU.
        FunctionSpec("recognise", memory_mb=2048, timeout_seconds=600, recognises=True),
        FunctionSpec("boxes", memory_mb=2048, timeout_seconds=20, recognises=True),
        FunctionSpec(
            "store", memory_mb=1024, timeout_seconds=120, database_role="pulsedocs_ingest"
        ),
        FunctionSpec(
            "clean", memory_mb=1024, timeout_seconds=120, database_role="pulsedocs_ingest"
        ),
        # 5,000 pages of 18 million characters: 19 CPU-seconds (1,024 MB are 0.6 of a CPU) and as
        # many in the database; 110 s on two busy cores, 316 MB.
        FunctionSpec(
            "chunk", memory_mb=1024, timeout_seconds=300, database_role="pulsedocs_ingest"
        ),
        FunctionSpec("embed", memory_mb=1024, timeout_seconds=300, internet=True),
        FunctionSpec(
            "publish", memory_mb=512, timeout_seconds=60, database_role="pulsedocs_ingest"
        ),
        FunctionSpec("fail", memory_mb=512, timeout_seconds=60, database_role="pulsedocs_ingest"),
        FunctionSpec(
            "purge",
            memory_mb=1024,
            timeout_seconds=900,
            database_role="pulsedocs_sweep",
            started_by="control/purge/",
        ),
        FunctionSpec("models", memory_mb=512, timeout_seconds=28, database_role="pulsedocs_api"),
        FunctionSpec(
            "backfill", memory_mb=1024, timeout_seconds=120, database_role="pulsedocs_ingest"
        ),
        FunctionSpec(
            "retire",
            memory_mb=512,
            timeout_seconds=900,
            database_role="pulsedocs_sweep",
            started_by="control/retire/",
        ),
        FunctionSpec("sweep", memory_mb=512, timeout_seconds=300, database_role="pulsedocs_sweep"),
        FunctionSpec(
            "retrieve", memory_mb=1024, timeout_seconds=20, database_role="pulsedocs_query"
        ),
        FunctionSpec("query", memory_mb=1769, timeout_seconds=28, internet=True),
        FunctionSpec(
            "evaluate",
            memory_mb=1769,
            timeout_seconds=900,
            internet=True,
            started_by="control/evaluate/",
        ),
        FunctionSpec("stream", memory_mb=1769, timeout_seconds=900, internet=True, streams=True),
    )
}

STARTED_BY: Final = {
    spec.started_by: name for name, spec in FUNCTIONS.items() if spec.started_by is not None
}
"""The functions that an object starts, by its prefix."""
