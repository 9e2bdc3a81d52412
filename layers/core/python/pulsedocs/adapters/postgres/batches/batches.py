"""Batches as rows: what is left to do of them, and what has become of the rest."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import Connection
from psycopg.rows import class_row, dict_row
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres.audits import record_audit
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key, value_of
from pulsedocs.errors import BatchNotFound, BatchRunning
from pulsedocs.faults import fault_point
from pulsedocs.model.batches import (
    BatchFailure,
    BatchObject,
    BatchReference,
    BatchRequest,
    BatchState,
    BatchStatus,
)
from pulsedocs.model.documents import ErrorReport
from pulsedocs.model.requests import choices_from_json, choices_to_json
from pulsedocs.pipeline import PIPELINE_REVISION, Outcome

_PENDING = "PENDING"


class PostgresBatchStore:
    """Implements `batches.ports.BatchStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, tenant_id: UUID, batch_id: UUID, request: BatchRequest) -> None:
        row = _key(tenant_id, batch_id) | {
            "prefix": request.prefix,
            "choices": Jsonb(choices_to_json(request.choices)),
        }

        def work(tx: Connection[Any]) -> None:
            tx.execute(query("add_batch"), row)
            record_audit(tx, tenant_id, request.choices.actor, "start_batch", str(batch_id))

        self._database.run(tenant_id, work)

    def resume(self, tenant_id: UUID, batch_id: UUID, *, actor: str) -> BatchRequest:
        key = _key(tenant_id, batch_id)

        def work(tx: Connection[Any]) -> BatchRequest:
            row = tx.execute(query("resume_batch"), key).fetchone()
            if row is None and value_of(tx, "is_batch", key):
                raise BatchRunning(f"batch {batch_id} is being worked on")
            if row is None:
                raise _not_found(batch_id)
            tx.execute(query("forget_refusals"), key)
            record_audit(tx, tenant_id, actor, "resume_batch", str(batch_id))
            return BatchRequest(row[0], choices_from_json(row[1]))

        return self._database.run(tenant_id, work)

    def begin(self, batch: BatchReference) -> bool | None:
        key = _key_of(batch)
        return self._database.run(batch.tenant_id, lambda tx: value_of(tx, "begin_batch", key))

    def enrol(self, batch: BatchReference, objects: Sequence[BatchObject], *, last: bool) -> None:
        listed = _key_of(batch) | {
            "sources": [each.source for each in objects],
            "etags": [each.etag for each in objects],
            "sizes": [each.size for each in objects],
            "pipeline_revision": PIPELINE_REVISION,
        }

        def work(tx: Connection[Any]) -> None:
            tx.execute(query("enrol_items"), listed)
            if last:
                tx.execute(query("end_listing"), listed)
            fault_point("enrol.before_commit")

        self._database.run(batch.tenant_id, work)

    def pending(
        self, batch: BatchReference, *, after: str, limit: int, only_unbound: bool = False
    ) -> list[BatchObject]:
        position = _key_of(batch) | {"after": after, "limit": limit, "only_unbound": only_unbound}

        def work(tx: Connection[Any]) -> list[BatchObject]:
            with tx.cursor(row_factory=class_row(BatchObject)) as cursor:
                return cursor.execute(query("pending_items"), position).fetchall()

        return self._database.run(batch.tenant_id, work, read_only=True)

    def refuse(
        self, batch: BatchReference, source: str, outcome: Outcome, error: ErrorReport
    ) -> None:
        refused = _key_of(batch) | {
            "source": source,
            "outcome": outcome.value,
            "code": error.code,
            "message": error.message,
        }
        self._database.execute(batch.tenant_id, "refuse_item", refused)

    def end(self, batch: BatchReference, *, lost: ErrorReport | None = None) -> None:
        key = _key_of(batch)

        def work(tx: Connection[Any]) -> None:
            tx.execute(query("release_leases"), key)
            if lost is not None:
                said = {"code": lost.code, "message": lost.message}
                tx.execute(query("refuse_left"), key | said)
            tx.execute(query("end_batch"), key)

        self._database.run(batch.tenant_id, work)

    def status(self, tenant_id: UUID, batch_id: UUID, *, after: str, limit: int) -> BatchStatus:
        key = _key(tenant_id, batch_id) | {"after": after, "limit": limit}

        def read(tx: Connection[Any]) -> BatchStatus:
            row = tx.cursor(row_factory=dict_row).execute(query("show_batch"), key).fetchone()
            if row is None:
                raise _not_found(batch_id)
            counts: dict[str, int] = {_PENDING: 0}
            counts |= dict(tx.execute(query("batch_counts"), key).fetchall())
            with tx.cursor(row_factory=class_row(BatchFailure)) as cursor:
                failures = cursor.execute(query("batch_failures"), key).fetchall()
            state = _state(row, pending=counts[_PENDING])
            ended_at: datetime | None = row["ended_at"]
            return BatchStatus(
                batch_id=batch_id,
                state=state,
                prefix=row["prefix"],
                total=sum(counts.values()),
                counts=counts,
                failures=failures,
                created_at=row["created_at"],
                finished_at=ended_at if state is BatchState.FINISHED else None,
            )

        return self._database.run(tenant_id, read, read_only=True, snapshot=True)


def _state(row: dict[str, Any], *, pending: int) -> BatchState:
    if row["ended_at"] is not None:
        is_done = row["listed_at"] is not None and pending == 0
        return BatchState.FINISHED if is_done else BatchState.INCOMPLETE
    if row["holder"] is None:
        return BatchState.QUEUED
    return BatchState.LISTING if row["listed_at"] is None else BatchState.RUNNING


def _not_found(batch_id: UUID) -> BatchNotFound:
    return BatchNotFound(f"there is no batch {batch_id}", batch_id=str(batch_id))


def _key(tenant_id: UUID, batch_id: UUID) -> Key:
    return {"tenant_id": tenant_id, "batch_id": batch_id}


def _key_of(batch: BatchReference) -> Key:
    return _key(batch.tenant_id, batch.batch_id) | {"holder": batch.holder}
