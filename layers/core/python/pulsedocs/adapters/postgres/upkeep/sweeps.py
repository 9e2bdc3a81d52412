"""What a sweep reads and decides: ids across tenants, rows of one tenant at a time."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final
from uuid import UUID

from psycopg import Connection
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres import budgets
from pulsedocs.adapters.postgres.connection import Database
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
from pulsedocs.errors import BudgetExceeded, ParkedError, Stuck, UploadExpired, branch
from pulsedocs.faults import fault_point
from pulsedocs.model.budgets import holder_of_version
from pulsedocs.model.documents import ErrorReport
from pulsedocs.model.sweeps import Listing, Recovery, Tidied, UnknownObject, Verdict
from pulsedocs.pipeline import Outcome

AUTOMATIC_ATTEMPTS: Final = 5
_NOBODY: Final = UUID(int=0)  # the lists need no tenant, and a transaction without one has no rows
_AT_PROVIDER: Final = {kind.code for kind in branch(ParkedError)} - {BudgetExceeded.code}
_WAITS_FOR_PEOPLE: Final = {Outcome.FAILED, Outcome.PARKED}


class PostgresSweepStore:
    """Implements `ports.upkeep.SweepStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def listed(
        self, listing: Listing, *, after: tuple[UUID, UUID], limit: int
    ) -> list[tuple[UUID, UUID]]:
        position = {"after_tenant": after[0], "after_subject": after[1]}
        wanted = {"wanted": listing.value, "limit": limit} | position
        return self._database.run(
            _NOBODY,
            lambda tx: [(row[0], row[1]) for row in tx.execute(query("sweep_listing"), wanted)],
            read_only=True,
        )

    def recover(self, tenant_id: UUID, document_id: UUID, *, newest_object: str | None) -> Recovery:
        key: Key = {"tenant_id": tenant_id, "document_id": document_id}
        found = self._database.run(tenant_id, partial(_recover, key, newest_object))
        fault_point("sweep.after_commit")
        return found

    def resume(self, tenant_id: UUID, document_id: UUID, *, probed: set[str]) -> bool:
        key: Key = {"tenant_id": tenant_id, "document_id": document_id}
        reason = self._database.run(tenant_id, partial(_resume, key, frozenset(probed)))
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
        return self._database.run(
            tenant_id,
            lambda tx: [UnknownObject(*row) for row in tx.execute(query("unknown_objects"), asked)],
            read_only=True,
        )

    def tidy(self, tenant_id: UUID) -> Tidied:
        return self._database.run(tenant_id, partial(_tidy, {"tenant_id": tenant_id}))


def _recover(key: Key, newest_object: str | None, tx: Connection[Any]) -> Recovery:
    document = lock_idle_document(tx, key)
    if document is None:
        # A row that is locked has somebody at work on it.
        return Recovery(Verdict.WAIT if value_of(tx, "is_there", key) else Verdict.ENDED)
    if document.deleted_at is not None:
        return _of_deleted(tx, key)
    arrived = key | {"object_version": newest_object}
    if newest_object is not None and not value_of(tx, "is_object_known", arrived):
        return _of_lost_event(tx, key)
    expired = _expire_registrations(tx, key)
    return replace(_of_open_versions(tx, key, document), expired=expired)


def _of_deleted(tx: Connection[Any], key: Key) -> Recovery:
    receipt = tx.execute(query("unpurged_receipt"), key).fetchone()
    if receipt is None:
        return Recovery(Verdict.ENDED)
    receipt_id, is_late = receipt
    return Recovery(Verdict.PURGE if is_late else Verdict.WAIT, receipt_id=receipt_id)


def _of_lost_event(tx: Connection[Any], key: Key) -> Recovery:
    """Ask for a run of bytes that no claim has seen; the registration that waits counts it."""
    awaiting = value_of(tx, "unreceived_version", key)
    if awaiting is None:
        return Recovery(Verdict.RUN)
    version = lock_version(tx, key | {"version": awaiting})
    assert version is not None  # noqa: S101 -- found above, under the document's lock
    return _another_attempt(tx, key | {"version": awaiting}, version)


def _expire_registrations(tx: Connection[Any], key: Key) -> int:
    error = ErrorReport(UploadExpired.code, "the bytes never arrived", {}, UploadExpired.guidance)
    expiring = key | {"error": report_json(error)}
    return len(tx.execute(query("expire_registrations"), expiring).fetchall())


def _of_open_versions(tx: Connection[Any], key: Key, document: DocumentRow) -> Recovery:
    """Take up what was abandoned, the one that a claim would take; give up on the hopeless."""
    failed = 0
    while (number := value_of(tx, "resumable_version", key)) is not None:
        chosen = key | {"version": number}
        version = lock_version(tx, chosen)
        assert version is not None  # noqa: S101 -- found above, under the document's lock
        if version.has_live_lease or not _is_wanted(tx, chosen, version, document):
            break
        recovery = _another_attempt(tx, chosen, version)
        failed += recovery.failed
        if recovery.verdict is not Verdict.ENDED:
            return replace(recovery, failed=failed)
    is_waiting = value_of(tx, "has_live_run", key) or value_of(tx, "unreceived_version", key)
    return Recovery(Verdict.WAIT if is_waiting else Verdict.ENDED, failed=failed)


def _is_wanted(tx: Connection[Any], key: Key, version: VersionRow, document: DocumentRow) -> bool:
    """Say whether a run is owed: to an open version, or to one that a person asked to retry."""
    if version.outcome is None:
        return True
    row = tx.execute(query("recovery_standing"), key).fetchone()
    is_asked_for = row is not None and row[1]
    return is_asked_for and not version.is_older_than_published(document)


def _another_attempt(tx: Connection[Any], key: Key, version: VersionRow) -> Recovery:
    row = tx.execute(query("recovery_standing"), key).fetchone()
    assert row is not None  # noqa: S101 -- the version is locked
    attempts, _is_requested, is_due = row
    if not is_due:
        return Recovery(Verdict.WAIT, attempt=attempts)
    if attempts >= AUTOMATIC_ATTEMPTS:
        return Recovery(Verdict.ENDED, failed=_give_up(tx, key, version, attempts))
    tx.execute(query("request_run"), key | {"attempts": attempts + 1})
    _audit(tx, key, "request_run", detail={"attempt": attempts + 1})
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
    held = holder_of_version(key["document_id"], key["version"])
    budgets.give_back(tx, key["tenant_id"], [held])
    _audit(tx, key, "end_version", outcome=Outcome.FAILED, detail={"code": Stuck.code})
    return 1


def _resume(key: Key, probed: frozenset[str], tx: Connection[Any]) -> str | None:
    """Return the reason of the version that is to go on, or None when it is to wait."""
    document = lock_idle_document(tx, key)
    number = None if document is None else value_of(tx, "resumable_version", key)
    if document is None or document.deleted_at is not None or number is None:
        return None
    key = key | {"version": number}
    version = lock_version(tx, key)
    row = tx.execute(query("parked_standing"), key).fetchone()
    if version is None or row is None or version.is_older_than_published(document):
        return None
    code, is_due, is_over = row
    is_probe = code in _AT_PROVIDER and not is_over
    if is_probe and (not is_due or code in probed):
        return None
    if not (is_due or is_over) or not _ask_again(tx, key):
        return None
    _audit(tx, key, "request_run", detail={"code": code})
    return code


def _ask_again(tx: Connection[Any], key: Key) -> bool:
    """Ask for a run unless somebody did just now; a wait at the provider is no failed attempt."""
    row = tx.execute(query("recovery_standing"), key).fetchone()
    if row is None or (row[1] and not row[2]):
        return False
    tx.execute(query("request_run"), key | {"attempts": row[0]})
    return True


def _tidy(key: Key, tx: Connection[Any]) -> Tidied:
    return Tidied(
        reservations=tx.execute(query("expire_reservations"), key).rowcount,
        idempotency_keys=tx.execute(query("forget_expired_requests"), key).rowcount,
        conversations=tx.execute(query("forget_expired_conversations"), key).rowcount,
    )


def _audit(
    tx: Connection[Any],
    key: Key,
    action: str,
    *,
    outcome: Outcome | None = None,
    detail: dict[str, Any],
) -> None:
    event = {
        "tenant_id": key["tenant_id"],
        "actor": "sweep",
        "action": action,
        "object": str(key["document_id"]),
        "outcome": "REQUESTED" if outcome is None else outcome.value,
        "detail": Jsonb({"version": key["version"]} | detail),
    }
    tx.execute(query("record_audit"), event)
