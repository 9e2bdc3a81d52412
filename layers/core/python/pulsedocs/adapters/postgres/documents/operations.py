"""Cancel, retry and redrive: what people do about documents, within one tenant, audited."""

from functools import partial
from typing import Any
from uuid import UUID

from psycopg import Connection

from pulsedocs.adapters.postgres import budgets
from pulsedocs.adapters.postgres.audits import record_audit
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import (
    DocumentRow,
    Key,
    lock_document,
    lock_version,
    no_document,
    value_of,
)
from pulsedocs.errors import NothingToCancel, NothingToRetry
from pulsedocs.faults import fault_point
from pulsedocs.model.budgets import holder_of_version
from pulsedocs.model.sweeps import Redrivable, RedriveFilter, Stopped
from pulsedocs.pipeline import Outcome


class PostgresDocumentOperations:
    """Implements `documents.ports.DocumentOperations`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def cancel(self, tenant_id: UUID, document_id: UUID, *, actor: str) -> Stopped:
        key: Key = {"tenant_id": tenant_id, "document_id": document_id}

        def work(tx: Connection[Any]) -> Stopped:
            document = _lock_existing(tx, key)
            numbers = [row[0] for row in tx.execute(query("cancellable_versions"), key)]
            ended = Outcome.CANCELLED.value
            for number in numbers:
                cancelled = key | {"version": number, "outcome": ended, "error": None}
                tx.execute(query("stop_version"), cancelled)
                subject = str(document_id)
                record_audit(tx, tenant_id, actor, "cancel", subject, outcome=ended, version=number)
            holders = [holder_of_version(document_id, number) for number in numbers]
            budgets.give_back(tx, tenant_id, holders)
            fault_point("cancel.before_commit")
            if numbers:
                return Stopped(document_id, numbers[-1], Outcome.CANCELLED)
            newest = document.latest_version
            outcome = value_of(tx, "outcome_of_version", key | {"version": newest})
            if outcome != Outcome.CANCELLED:
                raise NothingToCancel(
                    f"document {document_id} has ended {outcome}", outcome=outcome
                )
            return Stopped(document_id, newest, Outcome.CANCELLED)

        stopped = self._database.run(tenant_id, work)
        fault_point("cancel.after_commit")
        return stopped

    def retry(self, tenant_id: UUID, document_id: UUID, *, actor: str) -> Stopped:
        key: Key = {"tenant_id": tenant_id, "document_id": document_id}

        def work(tx: Connection[Any]) -> Stopped:
            document = _lock_existing(tx, key)
            number = value_of(tx, "resumable_version", key)
            version = None if number is None else lock_version(tx, key | {"version": number})
            # An ended version that is older than the published one would bring old bytes back.
            if version is None or (
                version.outcome is not None and version.is_older_than_published(document)
            ):
                newest = key | {"version": document.latest_version}
                outcome = value_of(tx, "outcome_of_version", newest)
                raise NothingToRetry(
                    f"document {document_id} is not FAILED or PARKED", outcome=outcome
                )
            if version.outcome is None:
                return Stopped(document_id, version.version, None)
            _request(tx, key, version.version, actor=actor, action="retry")
            return Stopped(document_id, version.version, Outcome(version.outcome))

        requested = self._database.run(tenant_id, work)
        fault_point("retry.after_commit")
        return requested

    def redrivable(self, tenant_id: UUID, wanted: RedriveFilter) -> list[Redrivable]:
        return self._database.run(tenant_id, partial(_lock_redrivable, tenant_id, wanted))

    def redrive(self, tenant_id: UUID, wanted: RedriveFilter, *, actor: str) -> list[Redrivable]:
        def work(tx: Connection[Any]) -> list[Redrivable]:
            found = _lock_redrivable(tenant_id, wanted, tx)
            for item in found:
                key: Key = {"tenant_id": tenant_id, "document_id": item.document_id}
                _request(tx, key, item.version, actor=actor, action="redrive")
            fault_point("redrive.before_commit")
            return found

        redriven = self._database.run(tenant_id, work)
        fault_point("redrive.after_commit")
        return redriven


def _lock_redrivable(
    tenant_id: UUID, wanted: RedriveFilter, tx: Connection[Any]
) -> list[Redrivable]:
    parameters = {
        "tenant_id": tenant_id,
        "code": wanted.code,
        "older_than": wanted.older_than,
        "limit": wanted.limit,
    }
    rows = tx.execute(query("redrivable_versions"), parameters).fetchall()
    return [
        Redrivable(document_id, version, Outcome(outcome), code, at)
        for document_id, version, outcome, code, at in rows
    ]


def _request(tx: Connection[Any], key: Key, number: int, *, actor: str, action: str) -> None:
    # Five attempts more for the sweep: what a person asks for has not been tried in vain.
    tx.execute(query("request_run"), key | {"version": number, "attempts": 0})
    subject = str(key["document_id"])
    record_audit(tx, key["tenant_id"], actor, action, subject, outcome="REQUESTED", version=number)


def _lock_existing(tx: Connection[Any], key: Key) -> DocumentRow:
    document = lock_document(tx, key)
    if document is None or document.deleted_at is not None:
        raise no_document(key["document_id"])
    return document
