"""The functions and the routes that reach them: one table for CDK, the local stage and the tests.

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

    @property
    def handler(self) -> str:
        if self.streams:
            return f"functions/{self.name}/run.sh"
        return f"functions.{self.name}.handler.handler"


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    path: str
    function: str
    scope: str | None
    """The scope a token needs; None for the routes that need no token."""


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
        FunctionSpec("boxes", memory_mb=2048, timeout_seconds=20),
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

READ: Final = "pulsedocs/read"
WRITE: Final = "pulsedocs/write"
ADMIN: Final = "pulsedocs/admin"

ROUTES: Final = (
    Route("POST", "/documents", "documents", WRITE),
    Route("POST", "/document/upload", "documents", WRITE),
    Route("POST", "/ingest", "ingest", WRITE),
    Route("POST", "/ingest/batch", "batches", WRITE),
    Route("GET", "/batches/{batch_id}", "batches", READ),
    Route("POST", "/batches/{batch_id}/resume", "batches", WRITE),
    Route("GET", "/documents", "documents", READ),
    Route("GET", "/documents/{document_id}", "documents", READ),
    Route("GET", "/documents/{document_id}/pages/{page}", "documents", READ),
    Route("GET", "/documents/{document_id}/pages/{page}/highlight", "query", READ),
    Route("GET", "/documents/{document_id}/chunks", "documents", READ),
    Route("GET", "/documents/{document_id}/file", "documents", READ),
    Route("POST", "/documents/{document_id}/cancel", "documents", WRITE),
    Route("POST", "/documents/{document_id}/retry", "documents", WRITE),
    Route("PATCH", "/documents/{document_id}", "documents", WRITE),
    Route("DELETE", "/documents/{document_id}", "documents", WRITE),
    Route("POST", "/documents/update", "documents", WRITE),
    Route("GET", "/deletions/{receipt_id}", "documents", READ),
    Route("POST", "/deletions/{receipt_id}/verify", "documents", WRITE),
    Route("GET", "/collections", "documents", READ),
    Route("POST", "/collections", "documents", WRITE),
    Route("GET", "/collections/{name}", "documents", READ),
    Route("PATCH", "/collections/{name}", "documents", WRITE),
    Route("DELETE", "/collections/{name}", "documents", WRITE),
    Route("GET", "/collections/{name}/profiles", "documents", READ),
    Route("GET", "/collections/{name}/profiles/{profile}", "documents", READ),
    Route("PUT", "/collections/{name}/profiles/{profile}", "documents", WRITE),
    Route("POST", "/collections/{name}/migration", "models", WRITE),
    Route("GET", "/collections/{name}/migration", "models", READ),
    Route("POST", "/collections/{name}/migration/promote", "models", WRITE),
    Route("POST", "/collections/{name}/migration/rollback", "models", WRITE),
    Route("GET", "/models", "models", READ),
    Route("POST", "/models", "models", WRITE),
    Route("GET", "/models/{model}/coverage", "models", READ),
    Route("POST", "/models/{model}/backfill", "models", WRITE),
    Route("DELETE", "/models/{model}", "models", WRITE),
    Route("GET", "/usage", "documents", READ),
    Route("GET", "/audit", "documents", ADMIN),
    Route("PUT", "/budget", "documents", ADMIN),
    Route("DELETE", "/budget", "documents", ADMIN),
    Route("GET", "/conversations/{conversation_id}", "documents", READ),
    Route("DELETE", "/conversations/{conversation_id}", "documents", WRITE),
    Route("POST", "/operations/redrive", "documents", WRITE),
    Route("POST", "/search", "query", READ),
    Route("POST", "/ask", "query", READ),
    Route("POST", "/ask/stream", "stream", READ),
    Route("POST", "/chat", "query", READ),
    Route("GET", "/traces/{trace_id}", "query", READ),
    Route("POST", "/traces/{trace_id}/replay", "query", READ),
    Route("GET", "/traces/{trace_id}/why", "query", READ),
    Route("POST", "/traces/{trace_id}/why", "query", READ),
    Route("POST", "/traces/{trace_id}/what-if", "query", READ),
    Route("POST", "/evaluations", "query", WRITE),
    Route("GET", "/evaluations/{evaluation_id}", "query", READ),
    Route("GET", "/health", "query", None),
    Route("GET", "/health/ready", "query", READ),
    Route("GET", "/openapi.json", "query", None),
    Route("GET", "/docs", "query", None),
)
