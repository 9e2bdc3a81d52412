"""What a sweep reads and decides: ids across tenants, rows of one tenant at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from pulsedocs.adapters.postgres import budgets
from pulsedocs.adapters.postgres.audits import record_audit
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.deletion import deletions
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import (
    DocumentRow,
    Key,
    VersionRow,
    lock_idle_document,
    lock_version,
    report_json,
    value_of,
)
from pulsedocs.adapters.postgres.upkeep.listings import page_of
from pulsedocs.errors import BudgetExceeded, ParkedError, Stuck, UploadExpired, branch
from pulsedocs.faults import fault_point
from pulsedocs.model.budgets import holder_of_version
from pulsedocs.model.documents import ErrorReport
from pulsedocs.model.sweeps import Listing, Recovery, Tidied, UnknownObject, Verdict
from pulsedocs.pipeline import Outcome

AUTOMATIC_ATTEMPTS: Final = 5
_AT_PROVIDER: Final = {kind.code for kind in branch(ParkedError)} - {BudgetExceeded.code}
_AFTER_A_RESTORE: Final = "sweep"
_WAITS_FOR_PEOPLE: Final = {Outcome.FAILED, Outcome.PARKED}
_NEVER_ARRIVED: Final = report_json(
    ErrorReport(UploadExpired.code, "the bytes never arrived", {}, UploadExpired.guidance)
)


class PostgresSweepStore:
    """Implements `upkeep.ports.SweepStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def listed(
        self, listing: Listing, *, after: tuple[UUID, UUID], limit: int
    ) -> list[tuple[UUID, UUID]]:
        return page_of(
            self._database, "sweep_listing", after=after, limit=limit, wanted=listing.value
        )

    def recover(self, tenant_id: UUID, document_id: UUID, *, newest_object: str | None) -> Recovery:
        key: Key = {"tenant_id": tenant_id, "document_id": document_id}

        def work(tx: Connection[Any]) -> Recovery:
            document = lock_idle_document(tx, key)
            if document is None:
                # A row that is locked has somebody at work on it.
                return Recovery(Verdict.WAIT if value_of(tx, "is_there", key) else Verdict.ENDED)
            if document.deleted_at is not None:
                receipt = tx.execute(query("unpurged_receipt"), key).fetchone()
                if receipt is None:
                    return Recovery(Verdict.ENDED)
                verdict = Verdict.PURGE if receipt[1] else Verdict.WAIT
                return Recovery(verdict, receipt_id=receipt[0])
            arrived = key | {"object_version": newest_object}
            if newest_object is not None and not value_of(tx, "is_object_known", arrived):
                return _recover_lost_event(tx, key)
            late = tx.execute(query("expire_registrations"), key | {"error": _NEVER_ARRIVED})
            return replace(_recover_open_versions(tx, key, document), expired=late.rowcount)

        found = self._database.run(tenant_id, work)
        fault_point("sweep.after_commit")
        return found

    def resume(self, tenant_id: UUID, document_id: UUID, *, probed: set[str]) -> bool:
        key: Key = {"tenant_id": tenant_id, "document_id": document_id}
        reason = self._database.run(tenant_id, partial(_resume_parked, key, frozenset(probed)))
        if reason is not None:
            probed.add(reason)
        return reason is not None

    def unknown_objects(
        self, tenant_id: UUID, objects: Sequence[tuple[UUID, str]]
    ) -> list[UnknownObject]:
        asked = {
            "tenant_id": tenant_id,
            "document_ids": [document_id for document_id, _ in objects],
            "object_versions": [version for _, version in objects],
        }
        rows = self._database.rows(tenant_id, "unknown_objects", asked)
        return [UnknownObject(*row) for row in rows]

    def delete_again(self, tenant_id: UUID, receipts: Mapping[UUID, UUID]) -> list[UUID]:
        def work(tx: Connection[Any]) -> list[UUID]:
            found = deletions.lock_existing(tx, tenant_id, list(receipts))
            theirs = [receipts[document_id] for document_id in found]
            if found:
                deletions.delete_locked(tx, tenant_id, found, theirs, actor=_AFTER_A_RESTORE)
            return theirs

        return self._database.run(tenant_id, work)

    def tidy(self, tenant_id: UUID) -> Tidied:
        key: Key = {"tenant_id": tenant_id}

        def work(tx: Connection[Any]) -> Tidied:
            return Tidied(
                reservations=tx.execute(query("expire_reservations"), key).rowcount,
                idempotency_keys=tx.execute(query("forget_expired_requests"), key).rowcount,
                conversations=tx.execute(query("forget_expired_conversations"), key).rowcount,
            )

        return self._database.run(tenant_id, work)


def _recover_lost_event(tx: Connection[Any], key: Key) -> Recovery:
    """Ask for a run for bytes that no claim has seen; the registration that waits counts it."""
    awaiting = value_of(tx, "unreceived_version", key)
    if awaiting is None:
        return Recovery(Verdict.RUN)
    version = lock_version(tx, key | {"version": awaiting})
    assert version is not None  # noqa: S101 -- found above, under the document's lock
    return _try_again(tx, key | {"version": awaiting}, version)


def _recover_open_versions(tx: Connection[Any], key: Key, document: DocumentRow) -> Recovery:
    """Ask for a run of the abandoned version that a claim would take; give up on hopeless ones."""
    failed = 0
    while (number := value_of(tx, "resumable_version", key)) is not None:
        chosen = key | {"version": number}
        version = lock_version(tx, chosen)
        assert version is not None  # noqa: S101 -- found above, under the document's lock
        if version.has_live_lease or not _is_wanted(tx, chosen, version, document):
            break
        recovery = _try_again(tx, chosen, version)
        failed += recovery.failed
        if recovery.verdict is not Verdict.ENDED:
            return replace(recovery, failed=failed)
    is_waiting = value_of(tx, "has_live_run", key) or value_of(tx, "unreceived_version", key)
    return Recovery(Verdict.WAIT if is_waiting else Verdict.ENDED, failed=failed)


def _is_wanted(tx: Connection[Any], key: Key, version: VersionRow, document: DocumentRow) -> bool:
    """Say whether a run is owed: to an open version, or to one that a person asked to retry."""
    if version.outcome is None:
        return True
    row = tx.execute(query("recovery_state"), key).fetchone()
    is_asked_for = row is not None and row[1]
    return is_asked_for and not version.is_older_than_published(document)


def _try_again(tx: Connection[Any], key: Key, version: VersionRow) -> Recovery:
    """Ask for a run once its back-off is over; give up after the last automatic attempt."""
    row = tx.execute(query("recovery_state"), key).fetchone()
    assert row is not None  # noqa: S101 -- the version is locked
    attempts, _is_requested, is_due = row
    if not is_due:
        return Recovery(Verdict.WAIT, attempt=attempts)
    if attempts >= AUTOMATIC_ATTEMPTS:
        return Recovery(Verdict.ENDED, failed=_give_up(tx, key, version, attempts))
    tx.execute(query("request_run"), key | {"attempts": attempts + 1})
    _audit(tx, key, "request_run", attempt=attempts + 1)
    fault_point("sweep.before_commit")
    return Recovery(Verdict.RUN, attempt=attempts + 1)


def _give_up(tx: Connection[Any], key: Key, version: VersionRow, attempts: int) -> int:
    """End an open version FAILED; one that had ended stays as it was, and is asked for no more."""
    if version.outcome in _WAITS_FOR_PEOPLE:
        tx.execute(query("forget_requested_run"), key)
        return 0
    error = ErrorReport(
        Stuck.code,
        f"{attempts} automatic attempts ended without progress in state {version.state}",
        {"attempts": attempts, "state": version.state},
        Stuck.guidance,
    )
    ending = {"outcome": Outcome.FAILED.value, "error": report_json(error)}
    tx.execute(query("stop_version"), key | ending)
    holder = holder_of_version(key["document_id"], key["version"])
    budgets.give_back(tx, key["tenant_id"], [holder])
    _audit(tx, key, "end_version", outcome=Outcome.FAILED, code=Stuck.code)
    return 1


def _resume_parked(key: Key, probed: frozenset[str], tx: Connection[Any]) -> str | None:
    """Ask for a run of a parked version; return why it was parked, None when it has to wait."""
    document = lock_idle_document(tx, key)
    number = None if document is None else value_of(tx, "resumable_version", key)
    if document is None or document.deleted_at is not None or number is None:
        return None
    key = key | {"version": number}
    version = lock_version(tx, key)
    row = tx.execute(query("parked_state"), key).fetchone()
    if version is None or row is None or version.is_older_than_published(document):
        return None
    code, is_due, is_over = row
    is_probe = code in _AT_PROVIDER and not is_over
    if is_probe and (not is_due or code in probed):
        return None
    if not (is_due or is_over):
        return None
    recovery = tx.execute(query("recovery_state"), key).fetchone()
    assert recovery is not None  # noqa: S101 -- the version is locked
    attempts, is_requested, is_request_old = recovery
    if is_requested and not is_request_old:
        return None
    # A wait at the provider is no failed attempt: their number stays.
    tx.execute(query("request_run"), key | {"attempts": attempts})
    _audit(tx, key, "request_run", code=code)
    return code


def _audit(
    tx: Connection[Any],
    key: Key,
    action: str,
    *,
    outcome: Outcome | None = None,
    **detail: object,
) -> None:
    record_audit(
        tx,
        key["tenant_id"],
        "sweep",
        action,
        str(key["document_id"]),
        outcome="REQUESTED" if outcome is None else outcome.value,
        version=key["version"],
        **detail,
    )
