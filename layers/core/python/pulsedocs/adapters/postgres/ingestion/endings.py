"""How a version ends without having advanced: its outcome, the reason and the audit entry."""

from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from pulsedocs.adapters.postgres.audits import record_audit
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key, report_json
from pulsedocs.errors import ChecksumMismatch, DuplicateRejected, SizeMismatch
from pulsedocs.model.documents import ErrorReport
from pulsedocs.pipeline import Outcome

REJECTED_AS_DUPLICATE: Final = ErrorReport(
    code=DuplicateRejected.code,
    message="the same bytes exist already in the collection",
    context={},
    guidance=DuplicateRejected.guidance,
)
MISMATCH: Final = ErrorReport(
    code=ChecksumMismatch.code,
    message="the SHA-256 of the bytes is not the one announced",
    context={},
    guidance=ChecksumMismatch.guidance,
)


def wrong_size(size: int, *, announced: int | None) -> ErrorReport:
    return ErrorReport(
        code=SizeMismatch.code,
        message=f"{size} bytes arrived where {announced} were announced",
        context={"size": size, "announced": announced},
        guidance=SizeMismatch.guidance,
    )


def end_version(
    tx: Connection[Any],
    key: Key,
    outcome: Outcome,
    *,
    error: ErrorReport | None = None,
    duplicate_of: UUID | None = None,
    **detail: str,
) -> None:
    ended = {"outcome": outcome.value, "error": report_json(error), "duplicate_of": duplicate_of}
    tx.execute(query("end_version"), key | ended)
    audit_end(tx, key, outcome, **detail)


def audit_end(tx: Connection[Any], key: Key, outcome: Outcome, **detail: str) -> None:
    record_audit(
        tx,
        key["tenant_id"],
        "ingestion",
        "end_version",
        str(key["document_id"]),
        outcome=outcome.value,
        version=key["version"],
        fence=key.get("fence"),
        **detail,
    )
